// Facets: how many results have each value, counted over the columns.

import { lowerBound } from '../../../lib/lower-bound.ts';
import type { Facet } from '../../query/parameters.ts';
import { PRICE_BUCKET_EDGES } from '../../query/price-buckets.ts';
import type { FacetCount } from '../../query/search-backend.ts';
import type { CodeColumn } from '../columns/columns.ts';
import type { Dictionaries, Dictionary } from '../columns/dictionary.ts';
import type { CodeArray, Columns, Lists, NumberArray } from '../columns/segment.ts';
import type { RowConsumer } from './scan.ts';

/** Counts of one facet over both parts of a table. */
export interface FacetCounter {
  /** What counts the rows of one part. */
  consume(columns: Columns): RowConsumer;
  /** The values with a count, in no order, one by one: there may be many. Areas are their numbers, buckets of prices theirs from 1. */
  counts(): IteratorObject<FacetCount>;
}

export function facetCounter(
  facet: Facet,
  dictionaries: Dictionaries,
  priceStep: number | null = null,
): FacetCounter {
  switch (facet) {
    case 'propertyType':
    case 'status':
    case 'city':
      return codeCounter(facet, dictionaries[facet]);
    case 'features':
      return listCounter(
        (columns) => columns.lists.features,
        (code) => dictionaries.features.word(code),
      );
    case 'areaId':
      return listCounter(
        (columns) => columns.areaNos,
        (no) => no,
      );
    case 'bedrooms':
    case 'bathrooms':
      return numberCounter(facet, 1);
    case 'yearBuiltDecade':
      return numberCounter('yearBuilt', 10);
    case 'priceBucket':
      return priceStep === null ? bucketCounter(PRICE_BUCKET_EDGES) : stepCounter(priceStep);
  }
}

const NO_ROWS: RowConsumer = () => {};

/** Of the words of a column. */
export function codeCounter(column: CodeColumn, dictionary: Dictionary): FacetCounter {
  const counts = new Uint32Array(dictionary.size);
  const consume = (codes: CodeArray): RowConsumer => {
    return (rows, count) => {
      for (let at = 0; at < count; at++) {
        const code = codes[rows[at] as number] as number;
        counts[code] = (counts[code] as number) + 1;
      }
    };
  };
  return {
    consume({ codes }) {
      const own = codes[column];
      return own === undefined ? NO_ROWS : consume(own);
    },
    // Code 0 stands for what is unknown.
    counts: () =>
      positive(counts)
        .filter(([code]) => code !== 0)
        .map(([code, count]) => ({ value: dictionary.word(code), count })),
  };
}

/** Indexes and values of those that are above 0. */
function* positive(counts: Uint32Array): Generator<[number, number]> {
  for (let index = 0; index < counts.length; index++) {
    const count = counts[index] as number;
    if (count > 0) yield [index, count];
  }
}

/** Those of an array, then those of a map. */
function* allOf(counts: Uint32Array, others: ReadonlyMap<number, number>): Generator<[number, number]> {
  yield* positive(counts);
  yield* others;
}

/** Numbers of areas have gaps, and grow without bound where a release burnt them: from here on they are counted in a map. */
const MAX_LISTED_IN_ARRAY = 2 ** 20;

function listCounter(
  listsOf: (columns: Columns) => Lists,
  nameOf: (number: number) => string | number,
): FacetCounter {
  let counts = new Uint32Array(1_024);
  const others = new Map<number, number>();
  const grow = (size: number): void => {
    const larger = new Uint32Array(Math.min(2 * size, MAX_LISTED_IN_ARRAY));
    larger.set(counts);
    counts = larger;
  };
  const countBeyond = (value: number): void => {
    if (value >= MAX_LISTED_IN_ARRAY) others.set(value, (others.get(value) ?? 0) + 1);
    else {
      grow(value);
      counts[value] = 1;
    }
  };
  return {
    consume(columns) {
      const { offsets, values } = listsOf(columns);
      return (rows, count) => {
        for (let at = 0; at < count; at++) {
          const row = rows[at] as number;
          const last = offsets[row + 1] as number;
          for (let each = offsets[row] as number; each < last; each++) {
            const value = values[each] as number;
            if (value >= counts.length) countBeyond(value);
            else counts[value] = (counts[value] as number) + 1;
          }
        }
      };
    },
    counts: () => allOf(counts, others).map(([number, count]) => ({ value: nameOf(number), count })),
  };
}

