// One thing wrong in an answer of Polar: a field, a list, the status or the text.

import fc from 'fast-check';
import type { PolarAnswer } from './polar-routes.ts';

/** Anything that JSON can say. */
type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Fields of an answer: any of them, those that are read, those in which Polar says what a key opens, and what a list is made of. */
const FIELDS = {
  any: /./,
  read: /\b(?:id|\w+_id|key|status|\w+_at|\w+_end|is_granted|type|items|total_count|max_page|product|benefit|customer|properties|detail|error)$/,
  telling:
    /^\.(?:items\.\d+\.)?(?:id|key|status|expires_at|ends_at|ended_at|cancel_at_period_end|product_id|properties\.license_key_id)$/,
  lists: /^\.items(?:\.\d+)?$|^\.pagination\.\w+$/,
};

const WORDS = 'granted revoked disabled active past_due canceled paused license_keys custom SERVICE'.split(
  ' ',
);
const strangeValue = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 0, -1, 1.5, '', 'nonsense', [], {}, [null], { id: 1 }),
  fc.constantFrom<Json>(
    ...WORDS,
    '2020-01-01T00:00:00Z',
    '2030-01-01T00:00:00.123456Z',
    '2020-13-01',
    '1577836800',
  ),
  fc.uuid({ version: 4 }),
  fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>,
);

type Mutation =
  | { readonly kind: 'delete' | 'duplicate' }
  | { readonly kind: 'replace'; readonly value: Json }
  /** By another value of the same kind. */
  | { readonly kind: 'swap'; readonly choice: number }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'text'; readonly length: number };

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<Mutation>({ kind: 'delete' }, { kind: 'duplicate' }) },
  { weight: 6, arbitrary: strangeValue.map((value): Mutation => ({ kind: 'replace', value })) },
  { weight: 4, arbitrary: fc.nat(100).map((choice): Mutation => ({ kind: 'swap', choice })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(200, 201, 202, 204, 301, 307, 400, 401, 403, 404, 409, 410, 418, 422, 429, 500, 503)
      .map((status): Mutation => ({ kind: 'status', status })),
  },
  { weight: 1, arbitrary: fc.nat(400).map((length): Mutation => ({ kind: 'text', length })) },
);

const DATES = [null, '2020-01-01T00:00:00Z', '2030-01-01T00:00:00.123456Z'];

function likeValue(value: Json, choice: number, ids: readonly string[]): Json {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1 + (choice % 3);
  const pools: Readonly<Record<string, readonly Json[]>> = { id: ids, date: DATES, null: DATES, text: WORDS };
  const pool = pools[kindOf(value)] ?? [];
  return pool[choice % pool.length] ?? null;
}

interface Place {
  readonly holder: Json[] | { [name: string]: Json };
  readonly name: string | number;
  readonly path: string;
}

function placesOf(value: Json, path = ''): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]): Place[] => {
    const at = `${path}.${name}`;
    const place = { holder: value, name: Array.isArray(value) ? Number(name) : name, path: at };
    return [place, ...placesOf(child, at)];
  });
}

/** What is changed, and where. */
export interface Change {
  readonly mutation: Mutation;
  readonly place: number;
  readonly fields: keyof typeof FIELDS;
}

export const change: fc.Arbitrary<Change> = fc.record({
  mutation,
  place: fc.nat(10_000),
  fields: fc.constantFrom('any', 'read', 'telling', 'lists'),
});

/**
 * The answer with one thing wrong in it, and whether the wrong value is one that the right one might have been.
 * @param ids ids that exist, but are not the right ones
 */
export function mutate(
  answer: PolarAnswer,
  { mutation, place, fields }: Change,
  ids: readonly string[],
): { readonly answer: PolarAnswer; readonly isPlausible: boolean } {
  if (mutation.kind === 'status') {
    return { answer: { ...answer, status: mutation.status }, isPlausible: false };
  }
  if (mutation.kind === 'text') {
    const text = JSON.stringify(answer.body).slice(0, mutation.length);
    return { answer: { ...answer, body: text }, isPlausible: false };
  }
  const body = structuredClone(answer.body) as Json;
  const some = placesOf(body).filter(({ path }) => FIELDS[fields].test(path));
  const chosen = some[place % Math.max(1, some.length)];
  if (chosen === undefined) return { answer, isPlausible: false };
  const holder = chosen.holder as { [name: string | number]: Json };
  const before = holder[chosen.name] as Json;
  let isPlausible = false;
  if (mutation.kind === 'replace' || mutation.kind === 'swap') {
    const value = mutation.kind === 'swap' ? likeValue(before, mutation.choice, ids) : mutation.value;
    holder[chosen.name] = value;
    // A key without a prefix is one of another benefit.
    const isKey = chosen.name === 'key' && kindOf(value) === 'id';
    isPlausible = isKey || isSameKind(before, value);
  } else if (Array.isArray(holder)) {
    holder.splice(Number(chosen.name), 1, ...(mutation.kind === 'delete' ? [] : [before, before]));
  } else if (mutation.kind === 'delete') delete holder[chosen.name];
  else holder[chosen.name] = [before];
  return { answer: { ...answer, body }, isPlausible };
}

function kindOf(value: Json): string {
  if (typeof value !== 'string') return value === null ? 'null' : typeof value;
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)) return 'id';
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return 'date';
  return 'text';
}

function isSameKind(before: Json, now: Json): boolean {
  const kinds = [kindOf(before), kindOf(now)];
  return kinds[0] === kinds[1]
    ? kinds[0] !== 'object'
    : kinds.every((kind) => kind === 'null' || kind === 'date');
}
