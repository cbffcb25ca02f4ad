// Owns the SQL that places listings anew after areas have changed.

import { countChanges } from '../areas/area-counts.ts';
import type { Point } from '../geometry/geometry.ts';
import type { DraftAddress } from '../listings/draft.ts';
import type { ListingType, Status } from '../listings/vocabulary.ts';
import type { Transaction } from '../postgres/client/database.ts';
import { invalidateFigures } from '../timeline/figure-cache-store.ts';
import type { FigureChange } from '../timeline/figure-changes.ts';
import { addToAreaCounts } from './listing-store.ts';

/** What placing a stored listing needs. */
export interface PlaceRow {
  readonly id: string;
  readonly listingType: ListingType;
  readonly status: Status;
  readonly displayed: boolean;
  readonly areaNos: number[];
  readonly timeZone: string;
  readonly location: Point | null;
  readonly address: DraftAddress;
}

/** The next listings in the order of their ids, locked. */
export async function readForPlacing(tx: Transaction, after: string, limit: number): Promise<PlaceRow[]> {
  return tx<PlaceRow[]>`
    select id, listing_type as "listingType", status, displayed, area_nos as "areaNos",
      time_zone as "timeZone", record -> 'location' as location, record -> 'address' as address
    from listing where id > ${after} order by id limit ${limit} for update`;
}

/** Writes new places, each as a change of its listing. */
export async function writePlaces(
  tx: Transaction,
  rows: readonly (PlaceRow & { readonly places: readonly number[] })[],
  at: Date,
): Promise<void> {
  const ids = rows.map((row) => row.id);
  const places = rows.map((row) => `{${row.places.join()}}`);
  await tx`
    with row as (select id, places::integer[] from unnest(${ids}::text[], ${places}::text[]) as row (id, places)),
    updated_listing as (
      update listing set area_nos = places, version = version + 1, updated_at = ${at} from row
      where listing.id = row.id
    ),
    updated_text as (
      update listing_text set words = array_to_tsvector(array(
        select word from unnest(tsvector_to_array(words)) as word where word not like '#%'
        union all select '#' || no from unnest(places) as no))
      from row where listing_id = row.id
    )
    update listing_search set area_nos = places, updated_at = ${at} from row where listing_search.id = row.id`;
}

/** Brings the counts of areas, and what is cached of their figures, in line with new places and with other changes. */
export async function followPlaces(
  tx: Transaction,
  rows: readonly (PlaceRow & { readonly places: readonly number[] })[],
  others: readonly FigureChange[],
): Promise<void> {
  const moved = rows.map(({ id, areaNos, listingType }) => ({
    ...{ listingId: id, since: Number.NEGATIVE_INFINITY, hadAreaNos: areaNos, hadType: listingType },
  }));
  await invalidateFigures(tx, [...others, ...moved]);
  await addToAreaCounts(
    tx,
    countChanges(rows.map((row) => ({ before: row, after: { ...row, areaNos: row.places } }))),
  );
}
