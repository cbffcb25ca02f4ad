// Totals of searches: counted as far as that is quick, estimated beyond.

import { type Clock, pause } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { ResolvedQuery, SearchPlan } from '../query/plan.ts';
import type { SearchReads } from './search-reads.ts';

/** Up to so many listings are counted for every search; the count stops behind them. */
export const MAX_COUNTED = 10_000;
/** Milliseconds that the count of a search may take: it runs beside the page, and is not waited for longer. */
const TIMEOUT = 30;

export interface Total {
  readonly value: number;
  /** `estimate`: not below what was counted, but a guess of the planner above it. */
  readonly relation: 'exact' | 'estimate';
}

type Counts = Pick<SearchReads, 'countExactly' | 'countUpTo' | 'countRoughly'>;

/**
 * How many listings the plan finds, as it asks to be told; null where it does not. With the page that is being read
 * beside it, a count goes on at least until that is there.
 */
export type FindTotal = (
  plan: SearchPlan,
  resolved: ResolvedQuery,
  page?: Promise<unknown>,
) => Promise<Total | null>;

export const exactTotal = (value: number): Total => ({ value, relation: 'exact' });

export function createTotals(finder: Counts, clock: Clock): FindTotal {
  /** Null: not in time. */
  async function quickCount(plan: SearchPlan, resolved: ResolvedQuery, page: Promise<unknown> | undefined) {
    const over = new AbortController();
    const late = Promise.allSettled([pause(clock, TIMEOUT, over.signal), page]).then(() => null);
    const bounds = { most: MAX_COUNTED, signal: over.signal };
    try {
      const counted = await Promise.race([finder.countUpTo(plan, resolved, bounds), late]);
      return counted?.count ?? null;
    } catch (error) {
      if (error instanceof Problem) return null;
      throw error;
    } finally {
      over.abort();
    }
  }

  return async (plan, resolved, page) => {
    if (plan.count === 'none') return null;
    if (plan.count === 'exact') return exactTotal((await finder.countExactly(plan, resolved)).count);
    const counted = await quickCount(plan, resolved, page);
    if (counted !== null && counted <= MAX_COUNTED) return exactTotal(counted);
    const guess = await finder.countRoughly(plan, resolved);
    return { value: Math.max(guess.count, counted ?? 0), relation: 'estimate' };
  };
}
