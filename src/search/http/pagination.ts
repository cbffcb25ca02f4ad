// Pages of a search: hits, the cursors around them, and the total.

import { writeCursor } from '../../http/input/cursor.ts';
import type { ResolvedQuery, SearchPlan } from '../query/plan.ts';
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

export interface Search {
  page(plan: SearchPlan, resolved: ResolvedQuery): Promise<SearchPage>;
  readonly total: FindTotal;
}

export function createSearch(finder: Pick<SearchReads, 'page'>, total: FindTotal): Search {
  return {
    total,
    async page(plan, resolved) {
      const reading = finder.page(plan, resolved);
      const counting = plan.count === 'estimate' ? total(plan, resolved, reading) : null;
      const [{ hits, more }, beside] = await Promise.all([reading, counting]);
      const page = { limit: plan.limit, ...cursorsOf(plan, hits, more) };
      if (plan.count === 'none') return { hits, page, total: null };
      const isWhole = plan.cursor === null && !more;
      const counted = isWhole ? exactTotal(hits.length) : (beside ?? (await total(plan, resolved)));
      return { hits, page, total: counted && atLeast(counted, hits.length + (more ? 1 : 0)) };
    },
  };
}

/** What came to be between the count and the page, or was not guessed, is known by the page. */
const atLeast = ({ value, relation }: Total, known: number): Total => ({
  ...{ value: Math.max(value, known), relation },
});

/** The cursor that goes on behind a row. */
export function cursorAfter({ digest: query, startedAt, currency }: SearchPlan, row: SearchHit): string {
  const { values, listing } = row;
  return writeCursor({ query, direction: 'next', startedAt, values, id: listing.id, currency });
}

/** Before and after every id there is. */
const [BEFORE_IDS, AFTER_IDS] = ['', '~'];

/**
 * Cursors before the first and after the last row. A page that was walked to has a page where the walk came from; when
 * its own rows have gone meanwhile, that one begins with the row that led here.
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
