// Tokenizer of names, addresses and queries: folded words, one spelling of abbreviations, tolerance for typos.

import { distance } from 'fastest-levenshtein';
import { joinOrdinals, ORDINALS } from './number-words.ts';

/** Short forms of street types by spelling. */
export const STREET_TYPES: Readonly<Record<string, string>> = {
  street: 'st',
  str: 'st',
  avenue: 'ave',
  av: 'ave',
  aven: 'ave',
  boulevard: 'blvd',
  boul: 'blvd',
  drive: 'dr',
  drv: 'dr',
  road: 'rd',
  lane: 'ln',
  court: 'ct',
  crt: 'ct',
  place: 'pl',
  terrace: 'ter',
  terr: 'ter',
  highway: 'hwy',
  parkway: 'pkwy',
  pky: 'pkwy',
  square: 'sq',
  circle: 'cir',
  trail: 'trl',
  crossing: 'xing',
  alley: 'aly',
  plaza: 'plz',
  crescent: 'cres',
  expressway: 'expy',
  freeway: 'fwy',
  turnpike: 'tpke',
  route: 'rte',
  cove: 'cv',
  heights: 'hts',
};

/** Street types without a short form. */
export const LONG_STREET_TYPES = ['way', 'loop', 'row', 'run', 'walk', 'path', 'mews', 'close', 'pike'];

export const DIRECTIONS: Readonly<Record<string, string>> = {
  north: 'n',
  south: 's',
  east: 'e',
  west: 'w',
  northeast: 'ne',
  northwest: 'nw',
  southeast: 'se',
  southwest: 'sw',
};

export const SHORT_FORMS: Readonly<Record<string, string>> = {
  ...STREET_TYPES,
  ...DIRECTIONS,
  ...ORDINALS,
};

/** Abbreviations by the words of addresses and names that they replace. */
const ABBREVIATIONS: ReadonlyMap<string, string> = new Map(Object.entries({ ...SHORT_FORMS, saint: 'st' }));

/** Words that say nothing about a home: queries with other words ignore them. */
const STOP_WORDS = new Set('a an and at by for from in near of on or the'.split(' '));

const MAX_WORD_LENGTH = 100;

/** The words of a text, normalised for comparison. */
export function tokenize(text: string): string[] {
  const words = splitWords(text).filter((word) => word.length <= MAX_WORD_LENGTH);
  return joinOrdinals(words.map((word) => ABBREVIATIONS.get(word) ?? word));
}

/** The words that a query searches for, without repeats. */
export function queryTokens(text: string): string[] {
  const words = [...new Set(tokenize(text))];
  const significant = words.filter((word) => !STOP_WORDS.has(word));
  return significant.length > 0 ? significant : words;
}

/** All spellings of a normalised word: names of areas are stored as spelt. */
export function writtenForms(word: string): string[] {
  const long = [...ABBREVIATIONS].filter(([, short]) => short === word).map(([each]) => each);
  return [word, ...long];
}

/** The words of an address, each followed by a blank: prefixes of it match whole words. */
export function addressKey(text: string | null): string | null {
  const words = text === null ? [] : tokenize(text);
  return words.length === 0 ? null : `${words.join(' ')} `;
}

const MIN_NAME_LENGTH = 4;
const MAX_NAME_LENGTH = 40;

/** Whether a word takes part in typo tolerance: numbers and short words do not. */
export function isName(word: string): boolean {
  return word.length >= MIN_NAME_LENGTH && word.length <= MAX_NAME_LENGTH && !/\d/.test(word);
}

/** The distinct trigrams of a word padded with blanks. */
export function trigramsOf(word: string): string[] {
  const padded = `  ${word} `;
  return [...new Set(Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)))];
}

/** Tolerated typos change at most this many disjoint trigrams. */
const MAX_TOUCHED = 2;

/** A few trigrams of a word such that each name it may misspell has one of them. */
export function selectiveTrigrams(word: string): string[] {
  const padded = `  ${word} `;
  const apart = Array.from({ length: Math.floor(padded.length / 3) }, (_, at) =>
    padded.slice(3 * at, 3 * at + 3),
  );
  const distinctive = [...new Set(apart.slice(0, MAX_TOUCHED + 1))];
  return distinctive.length > MAX_TOUCHED ? distinctive : trigramsOf(word);
}

/** Whether a word is one edit from a name, or two for long words: an insertion, deletion, substitution or transposition. */
export function isMisspelt(word: string, name: string): boolean {
  const max = word.length >= 8 ? 2 : 1;
  if (Math.abs(word.length - name.length) > max) return false;
  return distance(word, name) <= max || isTransposed(word, name);
}

function isTransposed(word: string, name: string): boolean {
  if (word.length !== name.length) return false;
  const at = [...word].findIndex((letter, place) => letter !== name[place]);
  return word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2) === name && at >= 0;
}

/** Whether a text has no character beyond ASCII. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
export const isAscii = (text: string): boolean => !/[^\x00-\x7f]/.test(text);

/** The words of a name as people type them: lower case, without accents, apostrophes and full stops. */
export function splitWords(text: string): string[] {
  // Most texts are ASCII, which has nothing to decompose: a third of the time.
  if (isAscii(text))
    return text
      .replace(/['.]/g, '')
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((word) => word !== '');
  return text
    .normalize('NFKD')
    .replace(/[\p{M}'’.]/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Letters with a plain equivalent that Unicode does not decompose. */
const PLAIN: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ŋ: 'n',
  ŧ: 't',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
};

/** A word of splitWords without such letters. */
export function plainLetters(word: string): string {
  return word.replace(/[øłđðħıŋŧßæœþ]/g, (letter) => PLAIN[letter] ?? letter);
}

/**
 * The prefix of an indexed word by its field. Words are also indexed without a prefix; those of the description have one
 * only if they are in the address or in area names too.
 */
export const FIELD_LETTERS = { id: 'A', address: 'B', area: 'C', description: 'D' } as const;

/** The index term of an area, on every listing in it. */
export const areaWord = (areaNo: number): string => `#${areaNo}`;
