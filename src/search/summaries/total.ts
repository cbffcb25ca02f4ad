// Totals of searches: counted as far as that is quick, estimated beyond.

import { type Clock, pause } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import type { SearchReads } from './search-reads.ts';

/** Every search counts up to this many listings. */
export const MAX_COUNTED = 10_000;
/** Milliseconds that a count may take; it runs beside the page, and may take as long as that. */
const TIMEOUT = 30;

export interface Total {
  readonly value: number;
  /** `estimate`: the planner's, but not below what was counted. */
  readonly relation: 'exact' | 'estimate';
}

type Counts = Pick<SearchReads, 'countExactly' | 'countUpTo' | 'countRoughly'>;

/** The total that the plan's `count` asks for; null for `none`. A count goes on at least until `page` is read. */
export type FindTotal = (search: ResolvedSearch, page?: Promise<unknown>) => Promise<Total | null>;

export const exactTotal = (value: number): Total => ({ value, relation: 'exact' });

export function createTotals(reads: Counts, clock: Clock): FindTotal {
  /** Null: not in time. */
  async function quickCount(search: ResolvedSearch, page: Promise<unknown> | undefined) {
    const over = new AbortController();
    const late = Promise.allSettled([pause(clock, TIMEOUT, over.signal), page]).then(() => null);
    try {
      const counting = reads.countUpTo({ ...search, signal: over.signal }, MAX_COUNTED);
      return (await Promise.race([counting, late]))?.count ?? null;
    } catch (error) {
      if (error instanceof Problem) return null;
      throw error;
    } finally {
      over.abort();
    }
  }

  return async (search, page) => {
    const { count } = search.plan;
    if (count === 'none') return null;
    if (count === 'exact') return exactTotal((await reads.countExactly(search)).count);
    const counted = await quickCount(search, page);
    if (counted !== null && counted <= MAX_COUNTED) return exactTotal(counted);
    const estimate = await reads.countRoughly(search);
    return { value: Math.max(estimate.count, counted ?? 0), relation: 'estimate' };
  };
}