/** Whole numbers from 0 up to it are counted in an array, which is much faster than a map. */
const MAX_COUNTED_IN_ARRAY = 4_096;

/** Numbers as they are, or whole decades of years. */
function numberCounter(column: 'bedrooms' | 'bathrooms' | 'yearBuilt', step: 1 | 10): FacetCounter {
  const counts = new Uint32Array(MAX_COUNTED_IN_ARRAY);
  const others = new Map<number, number>();
  const consume = (values: NumberArray): RowConsumer => {
    return (rows, count) => {
      for (let at = 0; at < count; at++) {
        const value = values[rows[at] as number] as number;
        const group = step === 1 ? value : Math.floor(value / 10) * 10;
        const whole = group >>> 0;
        if (whole === group && whole < MAX_COUNTED_IN_ARRAY) counts[whole] = (counts[whole] as number) + 1;
        else if (!Number.isNaN(group)) others.set(group, (others.get(group) ?? 0) + 1);
      }
    };
  };
  return {
    consume({ numbers }) {
      const values = numbers[column];
      return values === undefined ? NO_ROWS : consume(values);
    },
    counts: () => allOf(counts, others).map(([value, count]) => ({ value, count })),
  };
}

/** An octave of prices is cut into so many slots, in each of which lies one edge at most, but for the very small. */
const SLOTS = 32;
const SLOT_BITS = 5;
/** Larger prices share the last slot. */
const LAST_WHOLE = 2 ** 31;

/** The slot of a whole number below 2^32. */
function slotOf(whole: number): number {
  const octave = 31 - Math.clz32(whole);
  return octave < SLOT_BITS
    ? whole
    : (octave - SLOT_BITS + 1) * SLOTS + ((whole >>> (octave - SLOT_BITS)) & (SLOTS - 1));
}

/** The least whole number of a slot. */
function startOf(slot: number): number {
  const octave = Math.floor(slot / SLOTS) - 1 + SLOT_BITS;
  return slot < SLOTS ? slot : (SLOTS + (slot % SLOTS)) * 2 ** (octave - SLOT_BITS);
}

/** Buckets of prices by their numbers from 1. Prices below all buckets count nowhere. */
function bucketCounter(edges: readonly number[]): FacetCounter {
  // Ends with what no price reaches, so that the search for a bucket needs no other end.
  const lowest = Float64Array.from([...edges, Number.POSITIVE_INFINITY]);
  const firsts = Uint16Array.from({ length: slotOf(LAST_WHOLE) + 1 }, (_, slot) =>
    slot === 0 ? 0 : lowerBound(edges.length, (at) => (edges[at] as number) <= startOf(slot)),
  );
  const counts = new Uint32Array(edges.length + 1);
  const consume = (prices: NumberArray): RowConsumer => {
    return (rows, count) => {
      for (let at = 0; at < count; at++) {
        const price = prices[rows[at] as number] as number;
        // What is unknown or negative is below every edge.
        let bucket = firsts[price >= 1 ? slotOf(Math.min(price, LAST_WHOLE) >>> 0) : 0] as number;
        // Half of the prices pass an edge, which no processor foretells: a sum needs no branch.
        bucket += Number((lowest[bucket] as number) <= price);
        while ((lowest[bucket] as number) <= price) bucket++;
        counts[bucket] = (counts[bucket] as number) + 1;
      }
    };
  };
  return {
    consume: ({ numbers: { price } }) => (price === undefined ? NO_ROWS : consume(price)),
    counts: () =>
      positive(counts)
        .filter(([value]) => value !== 0)
        .map(([value, count]) => ({ value, count })),
  };
}

/** Buckets of prices of one width, by their numbers from 1. */
function stepCounter(step: number): FacetCounter {
  const counts = new Uint32Array(MAX_COUNTED_IN_ARRAY);
  const others = new Map<number, number>();
  const consume = (prices: NumberArray): RowConsumer => {
    return (rows, count) => {
      for (let at = 0; at < count; at++) {
        const price = prices[rows[at] as number] as number;
        const bucket = Math.floor(price / step) + 1;
        if (bucket < MAX_COUNTED_IN_ARRAY && price >= 0) counts[bucket] = (counts[bucket] as number) + 1;
        else if (price >= 0) others.set(bucket, (others.get(bucket) ?? 0) + 1);
      }
    };
  };
  return {
    consume: ({ numbers: { price } }) => (price === undefined ? NO_ROWS : consume(price)),
    counts: () => allOf(counts, others).map(([value, count]) => ({ value, count })),
  };
}
