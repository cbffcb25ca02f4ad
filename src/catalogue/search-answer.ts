// Owns a search from plan to answer: areas looked up, the page read, its cursors written, the total found.

import { LRUCache } from 'lru-cache';
import type { Database } from '../postgres/database.ts';
import { writeCursor } from './cursor.ts';
import { selectFields } from './fields.ts';
import { presentListing, type View } from './present.ts';
import type { SearchPlan } from './search.ts';
import { lookUp } from './search-lookup.ts';
import { countExactly, countRoughly, type FoundListing, findPage } from './search-store.ts';
import type { Meanings } from './text-sql.ts';

export interface SearchPage {
  readonly data: readonly Record<string, unknown>[];
  readonly page: {
    readonly limit: number;
    readonly hasMore: boolean;
    readonly nextCursor: string | null;
    readonly prevCursor: string | null;
  };
  readonly total: { readonly value: number; readonly relation: 'exact' | 'estimate' } | null;
  readonly areas: readonly { readonly id: string; readonly name: string }[];
}

/** Milliseconds that a rough count is good for: it guides people, and costs a round trip. */
const ESTIMATE_LIFETIME = 60_000;

export function createSearch(database: Database): (plan: SearchPlan, view: View) => Promise<SearchPage> {
  const estimates = new LRUCache<string, number>({
    max: 5_000,
    ttl: ESTIMATE_LIFETIME,
    perf: { now: () => database.clock.monotonic() },
  });

  async function totalOf(
    plan: SearchPlan,
    meanings: Meanings,
    whole: number | null,
  ): Promise<SearchPage['total']> {
    if (plan.count === 'none') return null;
    if (whole !== null) return { value: whole, relation: 'exact' };
    if (plan.count === 'exact')
      return { value: await countExactly(database, plan, meanings), relation: 'exact' };
    const key = `${plan.digest} ${plan.ignoreDisplayRules}`;
    const known = estimates.get(key);
    const value = known ?? (await countRoughly(database, plan, meanings));
    if (known === undefined) estimates.set(key, value);
    return { value, relation: 'estimate' };
  }

  return async (plan, view) => {
    const { areas, meanings } = await lookUp(database, plan);
    const { found, more } = await findPage(database, plan, meanings);
    const page = { limit: plan.limit, ...cursorsOf(plan, found, more) };
    const whole = plan.cursor === null && !more ? found.length : null;
    const total = await totalOf(plan, meanings, whole);
    const data = found.flatMap(({ stored }) => {
      const listing = presentListing(stored, view);
      return listing ? [selectFields(listing, plan.fields)] : [];
    });
    // A guess below what is on the page would be absurd.
    const value = Math.max(total?.value ?? 0, data.length);
    return {
      data,
      page,
      total: total && { ...total, value },
      areas: areas.map(({ id, name }) => ({ id, name })),
    };
  };
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
    const id = row?.stored.id ?? (direction === 'next' ? BEFORE_IDS : AFTER_IDS);
    const values = row?.values ?? came?.values;
    return values ? writeCursor({ query, direction, startedAt, values, id }) : null;
  };
  return {
    hasMore,
    nextCursor: hasMore ? cursor(found.at(-1), 'next') : null,
    prevCursor: hasBefore ? cursor(found[0], 'previous') : null,
  };
}
