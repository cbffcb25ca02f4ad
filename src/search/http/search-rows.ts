// Owns the rows of a page as a reader sees them: as JSON that passes through, or as records where parts of them are asked for.

import { selectFields } from '../../listings/fields.ts';
import type { Included } from '../../listings/included.ts';
import { readIncluded } from '../../listings/included.ts';
import { presentListing, type View } from '../../listings/present.ts';
import { listingJson, opened, type WrittenJson } from '../../listings/present-text.ts';
import type { Listing } from '../../listings/record.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { SearchPlan } from '../query/search.ts';
import type { FoundListing } from '../summaries/finder.ts';
import { cursorAfter } from './search-answer.ts';

/** What of the listings is shown, and to whom. */
export interface Showing {
  readonly database: Database;
  readonly plan: SearchPlan;
  readonly view: View;
  readonly included: readonly Included[];
}

/** A listing as this reader sees it, with the parts that were asked for. */
export interface ShownRow {
  readonly record: Readonly<Record<string, unknown>>;
  readonly location: Listing['location'];
  /** Goes on behind it. */
  readonly cursor: string;
}

/** The same as JSON. */
export interface WrittenRow extends WrittenJson {
  readonly found: FoundListing;
}

const NOTHING = Buffer.alloc(0);

/** What may be shown of a page, as JSON: whole records are not even read. */
export async function writtenRows(showing: Showing, page: readonly FoundListing[]): Promise<WrittenRow[]> {
  const { plan, view, included } = showing;
  const additions = await additionsTo(showing, page);
  return page.flatMap((found) => {
    if (plan.fields !== null || included.length > 0) {
      const row = rowOf(showing, found, additions);
      return row === null ? [] : { kept: NOTHING, rest: JSON.stringify(row.record), found };
    }
    const json = listingJson(found.listing, view);
    return json === null ? [] : { ...json, found };
  });
}

/** What may be shown of a page, as records. */
export async function shownRows(showing: Showing, page: readonly FoundListing[]): Promise<ShownRow[]> {
  const additions = await additionsTo(showing, page);
  return page.flatMap((found) => {
    const row = rowOf(showing, found, additions);
    return row === null ? [] : { ...row, cursor: cursorAfter(showing.plan, found) };
  });
}

async function additionsTo({ database, view, included }: Showing, page: readonly FoundListing[]) {
  if (included.length === 0) return null;
  const stored = page.map(({ listing }) => opened(listing));
  return readIncluded(database, stored, included, view);
}

type Additions = Awaited<ReturnType<typeof additionsTo>>;

function rowOf(
  { plan, view }: Showing,
  { listing }: FoundListing,
  additions: Additions,
): Omit<ShownRow, 'cursor'> | null {
  const shown = presentListing(opened(listing), view);
  if (shown === null) return null;
  const record = { ...selectFields(shown, plan.fields), ...additions?.get(listing.id) };
  return { record, location: shown.location };
}
