// Streets and the ways in which people write them, from tables of the tests' own.

import fc from 'fast-check';
import type { DraftAddress } from '../../../src/listings/draft.ts';
import { NO_ADDRESS } from './drafts.ts';

const TYPES = [
  ['Street', 'St', 'St.', 'street', 'STREET'],
  ['Avenue', 'Ave', 'ave.', 'Av'],
  ['Boulevard', 'Blvd', 'BLVD.'],
  ['Court', 'Ct', 'Ct.', 'court'],
  ['Lane', 'Ln'],
  ['Parkway', 'Pkwy'],
  ['Circle', 'Cir'],
  ['Way'],
];
const DIRECTIONS = [
  ['North', 'N', 'N.'],
  ['West', 'W', 'west'],
  ['Southeast', 'SE', 'S.E.'],
];
const NAMES = [
  ['Quillby'],
  ['Elm', 'ELM'],
  ["O'Brien", 'O’Brien', 'OBrien'],
  ['Élan', 'Elan', 'ELAN'],

  ['5th', 'Fifth', 'FIFTH'],
  ['21st', 'Twenty-First', 'twenty first'],
  ['Martin Luther King', 'MARTIN  LUTHER  KING'],
  ['Saint Vail', 'St. Vail', 'St Vail'],
];
const UNITS = [[], ['5B', '#5B', 'Apt 5B', 'Unit 5b', 'apt. 5B', '# 5b']];

export interface SpelledStreet {
  readonly address: DraftAddress;
  /** The same house in other spellings, with its number. */
  readonly spellings: readonly string[];
  /** Letters of the name, which no part of a text may hold that does not name the street. */
  readonly name: RegExp;
}

const pick = (forms: readonly string[]) => fc.constantFrom(...forms);

const apart = (form: string): string => form.replaceAll(/[^\p{L}\p{N}]+/gu, '[^\\p{L}\\p{N}]*');

/** A house on a street, written in one way as its address and in several others in texts. */
export const spelledStreet: fc.Arbitrary<SpelledStreet> = fc
  .record({
    number: fc.integer({ min: 1, max: 9_999 }).map(String),
    direction: fc.constantFrom(null, null, ...DIRECTIONS),
    name: fc.constantFrom(...NAMES),
    type: fc.constantFrom(...TYPES),
    unit: fc.constantFrom(...UNITS),
    inParts: fc.boolean(),
  })
  .chain(({ number, direction, name, type, unit, inParts }) => {
    const street = fc
      .tuple(direction === null ? fc.constant('') : pick(direction), pick(name), pick(type))
      .map((parts) => parts.filter(Boolean).join(' '));
    const written = fc
      .tuple(street, unit.length === 0 ? fc.constant('') : pick(['', ...unit]), pick([' ', '  ', ', ', '-']))
      .map(([words, at, gap]) => `${number} ${words}${at && `${gap === '-' ? ' ' : gap}${at}`}`)
      .chain((text) => pick([text, text.toUpperCase(), text.replaceAll(' ', '-'), text.replace(' ', '\n')]));
    return fc
      .tuple(street, fc.array(written, { minLength: 1, maxLength: 4 }))
      .map(([streetName, spellings]) => ({
        address: addressOf(number, streetName, unit[0] ?? null, inParts),
        spellings,
        name: new RegExp(name.map(apart).join('|'), 'iu'),
      }));
  });

function addressOf(number: string, streetName: string, unit: string | null, inParts: boolean): DraftAddress {
  const town = { city: 'Aldern', state: 'WA', postalCode: '98001' };
  if (inParts) return { ...NO_ADDRESS, ...town, streetNumber: number, streetName, unit };
  const line = `${number} ${streetName}${unit === null ? '' : ` #${unit}`}`;
  return { ...NO_ADDRESS, ...town, full: `${line}, Aldern, WA 98001` };
}

/** Words that are no address, though addresses are made of such words too. */
const FILLERS = [
  'Court',
  'a quiet lane',
  'north light',
  'street parking',
  'Unit',
  'west',
  'the way home',
  'no fee',
  'garden',
  'three bedrooms',
  'great boulevard cafés',
  '2 baths',
  'circle drive',
  'saint',
  'king size',
];

/** A text with the spellings in it, and what of it is no address. */
export const textWith = (spellings: readonly string[]): fc.Arbitrary<{ text: string; rest: string[] }> =>
  fc
    .array(fc.constantFrom(...FILLERS), { minLength: spellings.length + 1, maxLength: spellings.length + 3 })
    .map((rest) => ({
      rest,
      text: rest.map((filler, at) => `${filler}; ${spellings[at] ? `${spellings[at]}; ` : ''}`).join(''),
    }));
