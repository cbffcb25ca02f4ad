// Totals of searches: counted as far as that is quick, estimated beyond.

import { type Clock, pause } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { ResolvedQuery } from '../query/resolved-query.ts';
import type { SearchPlan } from '../query/search.ts';
import type { Finder } from './finder.ts';

/** Up to so many listings are counted for every search; the count stops behind them. */
export const MOST_COUNTED = 10_000;
/** Milliseconds that the count of a search may take: it runs beside the page, and is not waited for longer. */
const PATIENCE = 30;

export interface Total {
  readonly value: number;
  /** `estimate`: not below what was counted, but a guess of the planner above it. */
  readonly relation: 'exact' | 'estimate';
}

type Counts = Pick<Finder, 'countExactly' | 'countUpTo' | 'countRoughly'>;

/**
 * How many listings the plan finds, as it asks to be told; null where it does not. With the page that is being read
 * beside it, a count goes on at least until that is there.
 */
export type FindTotal = (
  plan: SearchPlan,
  meanings: ResolvedQuery,
  page?: Promise<unknown>,
) => Promise<Total | null>;

export const exactly = (value: number): Total => ({ value, relation: 'exact' });

export function createTotals(finder: Counts, clock: Clock): FindTotal {
  /** Null: not in time. */
  async function quickCount(plan: SearchPlan, meanings: ResolvedQuery, page: Promise<unknown> | undefined) {
    const over = new AbortController();
    const late = Promise.allSettled([pause(clock, PATIENCE, over.signal), page]).then(() => null);
    const bounds = { most: MOST_COUNTED, signal: over.signal };
    try {
      const counted = await Promise.race([finder.countUpTo(plan, meanings, bounds), late]);
      return counted?.count ?? null;
    } catch (error) {
      if (error instanceof Problem) return null;
      throw error;
    } finally {
      over.abort();
    }
  }

  return async (plan, meanings, page) => {
    if (plan.count === 'none') return null;
    if (plan.count === 'exact') return exactly((await finder.countExactly(plan, meanings)).count);
    const counted = await quickCount(plan, meanings, page);
    if (counted !== null && counted <= MOST_COUNTED) return exactly(counted);
    const guess = await finder.countRoughly(plan, meanings);
    return { value: Math.max(guess.count, counted ?? 0), relation: 'estimate' };
  };
}
