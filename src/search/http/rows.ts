// Rows of a page of search results as a reader sees them.

import { findIncluded, type Included } from '../../listings/included.ts';
import { presentListing, type ReaderView } from '../../listings/presenter.ts';
import type { Listing } from '../../listings/record.ts';
import { selectFields } from '../../listings/sparse-fields.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { SearchPlan } from '../query/plan.ts';
import type { SearchHit } from '../summaries/search-reads.ts';
import { cursorAfter } from './pagination.ts';

/** What of the listings is presented, and to whom. */
export interface Presentation {
  readonly database: Database;
  readonly plan: SearchPlan;
  readonly view: ReaderView;
  readonly included: readonly Included[];
}

/** A listing as this reader sees it, with the fields and parts that were requested. */
export interface ResultRow {
  readonly record: Readonly<Record<string, unknown>>;
  readonly location: Listing['location'];
  /** Goes on behind it. */
  readonly cursor: string;
}

/** The listings of a page that this reader may see. */
export async function presentRows(
  { database, plan, view, included }: Presentation,
  page: readonly SearchHit[],
): Promise<ResultRow[]> {
  const stored = page.map(({ listing }) => listing);
  const additions = included.length === 0 ? null : await findIncluded(database, stored, included, view);
  return page.flatMap((found) => {
    const listing = presentListing(found.listing, view);
    if (listing === null) return [];
    const record = { ...selectFields(listing, plan.fields), ...additions?.get(listing.id) };
    return { record, location: listing.location, cursor: cursorAfter(plan, found) };
  });
}
