// Owns the columns of a page's listings: asked for in one order, and read from the bytes that the database sends in the same.

import { parseInstant } from '../postgres/column-types.ts';
import type { Sql, SqlFragment } from '../postgres/database.ts';
import type { SortValue, ValueKind } from './cursor.ts';
import type { WrittenListing } from './present-text.ts';
import type { ListingType, Status } from './vocabulary.ts';

/** A listing on a page, with the numbers of its areas in place of their ids. */
export type NumberedListing = Omit<WrittenListing, 'areaIds'> & { readonly areaNos: readonly number[] };

/** A row as it came: the bytes of each column's text. */
export type RawRow = readonly (Buffer | null)[];

/** The columns that listingIn reads, of a table or alias called listing. */
export const pageColumns = (sql: Sql): SqlFragment => sql`
  listing.id, listing.listing_type, listing.status, listing.displayed, listing.address_displayed, listing.version,
  listing.area_nos, listing.clock_start, listing.clock_end, listing.earlier_days, listing.created_at,
  listing.updated_at, listing.fetched_at, listing.record`;

const WIDTH = 14;

/** The listing in the first columns of a row. Most of a record's bytes are handed on and never become text. */
export function listingIn(row: RawRow): NumberedListing {
  return {
    id: text(row[0]),
    listingType: text(row[1]) as ListingType,
    status: text(row[2]) as Status,
    displayed: flag(row[3]),
    addressDisplayed: flag(row[4]),
    version: Number(text(row[5])),
    areaNos: numbers(row[6]),
    clockStart: instant(row[7]),
    clockEnd: instant(row[8]),
    earlierDays: Number(text(row[9])),
    createdAt: parseInstant(text(row[10])),
    updatedAt: parseInstant(text(row[11])),
    fetchedAt: parseInstant(text(row[12])),
    json: row[13] ?? NOTHING,
  };
}

/** What the row was sorted by, in the columns behind. */
export const valuesIn = (row: RawRow, kinds: readonly ValueKind[]): SortValue[] =>
  kinds.map((kind, place) => {
    const bytes = row[WIDTH + place];
    if (!bytes) return null;
    if (kind === 'number') return Number(text(bytes));
    return kind === 'time' ? parseInstant(text(bytes)) : text(bytes);
  });

const NOTHING = Buffer.alloc(0);

const text = (bytes: Buffer | null | undefined): string => bytes?.toString() ?? '';
const flag = (bytes: Buffer | null | undefined): boolean => text(bytes) === 't';
const instant = (bytes: Buffer | null | undefined): string | null =>
  bytes ? parseInstant(text(bytes)) : null;

/** `{4,17}` */
function numbers(bytes: Buffer | null | undefined): number[] {
  const list = text(bytes).slice(1, -1);
  return list === '' ? [] : list.split(',').map(Number);
}
