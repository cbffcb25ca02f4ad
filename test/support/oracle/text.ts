// Free-text search as a loop over the words of each listing that knows no index: what is found, and how well it fits.

import fc from 'fast-check';
import { type Facts, fullAddress, type Row } from '../catalogue/random-market.ts';
import { AREAS, inArea } from './facts.ts';
import type { Filter, Query } from './filters.ts';

const SHORT: Readonly<Record<string, string>> = {
  street: 'st',
  saint: 'st',
  avenue: 'ave',
  road: 'rd',
  lane: 'ln',
};

export const wordsIn = (text: string | null): string[] =>
  (text ?? '')
    .normalize('NFD')
    .replace(/[\u0300-\u036f'.]/g, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .map((word) => SHORT[word] ?? word);

/** The words that each area is called by. */
const AREA_NAMES: Readonly<Record<string, readonly string[]>> = {
  'county-ring': ['ring'],
  'metro-dateline': ['dateline'],
  'city-aldern': ['aldern'],
  'city-crane': ['crane'],
  'state-umbra': ['umbra', 'um'],
  'school-district-empty': ['empty'],
};

export const AREA_WORDS = Object.values(AREA_NAMES)
  .flat()
  .filter((word) => word.length > 3);

const address = (facts: Facts): string[] => [
  ...(facts.addressDisplayed ? wordsIn(fullAddress(facts)) : []),
  ...wordsIn(facts.postalCode),
];
const places = ({ city, neighborhood, county, state }: Facts): string[] =>
  [city, neighborhood, county, state].flatMap(wordsIn);

/** The words of a listing by their field. */
const FIELDS: Readonly<Record<string, (row: Row) => readonly string[]>> = {
  id: ({ id, key, facts }) => [id, key, facts.mlsNumber].flatMap(wordsIn),
  address: ({ facts }) => address(facts),
  area: ({ facts }) => [
    ...places(facts),
    ...Object.keys(AREAS).flatMap((area) => (inArea(area, facts) ? (AREA_NAMES[area] ?? []) : [])),
  ],
  description: ({ facts }) => [facts.description, ...facts.features].flatMap(wordsIn),
};
const WORTH: Readonly<Record<string, number>> = { id: 8, address: 4, area: 2, description: 1 };

/** Names that are known: written by hand, and held against the market by a test. */
export const NAMES = [
  'oakwood',
  'elan',
  'obrien',
  'unit',
  'aldern',
  'brook',
  'hollow',
  'crane',
  'hook',
  'town',
  'ring',
  'ostra',
  'umbra',
  'verge',
  'dateline',
  'empty',
];
export const namesOf = (facts: Facts): string[] =>
  [...address(facts), ...places(facts)].filter((word) => word.length > 3 && !/\d/.test(word));

/** Whether so many letters put in, left out or replaced lead from one word to the other: by trying every way. */
function leads(a: string, b: string, steps: number): boolean {
  if (steps < 0) return false;
  if (a === '' || b === '') return a.length + b.length <= steps;
  if (a[0] === b[0] && leads(a.slice(1), b.slice(1), steps)) return true;
  const ways = [[1, 1], [1, 0], [0, 1]] as const; // biome-ignore format: three ways
  return ways.some(([left, right]) => leads(a.slice(left), b.slice(right), steps - 1));
}

/** Whether exchanging two neighbours makes one word the other. */
const exchanged = (a: string, b: string): boolean =>
  [...a].some(
    (_, at) => a.slice(0, at) + [...a.slice(at, at + 2)].toReversed().join('') + a.slice(at + 2) === b,
  );

/** What a word may mean. */
function meant(word: string): readonly string[] {
  if (word.length < 4 || NAMES.includes(word) || /\d/.test(word)) return [word];
  return [
    word,
    ...NAMES.filter((name) => leads(word, name, word.length >= 8 ? 2 : 1) || exchanged(word, name)),
  ];
}

const termsOf = (q: string) => [...new Set(wordsIn(q))].filter((word) => !['the', 'in', 'of'].includes(word));

/** What the best place of a word is worth; 0 where it is in none. */
function worth(row: Row, word: string, fields: readonly string[]): number {
  const found = fields.filter((field) => meant(word).some((each) => FIELDS[field]?.(row).includes(each)));
  return Math.max(0, ...found.map((field) => WORTH[field] ?? 0));
}

const fieldsOf = ({ qFields }: Query): string[] => qFields?.split(',') ?? Object.keys(FIELDS);

export function relevance(row: Row, query: Query): number {
  return termsOf(query.q ?? '').reduce((sum, word) => sum + worth(row, word, fieldsOf(query)), 0);
}

const QUESTIONS = [
  'oak',
  'oak street',
  'St. Élan',
  'saint elan ave',
  "O'Brien",
  'obrein rd',
  '12 oak',
  'oakwod',
  'unit 5',

  'aldern',
  'aldren',
  'Brok Holow',
  'brook-hollow',
  'umbra',
  'the umbar',
  'UM',
  'dateline',
  'datelien',
  'ring',

  'sunny',
  'sunny loft in umbra',
  'quiet',
  'harbor',
  'harbour',
  'key 7',
  'KEY-7',
  'ml-1',
  '10001',
  '2br',
  'nowhere',
  'ostra',
  'östra',
  'empty',
  'of',
  'krane',
  'hok',
  'pool',
  'sunny gym',
  'pool elevator',
];

export const TEXT_FILTERS: readonly Filter[] = [
  {
    parameters: ['q', 'qFields'],
    values: fc
      .tuple(
        fc.constantFrom(...QUESTIONS),
        fc.option(fc.uniqueArray(fc.constantFrom(...Object.keys(FIELDS)), { minLength: 1, maxLength: 3 })),
      )
      .map(([q, fields]) => ({ q, ...(fields && { qFields: fields.join() }) })),
    meets: (row, query) =>
      termsOf(query.q ?? '').every((word) => worth(row, word, fieldsOf(query)) > 0) && query.q !== 'of',
  },
  {
    parameters: ['address'],
    values: fc
      .constantFrom(
        '12 oak st',
        '12 OAK STREET',
        '12 Oak',
        '12 Oakw',
        '7 St. Elan Avenue, Aldern',
        '3 o’brien rd unit 5',
      )
      .map((text) => ({ address: text })),
    meets({ facts }, query) {
      const own = facts.addressDisplayed ? wordsIn(fullAddress(facts)) : [];
      return wordsIn((query.address ?? '').replace('’', '')).every((word, at) => own[at] === word);
    },
  },
];
