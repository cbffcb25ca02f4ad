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

export function facetCounter(facet: Facet, dictionaries: Dictionaries): FacetCounter {
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
      return bucketCounter(PRICE_BUCKET_EDGES);
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
const MOST_LISTED_IN_ARRAY = 2 ** 20;

function listCounter(
  listsOf: (columns: Columns) => Lists,
  nameOf: (number: number) => string | number,
): FacetCounter {
  let counts = new Uint32Array(1_024);
  const others = new Map<number, number>();
  const grow = (size: number): void => {
    const larger = new Uint32Array(Math.min(2 * size, MOST_LISTED_IN_ARRAY));
    larger.set(counts);
    counts = larger;
  };
  const countBeyond = (value: number): void => {
    if (value >= MOST_LISTED_IN_ARRAY) others.set(value, (others.get(value) ?? 0) + 1);
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
const MOST_COUNTED_IN_ARRAY = 4_096;

/** Numbers as they are, or whole decades of years. */
function numberCounter(column: 'bedrooms' | 'bathrooms' | 'yearBuilt', step: 1 | 10): FacetCounter {
  const counts = new Uint32Array(MOST_COUNTED_IN_ARRAY);
  const others = new Map<number, number>();
  const consume = (values: NumberArray): RowConsumer => {
    return (rows, count) => {
      for (let at = 0; at < count; at++) {
        const value = values[rows[at] as number] as number;
        const group = step === 1 ? value : Math.floor(value / 10) * 10;
        const whole = group >>> 0;
        if (whole === group && whole < MOST_COUNTED_IN_ARRAY) counts[whole] = (counts[whole] as number) + 1;
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

/** Numbers with as many bits are an octave, in which lies one edge at most, but for those below 1 and the very large. */
const OCTAVES = 32;
const LAST_OCTAVE = 2 ** (OCTAVES - 1);

/** Buckets of prices by their numbers from 1. Prices below all buckets count nowhere. */
function bucketCounter(edges: readonly number[]): FacetCounter {
  // Ends with what no price reaches, so that the search for a bucket needs no other end.
  const lowest = Float64Array.from([...edges, Number.POSITIVE_INFINITY]);
  const firsts = Uint8Array.from({ length: OCTAVES + 1 }, (_, octave) =>
    octave === 0 ? 0 : lowerBound(edges.length, (at) => (edges[at] as number) <= 2 ** (octave - 1)),
  );
  const counts = new Uint32Array(edges.length + 1);
  const consume = (prices: NumberArray): RowConsumer => {
    return (rows, count) => {
      for (let at = 0; at < count; at++) {
        const price = prices[rows[at] as number] as number;
        // What is unknown or negative is below every edge.
        const octave = price >= 1 ? OCTAVES - Math.clz32(Math.min(price, LAST_OCTAVE)) : 0;
        let bucket = firsts[octave] as number;
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
