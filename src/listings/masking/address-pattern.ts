// Regular expressions for one street address in every spelling that searches take as equal, over folded text. Pure.

import { cardinalForms, isOrdinal, twoWordOrdinal } from '../../text/number-words.ts';
import { DIRECTIONS, LONG_STREET_TYPES, STREET_TYPES, tokenize, writtenForms } from '../../text/tokenize.ts';

/** A street address as tokens; unknown parts are empty. */
export interface StreetAddress {
  readonly number: readonly string[];
  readonly street: readonly string[];
  readonly unit: readonly string[];
}

/** Separators between words in folded text, and within a unit, which no sentence end may split. */
const GAP = '[ |#]{0,8}';
const UNIT_GAP = '[ #]{0,6}';
const START = '(?<![^ |#])';
const END = '(?![^ |#])';

const anyOf = (parts: readonly string[]): string => `(?:${parts.join('|')})`;
const optional = (part: string): string => `(?:${part})?`;
const joinWords = (parts: readonly string[]): string => parts.join(GAP);

const SHORT_TYPES: ReadonlySet<string> = new Set([...Object.values(STREET_TYPES), ...LONG_STREET_TYPES]);
const SHORT_DIRECTIONS: ReadonlySet<string> = new Set(Object.values(DIRECTIONS));

/** Words with a short and a long form that searches treat as different. */
const NAME_WORDS: ReadonlyMap<string, string> = new Map([
  ['mount', 'mt'],
  ['mt', 'mount'],
  ['fort', 'ft'],
  ['ft', 'fort'],
  ['point', 'pt'],
  ['pt', 'point'],
]);

const spellings = (word: string): string => {
  const two = twoWordOrdinal(word);
  // "21 Avenue" is 21st Avenue; 21 alone is just a number.
  const bare = isOrdinal(word) ? [`${Number.parseInt(word, 10)}(?=${GAP}${ANY_TYPE}${END})`] : [];
  const other = NAME_WORDS.get(word);
  const forms = [...writtenForms(word), ...(other === undefined ? [] : [other])];
  return anyOf([...forms.map(RegExp.escape), ...(two ? [joinWords(two)] : []), ...bare]);
};
const spelledOut = (words: readonly string[]): string => joinWords(words.map(spellings));

/** Words before the number of a highway. */
const ANY_HIGHWAY = anyOf([
  'us',
  `u${GAP}s`,
  'state',
  'county',
  'sr',
  'cr',
  'i',
  'highway',
  'hwy',
  'route',
  'rte',
]);
const ANY_TYPE = anyOf([...SHORT_TYPES].map(spellings));
const ANY_DIRECTION = anyOf([...SHORT_DIRECTIONS].map(spellings));
const NUMBER_WORD = `(?:(?:number|no|nr)${GAP})?`;
const UNIT_WORDS = ['apartment', 'apt', 'unit', 'suite', 'ste', 'number', 'no'];

/** The parts of a street's name; `core` is never empty. */
interface StreetName {
  readonly before: readonly string[];
  readonly core: readonly string[];
  readonly type: string | null;
  readonly after: readonly string[];
}

/** "n elm st": north, Elm, street. A name that is nothing but such words keeps its last one as the core. */
function splitStreet(words: readonly string[]): StreetName {
  const isType = (word: string | undefined): boolean => word !== undefined && SHORT_TYPES.has(word);
  const isDirection = (word: string | undefined): boolean => word !== undefined && SHORT_DIRECTIONS.has(word);
  const core = [...words];
  const after = core.length > 2 && isDirection(core.at(-1)) ? core.splice(-1) : [];
  const type = core.length > 1 && isType(core.at(-1)) ? (core.pop() ?? null) : null;
  const before = core.length > 1 && isDirection(core[0]) ? core.splice(0, 1) : [];
  return { before, core, type, after };
}

/** Whether a name has more than street types and directions: then a number before it makes an address. */
const isName = (core: readonly string[]): boolean =>
  core.some((word) => !SHORT_TYPES.has(word) && !SHORT_DIRECTIONS.has(word));

/** Whether a name identifies a street without a number and a street type. */
const isDistinctive = (core: readonly string[]): boolean =>
  core.length > 1 || (isName(core) && /^\D{4}/.test(core[0] ?? ''));

/** A house number as written, with its letter separated, or without it. */
function numberForms(number: readonly string[]): string[] {
  if (number.length === 0) return [];
  const apart = number.map((word) => word.split(/(?<=\d)(?=\D)|(?<=\D)(?=\d)/).map(RegExp.escape));
  const plain = number.flatMap((word) => /^\d+/.exec(word)?.[0] ?? []);
  const thousands = plain
    .filter((each) => each.length > 3)
    .map((each) => `${each.slice(0, -3)} ${each.slice(-3)}`);
  return [joinWords(apart.map(joinWords)), ...plain, ...thousands];
}

/** A house number in words. */
const numberWords = (number: readonly string[]): string[] =>
  number.flatMap((word) => (/^\d+$/.test(word) ? cardinalForms(Number(word)).map(joinWords) : []));

