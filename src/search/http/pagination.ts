// Pages of a search: hits, the cursors around them, and the total.

import { writeCursor } from '../../http/input/cursor.ts';
import type { ResolvedSearch, SearchPlan } from '../query/plan.ts';
import { areIdsDescending } from '../query/sort.ts';
import type { SearchHit, SearchReads } from '../summaries/search-reads.ts';
import { exactTotal, type FindTotal, type Total } from '../summaries/total.ts';

export interface Page {
  readonly limit: number;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
}

export interface SearchPage {
  readonly hits: readonly SearchHit[];
  readonly page: Page;
  readonly total: Total | null;
}

/** A search with the reads that answer it. */
export interface PageRequest extends ResolvedSearch {
  readonly reads: SearchReads;
  readonly findTotal: FindTotal;
}

/** One page with its total, which is counted while the page is read. */
export async function readPage(search: PageRequest): Promise<SearchPage> {
  const { plan, reads, findTotal } = search;
  const reading = reads.page(search);
  const counting = plan.count === 'estimate' ? findTotal(search, reading) : null;
  const [{ hits, more }, estimate] = await Promise.all([reading, counting]);
  const page = { limit: plan.limit, ...cursorsOf(plan, hits, more) };
  if (plan.count === 'none') return { hits, page, total: null };
  const isWhole = plan.cursor === null && !more;
  const total = isWhole ? exactTotal(hits.length) : (estimate ?? (await findTotal(search)));
  return { hits, page, total: total && atLeast(total, hits.length + (more ? 1 : 0)) };
}

/** The page may prove that there are more than were counted or estimated. */
const atLeast = ({ value, relation }: Total, known: number): Total => ({
  ...{ value: Math.max(value, known), relation },
});

/** The cursor that continues after a row. */
export function cursorAfter({ digest: query, startedAt, currency }: SearchPlan, row: SearchHit): string {
  const { values, listing } = row;
  return writeCursor({ query, direction: 'next', startedAt, values, id: listing.id, currency });
}

/** These sort before and after every id. */
const [BEFORE_IDS, AFTER_IDS] = ['', '~'];

/**
 * Cursors before the first and after the last row. A page reached by a cursor always has a page on the side that it came
 * from; if its own rows are gone meanwhile, the cursors continue from the cursor that led here.
 */
function cursorsOf(plan: SearchPlan, hits: readonly SearchHit[], more: boolean) {
  const { cursor: current, digest: query, startedAt, currency } = plan;
  const backwards = current?.direction === 'previous';
  const hasMore = backwards || more;
  const hasBefore = backwards ? more : current !== null;
  const cursor = (row: SearchHit | undefined, direction: 'next' | 'previous'): string | null => {
    const isFirst = (direction === 'next') !== areIdsDescending(plan.order);
    const id = row?.listing.id ?? (isFirst ? BEFORE_IDS : AFTER_IDS);
    const values = row?.values ?? current?.values;
    return values ? writeCursor({ query, direction, startedAt, values, id, currency }) : null;
  };
  return {
    hasMore,
    nextCursor: hasMore ? cursor(hits.at(-1), 'next') : null,
    prevCursor: hasBefore ? cursor(hits[0], 'previous') : null,
  };
}
