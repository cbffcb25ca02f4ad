// Columns that a page reads: the short ones of each listing as one text, and its record as stored.

import type { SortValue, ValueKind } from '../../http/input/cursor.ts';
import { fetchedAtSql } from '../../listings/provenance/confirmation-store.ts';
import type { StoredListing } from '../../listings/store.ts';
import type { ListingType, Status } from '../../listings/vocabulary.ts';
import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import { joinSql, type RawRow } from '../../postgres/client/sql.ts';
import { parseInstant } from '../../postgres/client/value-types.ts';

/** A listing on a page, with the numbers of its areas in place of their ids. */
export type NumberedListing = Omit<StoredListing, 'areaIds'> & { readonly areaNos: readonly number[] };

/** A listing on a page with the values it was sorted by. */
export interface NumberedRow {
  /** Rows come in any order; this is the one they stand in. */
  readonly place: number;
  readonly listing: NumberedListing;
  readonly values: readonly SortValue[];
}

/** Between short columns: it stands in no id, number, moment or array of numbers. */
const FIELD = '\t';

/**
 * The columns that rowIn reads, of a table or alias called listing, with the row's place on the page and the values that
 * it is sorted by. All short ones are one text: they take the driver longer than the database takes to find them.
 */
export function pageColumns(sql: Sql, place: SqlFragment, values: readonly SqlFragment[]): SqlFragment {
  const behind = joinSql(values.map((value) => sql`, '\t', ${value}`));
  return sql`
  concat(
    ${place}, '\t', listing.id, '\t', listing.listing_type, '\t', listing.status, '\t', listing.displayed, '\t',
    listing.address_displayed, '\t', listing.version, '\t', listing.area_nos, '\t', listing.days_on_market_start, '\t',
    listing.days_on_market_end, '\t', listing.earlier_days_on_market, '\t', listing.created_at, '\t', listing.updated_at, '\t',
    ${fetchedAtSql(sql)} ${behind}) as short, listing.record`;
}

const WIDTH = 14;

/** The listing of a row. */
export function rowIn([short, record]: RawRow, kinds: readonly ValueKind[]): NumberedRow {
  const fields = short?.toString().split(FIELD) ?? [];
  const [place, id = '', listingType, status, displayed, addressDisplayed, version, ...rest] = fields;
  const [areaNos = '', daysOnMarketStart = '', daysOnMarketEnd = '', earlierDays, ...times] = rest;
  const [createdAt = '', updatedAt = '', fetchedAt = ''] = times;
  const stored: StoredListing['record'] = JSON.parse(record?.toString() ?? '');
  const listing = {
    id,
    source: stored.provider.id,
    listingKey: stored.provider.listingKey,
    propertyId: stored.propertyId,
    listingType: listingType as ListingType,
    status: status as Status,
    displayed: displayed === 't',
    addressDisplayed: addressDisplayed === 't',
    version: Number(version),
    areaNos: numbers(areaNos),
    daysOnMarketStart: instant(daysOnMarketStart),
    daysOnMarketEnd: instant(daysOnMarketEnd),
    earlierDays: Number(earlierDays),
    createdAt: parseInstant(createdAt),
    updatedAt: parseInstant(updatedAt),
    fetchedAt: parseInstant(fetchedAt),
    record: stored,
  };
  const values = kinds.map((kind, key) => valueIn(fields[WIDTH + key] ?? '', kind));
  return { place: Number(place), listing, values };
}

function valueIn(text: string, kind: ValueKind): SortValue {
  if (text === '') return null;
  if (kind === 'number') return Number(text);
  return kind === 'time' ? parseInstant(text) : text;
}

/** No moment is written as an empty text. */
const instant = (text: string): string | null => (text === '' ? null : parseInstant(text));

/** `{4,17}` */
function numbers(text: string): number[] {
  const list = text.slice(1, -1);
  return list === '' ? [] : list.split(',').map(Number);
}
