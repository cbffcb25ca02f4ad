// Tokenizer of names, addresses and queries: folded words, one spelling of abbreviations, tolerance for typos.

import { distance } from 'fastest-levenshtein';
import { joinOrdinals } from './number-words.ts';
import { SHORT_FORMS } from './street-abbreviations.ts';

/** Words of addresses that are written out or short: the short form stands for both. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  ...SHORT_FORMS,
  saint: 'st',
};

/** Words that say nothing about a home: they are left out of a question that has others. */
const STOP_WORDS = new Set([
  'a',
  'an',
  'and',
  'at',
  'by',
  'for',
  'from',
  'in',
  'near',
  'of',
  'on',
  'or',
  'the',
]);

const MAX_WORD_LENGTH = 100;

/** The words of a text in the spelling that is compared. */
export function tokenize(text: string): string[] {
  const words = splitWords(text).filter((word) => word.length <= MAX_WORD_LENGTH);
  return joinOrdinals(
    words.map((word) => (Object.hasOwn(ABBREVIATIONS, word) ? (ABBREVIATIONS[word] ?? word) : word)),
  );
}

/** The words that a question asks for, without repeats. */
export function queryTokens(text: string): string[] {
  const words = [...new Set(tokenize(text))];
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  return telling.length > 0 ? telling : words;
}

/** All ways to write a compared word; the names of areas are kept as they are spelt. */
export function writtenForms(word: string): string[] {
  const long = Object.keys(ABBREVIATIONS).filter((each) => ABBREVIATIONS[each] === word);
  return [word, ...long];
}

/** The beginning of the words of an address, each with a blank behind it. */
export function addressKey(text: string | null): string | null {
  const words = text === null ? [] : tokenize(text);
  return words.length === 0 ? null : `${words.join(' ')} `;
}

const MIN_NAME_LENGTH = 4;
const MAX_NAME_LENGTH = 40;

/** Whether a word can be a misspelt name, and be what a misspelt one meant: numbers and short words mean themselves. */
export function isName(word: string): boolean {
  return word.length >= MIN_NAME_LENGTH && word.length <= MAX_NAME_LENGTH && !/\d/.test(word);
}

/** Every three letters in a row, with blanks around the word, without repeats. */
export function trigramsOf(word: string): string[] {
  const padded = `  ${word} `;
  return [...new Set(Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)))];
}

/** No slips that are forgiven touch more of trigrams that have no letter in common. */
const MOST_TOUCHED = 2;

/** Trigrams of a word of which any word that it may misspell has at least one: few, so that few names are looked at. */
export function selectiveTrigrams(word: string): string[] {
  const padded = `  ${word} `;
  const apart = Array.from({ length: Math.floor(padded.length / 3) }, (_, at) =>
    padded.slice(3 * at, 3 * at + 3),
  );
  const telling = [...new Set(apart.slice(0, MOST_TOUCHED + 1))];
  return telling.length > MOST_TOUCHED ? telling : trigramsOf(word);
}

/** One step is a letter put in, left out or put in another's place, or two neighbours exchanged; long names forgive two. */
export function isMisspelt(asked: string, name: string): boolean {
  const most = asked.length >= 8 ? 2 : 1;
  if (Math.abs(asked.length - name.length) > most) return false;
  return distance(asked, name) <= most || isExchanged(asked, name);
}

function isExchanged(asked: string, name: string): boolean {
  if (asked.length !== name.length) return false;
  const at = [...asked].findIndex((letter, place) => letter !== name[place]);
  return (
    asked.slice(0, at) + asked.charAt(at + 1) + asked.charAt(at) + asked.slice(at + 2) === name && at >= 0
  );
}

/** The words of a name as people type them: lower case, without accents, apostrophes or full stops. */
export function splitWords(text: string): string[] {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}'’.]/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Letters that have a plain one beside them on most keyboards, but do not come apart in Unicode. */
const PLAIN: Readonly<Record<string, string>> = {
  ...{ ø: 'o', ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ŋ: 'n', ŧ: 't' },
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th' },
};

/** A word of wordsOf as it is typed without such letters. */
export function plainLetters(word: string): string {
  return word.replace(/[øłđðħıŋŧßæœþ]/g, (letter) => PLAIN[letter] ?? letter);
}

/**
 * The letter before a word that stands in a field. A word of the other three is also kept without a letter; with that of the
 * description only where it stands in the address or in names of places as well.
 */
export const FIELD_LETTERS = { id: 'A', address: 'B', area: 'C', description: 'D' } as const;

/** What stands for an area among the words of the listings in it. */
export const areaWord = (areaNo: number): string => `#${areaNo}`;

/** What stands among the words of every active listing of this type that may be shown. */
export const activeWord = (listingType: string): string => `=${listingType}`;
