// Names and values of query strings and forms (application/x-www-form-urlencoded).

import { decodeFormText } from '../../lib/parse.ts';

export type Pair = readonly [name: string, value: string];

/** A decoded pair; null for a part with an escape that is not UTF-8. */
export interface EncodedPair {
  /** As it was sent. */
  readonly text: string;
  readonly name: string | null;
  readonly value: string | null;
}

/** The pairs in order, without empty ones; null if there are more than `max`. */
export function splitPairs(text: string, max: number): readonly EncodedPair[] | null {
  if (text === '') return [];
  const pieces = text.split('&', max + 1);
  if (pieces.length > max) return null;
  return pieces.filter((piece) => piece !== '').map(decodePair);
}

/** Maximum number of pairs of a form, or of a query parsed like one. */
const MAX_PAIRS = 100;

/** The pairs; null if there are more than 100, an escape is broken, or one contains NUL. */
export function parsePairs(text: string): readonly Pair[] | null {
  const pairs: Pair[] = [];
  for (const { name, value } of splitPairs(text, MAX_PAIRS) ?? [{ name: null, value: null }]) {
    if (name === null || value === null || `${name}${value}`.includes('\0')) return null;
    pairs.push([name, value]);
  }
  return pairs;
}

/** Values by name, both in the order sent. */
export function groupPairs(pairs: Iterable<Pair>): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return values;
}

function decodePair(text: string): EncodedPair {
  const equals = text.indexOf('=');
  const name = decodeFormText(equals < 0 ? text : text.slice(0, equals));
  return { text, name, value: decodeFormText(equals < 0 ? '' : text.slice(equals + 1)) };
}
