// Plain loops over typed arrays as a peer: each question looks at every row, and is a page of code with all others.

import { bitsOf } from '../../../src/geometry/geohash.ts';
import { median } from '../../statistics.ts';
import type { Peer, PeerAnswer, PeerQuestion, PeerRow } from './peer.ts';
import { ACTIVE_CODE, LETTERS, PAGE } from './peer-sql.ts';

const NUMBERS = ['lng', 'lat', 'price', 'bedrooms', 'type', 'city', 'listed', 'bucket'] as const;
type Columns = Readonly<Record<(typeof NUMBERS)[number], Float64Array>>;
/** Facets by the column of each. */
const FACETS = ['type', 'bedrooms', 'city', 'bucket'] as const;

type Order = (one: number, other: number) => number;

export function loopsPeer(rows: readonly PeerRow[]): Peer {
  const columns = Object.fromEntries(
    NUMBERS.map((name) => [name, Float64Array.from(rows, (row) => row[name])]),
  ) as unknown as Columns;
  const ids = rows.map(({ id }) => id);
  const shown = Uint8Array.from(rows, ({ kind, status, displayed }) =>
    Number(kind === 0 && status === ACTIVE_CODE && displayed === 1),
  );
  const { lng, lat, price, bedrooms, type, listed } = columns;
  const byId: Order = (one, other) => ((ids[one] ?? '') < (ids[other] ?? '') ? -1 : 1);
  const newest: Order = (one, other) => at(listed, other) - at(listed, one) || byId(other, one);
  const cheapest: Order = (one, other) => at(price, one) - at(price, other) || byId(one, other);

  function* matching(passes: (row: number) => boolean): Generator<number> {
    for (let row = 0; row < shown.length; row++) if (shown[row] === 1 && passes(row)) yield row;
  }

  function page(passes: (row: number) => boolean, order: Order): PeerAnswer {
    const first: number[] = [];
    let total = 0;
    for (const row of matching(passes)) {
      total++;
      const last = first[PAGE - 1];
      if (last !== undefined && order(last, row) < 0) continue;
      const place = first.findIndex((each) => order(row, each) < 0);
      first.splice(place < 0 ? first.length : place, 0, row);
      first.length = Math.min(first.length, PAGE);
    }
    return [...first.map((row) => ids[row] ?? ''), total];
  }

  function facets(): PeerAnswer {
    const counts = FACETS.map(() => new Map<number, number>());
    for (const row of matching(() => true))
      for (const [facet, name] of FACETS.entries()) {
        const [count, value] = [counts[facet], at(columns[name], row)];
        count?.set(value, (count.get(value) ?? 0) + 1);
      }
    return counts.flatMap((count, facet) => [...count].map(([value, n]) => `${facet} ${value} ${n}`)).sort();
  }

  function cells(passes: (row: number) => boolean): PeerAnswer {
    const bits = bitsOf(LETTERS);
    const prices = new Map<string, number[]>();
    for (const row of matching(passes)) {
      const x = Math.floor(((at(lng, row) + 180) / 360) * 2 ** bits.lng);
      const y = Math.floor(((at(lat, row) + 90) / 180) * 2 ** bits.lat);
      const known = prices.get(`${x} ${y}`);
      if (known === undefined) prices.set(`${x} ${y}`, [at(price, row)]);
      else known.push(at(price, row));
    }
    return [...prices].map(([cell, all]) => `${cell} ${all.length} ${median(all)}`).sort();
  }

  function answer(question: PeerQuestion): PeerAnswer {
    const { kind } = question;
    if (kind === 'facets') return facets();
    if (kind === 'count') {
      const [most, least, wanted] = question.parameters;
      const passes = (row: number) =>
        at(price, row) <= most && at(bedrooms, row) >= least && at(type, row) === wanted;
      return page(passes, newest).slice(-1);
    }
    if (kind === 'cheapest') return page((row) => at(bedrooms, row) >= question.parameters[0], cheapest);
    if (kind === 'rare') {
      const [least, most] = question.parameters;
      return page((row) => at(price, row) >= least && at(price, row) <= most, newest);
    }
    const [west, south, east, north] = question.parameters;
    const inBox = (row: number) =>
      at(lng, row) >= west && at(lng, row) <= east && at(lat, row) >= south && at(lat, row) <= north;
    return kind === 'box' ? page(inBox, newest) : cells(inBox);
  }

  return {
    name: 'plain loops',
    async ask(question) {
      const found = answer(question);
      return () => found;
    },
    close: async () => {},
  };
}

const at = (column: Float64Array, row: number): number => column[row] as number;