/** "1500 Hwy 101" and "US-101" for 1500 US Highway 101; none for other streets. */
function highwayForms(core: readonly string[], numbers: readonly string[]): string[] {
  const route = core.at(-1) ?? '';
  if (!/^\d{1,4}[a-z]?$/.test(route) || !core.some((word) => word === 'hwy' || word === 'rte')) return [];
  return [`${optional(anyOf([...numbers, '(?!)']) + GAP)}(?:${ANY_HIGHWAY}${GAP}){1,3}${route}`];
}

function unitForm(unit: readonly string[]): string {
  const own = unit.filter((word) => !UNIT_WORDS.includes(word));
  const word = `${anyOf(UNIT_WORDS)}${UNIT_GAP}`;
  const known = own.length === 0 ? [] : [optional(word) + spelledOut(own)];
  const named = `${word}(?:\\d[^ |#]{0,5}|[a-z]\\d{1,5})`;
  const marked = '(?<=# ?)[^ |#]{1,6}';
  return optional(`${UNIT_GAP}${anyOf([...known, named, marked])}${END}`);
}

/** A unit before the house number: "Unit 3B, 4217 ..." and "3B/4217 ...". */
function unitBefore(unit: readonly string[]): string {
  const own = unit.filter((word) => !UNIT_WORDS.includes(word));
  return own.length === 0 ? '' : optional(optional(anyOf(UNIT_WORDS) + GAP) + spelledOut(own) + GAP);
}

/** The street with its number before or after it, or alone if its name is distinctive. */
function addressForms({ number, street, unit }: StreetAddress): string[] {
  if (street.length === 0) return [];
  const { before, core, type, after } = splitStreet(street);
  const words = numberWords(number);
  // "One park" may be anything; "One Park Avenue" is an address.
  const isCommon = type !== null && core.length === 1 && /^\d$/.test(number.join(' '));
  const numbers = [...numberForms(number), ...(isCommon ? [] : words)];
  const behind = after.map((word) => optional(GAP + spellings(word))).join('');
  const named = type === null ? spelledOut(core) : joinWords([spelledOut(core), spellings(type)]);
  const own = before.map((word) => optional(spellings(word) + GAP)).join('') + named + behind;
  const directed = `${GAP}(?:${ANY_DIRECTION}${GAP}){0,2}${spelledOut(core)}`;
  const typed = GAP + ANY_TYPE;
  // A number and "court" alone may be anything; with the street type it is an address.
  const first = isName(core)
    ? `${anyOf(numbers)}${directed}${optional(typed)}${behind}`
    : `${anyOf(numbers)}${GAP}${own}`;
  const alone = type !== null || isDistinctive(core);
  return [
    ...(numbers.length > 0 ? [unitBefore(unit) + first + END + unitForm(unit)] : []),
    ...(isCommon ? [anyOf(words) + directed + typed + behind + END + unitForm(unit)] : []),
    ...(alone
      ? [own + optional(GAP + NUMBER_WORD + anyOf([...numbers, '(?!)'])) + END + unitForm(unit)]
      : []),
    ...(numbers.length > 0 && !alone ? [own + GAP + anyOf(numbers)] : []),
    ...(numbers.length > 0 && isName(core) ? [lastForm(spelledOut(core), number, numbers)] : []),
    ...highwayForms(core, numbers),
  ];
}

/** The number after a street without its type; a short one only after a word such as "number". */
function lastForm(street: string, number: readonly string[], numbers: readonly string[]): string {
  const word = /\d{3}/.test(number.join(' ')) ? NUMBER_WORD : `(?:number|no|nr)${GAP}`;
  return street + GAP + word + anyOf(numbers);
}

/** Finds the addresses in folded text; null where there is nothing to find. */
export function addressPattern(addresses: readonly StreetAddress[]): RegExp | null {
  const forms = [...new Set(addresses.flatMap(addressForms))];
  return forms.length === 0 ? null : new RegExp(`${START}${anyOf(forms)}${END}`, 'g');
}

/** Texts of which every spelling of the streets contains at least one. */
export const addressHints = (addresses: readonly StreetAddress[]): string[] =>
  addresses.flatMap(({ street }) => {
    const { core } = splitStreet(street);
    const word = core.toSorted((a, b) => b.length - a.length)[0];
    if (word === undefined) return [];
    // Highways and numbered streets are often written as digits alone.
    const figures = core.flatMap((each) => /^\d+/.exec(each)?.[0] ?? []);
    return [...writtenForms(word), ...(twoWordOrdinal(word) ?? []), ...figures];
  });

/** The parts of the first line of an address, its number before or behind the street. */
export function readStreetAddress(line: string): StreetAddress {
  const [house = '', ...rest] = line.split(/#|\b(?:apt|apartment|unit|suite|ste)\b/i);
  const words = tokenize(house);
  const unit = tokenize(rest.join(' '));
  const isNumber = (word: string | undefined): boolean =>
    word !== undefined && /^\d/.test(word) && !isOrdinal(word);
  const first = words.findIndex((word) => !isNumber(word));
  if (first > 0) return { number: words.slice(0, first), street: words.slice(first), unit };
  if (words.length > 1 && isNumber(words.at(-1)))
    return { number: words.slice(-1), street: words.slice(0, -1), unit };
  return { number: [], street: words, unit };
}
