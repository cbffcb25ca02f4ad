// Meanings of words in cells: choices, booleans and what stands for nothing, by the table that rules are suggested from.

import { nearest } from '../../lib/nearest.ts';
import MEANINGS from '../mapping/meanings.json' with { type: 'json' };

type ChoiceWords = Readonly<Record<string, readonly string[]>>;

const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[_\s-]+/g, ' ')
    .trim();

const { nulls, unpriced, ...choices } = MEANINGS;

const TABLES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(choices as Readonly<Record<string, ChoiceWords>>).map(([field, words]) => [
    field,
    new Map(
      Object.entries(words).flatMap(([choice, names]) =>
        [...names, choice].map((name) => [fold(name), choice] as const),
      ),
    ),
  ]),
);

export const NULL_WORDS: readonly string[] = nulls;

const UNPRICED = new Set(unpriced.map(fold));

/** Whether a text says that the price is not public. */
export const isUnpriced = (text: string): boolean => UNPRICED.has(fold(text));

/** What a text means among the choices of a field. `isSure`: it is a known word, or starts with one. */
export interface Meaning {
  readonly choice: string;
  readonly isSure: boolean;
}

/** The meaning of a text for a field of the table, by the word itself, its parts, or the nearest spelling; null for none. */
export function meaningOf(field: string, text: string): Meaning | null {
  const table = TABLES.get(field);
  const folded = fold(text);
  if (table === undefined || folded === '') return null;
  const known = table.get(folded);
  if (known !== undefined) return { choice: known, isSure: true };
  if (field === 'boolean') return null;
  const part = longestPart(table, folded);
  if (part !== null) return { choice: part, isSure: true };
  if (folded.length < 5) return null;
  const near = nearest(
    folded,
    [...table.keys()].filter((word) => word.length > 4),
  );
  const choice = near === undefined ? undefined : table.get(near);
  return choice === undefined ? null : { choice, isSure: false };
}

/** The choice of the longest known word within a text: `Apartment (3rd floor)` is an apartment. */
function longestPart(table: ReadonlyMap<string, string>, text: string): string | null {
  let best = '';
  const padded = ` ${text.replace(/[^\p{L}\p{N}/]+/gu, ' ')} `;
  for (const word of table.keys())
    if (word.length > 2 && word.length > best.length && padded.includes(` ${word} `)) best = word;
  return best === '' ? null : (table.get(best) ?? null);
}
