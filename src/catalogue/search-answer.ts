// Owns a search from plan to page: the listings found, the cursors around them, and how many there are in all.

import { LRUCache } from 'lru-cache';
import type { Clock } from '../lib/clock.ts';
import { writeCursor } from './cursor.ts';
import type { Finder, FoundListing } from './finder.ts';
import { isCountedInShape } from './page-ways.ts';
import type { SearchPlan } from './search.ts';
import { idsFall } from './search-order.ts';
import type { Meanings } from './text-sql.ts';

export interface Page {
  readonly limit: number;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
}

export interface Total {
  readonly value: number;
  readonly relation: 'exact' | 'estimate';
}

export interface SearchPage {
  readonly found: readonly FoundListing[];
  readonly page: Page;
  readonly total: Total | null;
}

export interface Search {
  page(plan: SearchPlan, meanings: Meanings): Promise<SearchPage>;
  /** How many listings the plan finds, as it asks to be told; null where it does not. */
  total(plan: SearchPlan, meanings: Meanings): Promise<Total | null>;
}

/** Milliseconds that a rough count is good for: it guides people, and costs a round trip. */
const ESTIMATE_LIFETIME = 60_000;

export type Estimates = LRUCache<string, number>;

/** What was guessed lately. */
export const createEstimates = (clock: Clock): Estimates =>
  new LRUCache({
    ...{ max: 5_000, ttl: ESTIMATE_LIFETIME },
    // The cache takes a start of 0 for no start at all.
    perf: { now: () => clock.monotonic() + 1 },
  });

export function createSearch(finder: Finder, estimates: Estimates): Search {
  async function total(plan: SearchPlan, meanings: Meanings): Promise<Total | null> {
    if (plan.count === 'none') return null;
    if (plan.count === 'exact') return exact((await finder.countExactly(plan, meanings)).count);
    // Where they cannot be counted in time, a guess does.
    const counted = isCountedInShape(plan, meanings)
      ? await finder.countExactly(plan, meanings).catch(() => null)
      : null;
    if (counted !== null) return exact(counted.count);
    const key = `${plan.digest} ${plan.ignoreDisplayRules}`;
    const known = estimates.get(key);
    const value = known ?? (await finder.countRoughly(plan, meanings)).count;
    if (known === undefined) estimates.set(key, value);
    return { value, relation: 'estimate' };
  }

  return {
    total,
    async page(plan, meanings) {
      const { found, more, total: along } = await finder.page(plan, meanings);
      const whole = plan.cursor === null && !more ? found.length : along;
      const counted = whole === null || plan.count === 'none' ? await total(plan, meanings) : exact(whole);
      // A guess below what is known already would be absurd.
      const value = Math.max(counted?.value ?? 0, found.length + (more ? 1 : 0));
      const page = { limit: plan.limit, ...cursorsOf(plan, found, more) };
      return { found, page, total: counted && { ...counted, value } };
    },
  };
}

const exact = (value: number): Total => ({ value, relation: 'exact' });

/** The cursor that goes on behind a row. */
export function cursorAfter({ digest: query, startedAt }: SearchPlan, row: FoundListing): string {
  return writeCursor({ query, direction: 'next', startedAt, values: row.values, id: row.listing.id });
}

/** Before and after every id there is. */
const [BEFORE_IDS, AFTER_IDS] = ['', '~'];

/**
 * Cursors before the first and after the last row. A page that was walked to has a page where the walk came from; when
 * its own rows have gone meanwhile, that one begins with the row that led here.
 */
function cursorsOf(plan: SearchPlan, found: readonly FoundListing[], more: boolean) {
  const { cursor: came, digest: query, startedAt } = plan;
  const backwards = came?.direction === 'previous';
  const hasMore = backwards || more;
  const hasBefore = backwards ? more : came !== null;
  const cursor = (row: FoundListing | undefined, direction: 'next' | 'previous'): string | null => {
    const isFirst = (direction === 'next') !== idsFall(plan.order);
    const id = row?.listing.id ?? (isFirst ? BEFORE_IDS : AFTER_IDS);
    const values = row?.values ?? came?.values;
    return values ? writeCursor({ query, direction, startedAt, values, id }) : null;
  };
  return {
    hasMore,
    nextCursor: hasMore ? cursor(found.at(-1), 'next') : null,
    prevCursor: hasBefore ? cursor(found[0], 'previous') : null,
  };
}
