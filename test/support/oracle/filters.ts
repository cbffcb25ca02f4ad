// Filters as the proof of searches sees them, and their kinds: ranges, words, moments, choices.

import fc from 'fast-check';
import { DAY, type Facts, type Row } from '../catalogue/random-market.ts';

/** A query as a client writes it. */
export type Query = Readonly<Record<string, string>>;

/** A filter: the parameters that belong together, values for them, and whether a listing meets them. `now`: milliseconds. */
export interface Filter {
  readonly parameters: readonly string[];
  readonly saleOnly?: boolean;
  readonly rentalOnly?: boolean;
  /** It says in other words what another filter says, so that the two cannot go together. */
  readonly alone?: boolean;
  readonly values: fc.Arbitrary<Query>;
  meets(row: Row, query: Query, now: number): boolean;
}

export const rounded = (value: number): number => Math.round(value * 100) / 100;

export const isMetric = (query: Query): boolean => query.units === 'metric';

/** Pairs in order, one end alone, or both the same. */
const ends = (name: string, values: readonly number[]): fc.Arbitrary<Query> =>
  fc
    .tuple(fc.constantFrom(...values), fc.constantFrom(...values), fc.constantFrom('both', 'min', 'max'))
    .map(([a, b, which]) => ({
      ...(which !== 'max' && { [`min${name}`]: String(Math.min(a, b)) }),
      ...(which !== 'min' && { [`max${name}`]: String(Math.max(a, b)) }),
    }));

export function range(
  name: string,
  values: readonly number[],
  read: (facts: Facts, query: Query) => number | null,
  saleOnly = false,
): Filter {
  return {
    saleOnly,
    parameters: [`min${name}`, `max${name}`],
    values: ends(name, values),
    meets({ facts }, query) {
      const [value, least, most] = [read(facts, query), query[`min${name}`], query[`max${name}`]];
      if (value === null) return false;
      return (least === undefined || value >= Number(least)) && (most === undefined || value <= Number(most));
    },
  };
}

export const listOf = (...values: string[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }).map((list) => list.join());

/** Letters and digits of a name, without accents: what people mean by it. */
const plain = (between: string) => (text: unknown) =>
  String(text)
    .normalize('NFD')
    .replace(/[\u0300-\u036f.]/g, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join(between);

/** Names of places: accents and punctuation make no difference. */
export function places(name: keyof Facts & string, ...values: string[]): Filter {
  const folded = plain(' ');
  return {
    ...words(name, ...values),
    meets: ({ facts }, query) =>
      facts[name] !== null &&
      (query[name] ?? '').split(',').some((text) => folded(text) === folded(facts[name])),
  };
}

/** Postal codes: with blanks and hyphens or without, and ZIP codes with and without a delivery route. */
export function postalCodes(...values: string[]): Filter {
  const folded = plain('');
  return {
    ...words('postalCode', ...values),
    meets({ facts: { postalCode } }, query) {
      if (postalCode === null) return false;
      const code = folded(postalCode);
      return (query.postalCode ?? '').split(',').some((text) => {
        const wanted = folded(text);
        return wanted === code || (/^\d{5}$/.test(wanted) && /^\d{9}$/.test(code) && code.startsWith(wanted));
      });
    },
  };
}

export function words(name: keyof Facts & string, ...values: string[]): Filter {
  const folded = (text: unknown) => String(text).trim().toUpperCase();
  return {
    parameters: [name],
    values: listOf(...values).map((list) => ({ [name]: list })),
    meets: ({ facts }, query) =>
      facts[name] !== null &&
      (query[name] ?? '').split(',').some((text) => folded(text) === folded(facts[name])),
  };
}

/** Milliseconds; durations in days are the only ones written here. */
export function moment(text: string, now: number): number {
  const days = /^P(\d+)D$/.exec(text)?.[1];
  return days === undefined ? Date.parse(text) : now - Number(days) * DAY;
}

export function since(name: string, saleOnly: boolean, read: (row: Row) => number | null): Filter {
  const [from, to] = [`${name}Since`, `${name}Before`];
  const early = fc.constantFrom('P400D', 'P31D', 'P30D', '2025-12-05T12:00:00Z', 'P7D', '2025-12-29');
  const late = fc.constantFrom('P1D', '2026-01-04T13:00:00+01:00', 'P0D', '2026-01-05', '2030-01-01', 'P2D');
  return {
    parameters: [from, to],
    saleOnly,
    values: fc.oneof(
      early.map((text) => ({ [from]: text })),
      fc.oneof(early, late).map((text) => ({ [to]: text })),
      fc.tuple(early, late).map(([a, b]) => ({ [from]: a, [to]: b })),
    ),
    meets(row, query, now) {
      const [value, least, below] = [read(row), query[from], query[to]];
      if (value === null) return false;
      return (
        (least === undefined || value >= moment(least, now)) &&
        (below === undefined || value < moment(below, now))
      );
    },
  };
}

/** One bound: `meets` where the value is known and on its side. */
export function bound(
  name: string,
  values: readonly number[],
  read: (row: Row, now: number) => number | null,
  only: Pick<Filter, 'saleOnly' | 'rentalOnly'> = {},
): Filter {
  return {
    ...only,
    parameters: [name],
    values: fc.constantFrom(...values).map((value) => ({ [name]: String(value) })),
    meets(row, query, now) {
      const value = read(row, now);
      if (value === null) return false;
      return name.startsWith('min') ? value >= Number(query[name]) : value <= Number(query[name]);
    },
  };
}

/** true or false; where it is unknown neither holds. */
export function flag(name: string, read: (facts: Facts) => boolean | null, rentalOnly = false): Filter {
  return {
    rentalOnly,
    parameters: [name],
    values: fc.constantFrom('true', 'false').map((value) => ({ [name]: value })),
    meets: ({ facts }, query) => String(read(facts)) === query[name],
  };
}

/** Any of some words is among those of the listing. */
export function anyIn(
  name: string,
  values: readonly string[],
  read: (facts: Facts) => readonly string[],
  only: Pick<Filter, 'saleOnly' | 'rentalOnly'> = {},
): Filter {
  return {
    ...only,
    parameters: [name],
    values: listOf(...values).map((list) => ({ [name]: list })),
    meets: ({ facts }, query) =>
      (query[name] ?? '')
        .split(',')
        .some((word) => read(facts).some((own) => own.toLowerCase() === word.trim().toLowerCase())),
  };
}

/** A filter in one text, in the words of the filter that it replaces. */
export function shorthand(
  name: string,
  texts: readonly string[],
  filter: Filter,
  plain: (text: string, query: Query) => Query,
): Filter {
  return {
    alone: true,
    parameters: [name],
    values: fc.constantFrom(...texts).map((text) => ({ [name]: text })),
    meets: (row, query, now) => filter.meets(row, { ...query, ...plain(query[name] ?? '', query) }, now),
  };
}

/** `2:4`, `2:`, `*:4` and `2`, as minimum and maximum. */
export const asRange =
  (suffix: string) =>
  (text: string): Query => {
    const [from = '', to = from] = text.split(':');
    return {
      ...(from !== '' && from !== '*' && { [`min${suffix}`]: from }),
      ...(to !== '' && to !== '*' && { [`max${suffix}`]: to }),
    };
  };
