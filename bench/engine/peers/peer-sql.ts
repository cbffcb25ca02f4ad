// Questions to peers as SQL: the same statements but for what each calls a box, a median and a cell.

import { bitsOf } from '../../../src/geometry/geohash.ts';
import type { Peer, PeerAnswer, PeerQuestion } from './peer.ts';

export const ACTIVE_CODE = 1;
export const SHOWN = `kind = 0 and status = ${ACTIVE_CODE} and displayed = 1`;
/** Letters of the cells. */
export const LETTERS = 5;

export interface Dialect {
  /** Where active sales that are displayed lie in the box of the parameters 1 to 4. */
  readonly inBox: string;
  readonly lng: string;
  readonly lat: string;
  readonly medianPrice: string;
  /** Counts of each value of four columns, as column, value and count. */
  readonly facets: string;
}

type Value = string | number | bigint | null;

type Result = readonly (readonly Value[])[];

/** Runs a statement, which is prepared when it is first seen. */
export type Run = (statement: string, parameters: readonly number[]) => Promise<Result>;

const FACETS = ['type', 'bedrooms', 'city', 'bucket'] as const;

/** For those that know no grouping sets. */
export const FACETS_ONE_BY_ONE = FACETS.map(
  (column, at) => `select ${at}, ${column}, count(*) from home where ${SHOWN} group by ${column}`,
).join(' union all ');

/** In one pass. */
export const FACETS_TOGETHER = `
  select case ${FACETS.map((column, at) => `when grouping(${column}) = 0 then ${at}`).join(' ')} end,
    coalesce(${FACETS.join(', ')}), count(*)
  from home where ${SHOWN} group by grouping sets (${FACETS.map((column) => `(${column})`).join(', ')})`;

/** Pages are of twenty listings, and one more tells whether there are others. */
export const PAGE = 21;

function statements({
  inBox,
  lng,
  lat,
  medianPrice,
  facets,
}: Dialect): Record<PeerQuestion['kind'], string[]> {
  const bits = bitsOf(LETTERS);
  const column = `floor((${lng} + 180) / 360 * ${2 ** bits.lng})`;
  const row = `floor((${lat} + 90) / 180 * ${2 ** bits.lat})`;
  const newest = (from: string) =>
    `select id, count(*) over () from ${from} order by listed desc, id desc limit ${PAGE}`;
  return {
    box: [newest(inBox)],
    count: [`select count(*) from home where ${SHOWN} and price <= $1 and bedrooms >= $2 and type = $3`],
    facets: [facets],
    // The page ends early along an index, which a total of the same statement would prevent.
    cheapest: [
      `select id from home where ${SHOWN} and bedrooms >= $1 order by price, id limit ${PAGE}`,
      `select count(*) from home where ${SHOWN} and bedrooms >= $1`,
    ],
    rare: [newest(`home where ${SHOWN} and price >= $1 and price <= $2`)],
    cells: [
      `select ${column}, ${row}, count(*), avg(${lat}), avg(${lng}), ${medianPrice} from ${inBox} group by 1, 2`,
    ],
  };
}

/** Asks a peer that runs SQL. */
export function asker(dialect: Dialect, run: Run): Peer['ask'] {
  const texts = statements(dialect);
  return async ({ kind, parameters }) => {
    const results: Result[] = [];
    for (const text of texts[kind]) results.push(await run(text, parameters));
    return () => told(kind, results);
  };
}

function told(kind: PeerQuestion['kind'], [first = [], second = []]: readonly Result[]): PeerAnswer {
  switch (kind) {
    case 'count':
      return [Number(first[0]?.[0])];
    case 'cheapest':
      return [...first.map(([id]) => String(id)), Number(second[0]?.[0])];
    case 'box':
    case 'rare':
      return [...first.map(([id]) => String(id)), Number(first[0]?.[1] ?? 0)];
    case 'facets':
      return first.map(([facet, value, count]) => `${facet} ${value} ${count}`).sort();
    case 'cells':
      return first.map(([x, y, count, , , price]) => `${x} ${y} ${count} ${Number(price)}`).sort();
  }
}
