// Pages of a search: hits, the cursors around them, and the total.

import { writeCursor } from '../../http/input/cursor.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ResolvedSearch, SearchPlan } from '../query/plan.ts';
import type { FindKnown, KnownListing, SearchBackend, SearchHit } from '../query/search-backend.ts';
import { areIdsDescending } from '../query/sort.ts';
import { exactTotal, type FoundTotal, findTotal, NO_TOTAL } from '../summaries/total.ts';

export interface Page {
  readonly limit: number;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
}

export interface SearchPage<Known extends KnownListing = never> {
  readonly hits: readonly SearchHit<Known>[];
  readonly page: Page;
  readonly counted: FoundTotal;
}

/** A search with what answers it. */
export interface PageRequest extends ResolvedSearch {
  readonly session: SearchBackend;
  readonly clock: Clock;
}

/** One page with its total, which is counted while the page is read; `known` may spare reading some records. */
export async function readPage<Known extends KnownListing = never>(
  search: PageRequest,
  known?: FindKnown<Known>,
): Promise<SearchPage<Known>> {
  const { plan, session, clock } = search;
  const asks = plan.count !== 'none';
  const count = () => findTotal(session, clock, search);
  const counting = asks && !session.countsAlong?.(search) ? count() : null;
  // The page may fail first, or need no count.
  counting?.catch(() => {});
  const { hits, more, total } = await session.page(search, known);
  const page = { limit: plan.limit, ...cursorsOf(plan, hits, more) };
  if (!asks) return { hits, page, counted: NO_TOTAL };
  if (plan.cursor === null && !more) return { hits, page, counted: exactTotal(hits.length) };
  // An engine that went out of use meanwhile leaves a page without the total that it was to bring.
  const counted = total === null ? await (counting ?? count()) : exactTotal(total);
  return { hits, page, counted: atLeast(counted, hits.length + (more ? 1 : 0)) };
}

/** A page that was read a moment later may prove that there are more by now. */
const atLeast = (counted: FoundTotal, known: number): FoundTotal =>
  counted.total ? exactTotal(Math.max(counted.total.value, known)) : counted;

/** The cursor that continues after a row. */
export function cursorAfter(
  { digest: query, startedAt, currency }: SearchPlan,
  hit: SearchHit<KnownListing>,
): string {
  const { id } = hit.listing;
  return writeCursor({ query, direction: 'next', startedAt, values: hit.values(), id, currency });
}

/** These sort before and after every id. */
const [BEFORE_IDS, AFTER_IDS] = ['', '~'];

/**
 * Cursors before the first and after the last row. A page reached by a cursor always has a page on the side that it came
 * from; if its own rows are gone meanwhile, the cursors continue from the cursor that led here.
 */
function cursorsOf(plan: SearchPlan, hits: readonly SearchHit<KnownListing>[], more: boolean) {
  const { cursor: current, digest: query, startedAt, currency } = plan;
  const backwards = current?.direction === 'previous';
  const hasMore = backwards || more;
  const hasBefore = backwards ? more : current !== null;
  const cursor = (
    row: SearchHit<KnownListing> | undefined,
    direction: 'next' | 'previous',
  ): string | null => {
    const isFirst = (direction === 'next') !== areIdsDescending(plan.order);
    const id = row?.listing.id ?? (isFirst ? BEFORE_IDS : AFTER_IDS);
    const values = row?.values() ?? current?.values;
    return values ? writeCursor({ query, direction, startedAt, values, id, currency }) : null;
  };
  return {
    hasMore,
    nextCursor: hasMore ? cursor(hits.at(-1), 'next') : null,
    prevCursor: hasBefore ? cursor(hits[0], 'previous') : null,
  };
}
