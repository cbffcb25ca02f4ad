// SQL of one picture as readers may see it: whether its listing is shown now, and where its file comes from.

import { EVERYTHING, type Reach } from '../access/tiers/reach.ts';
import type { WantedPicture } from '../listings/pictures/own-pictures.ts';
import { isVisible } from '../listings/presenter.ts';
import type { Status } from '../listings/vocabulary.ts';
import type { Sql } from '../postgres/client/database.ts';
import type { ImageFormat } from './pictures/image-head.ts';

/** A picture of a listing that is shown. */
export interface ShownPicture {
  readonly source: string;
  /** Whether everybody may know the address of the home. */
  readonly addressDisplayed: boolean;
  /** The copy; null: it is fetched. */
  readonly copy: { readonly hash: string; readonly format: ImageFormat } | null;
  /** Where it is fetched from; null: nowhere. */
  readonly url: string | null;
}

interface Row {
  readonly source: string;
  readonly status: Status;
  readonly licenceNo: number;
  readonly displayed: boolean;
  readonly addressDisplayed: boolean;
  readonly hash: string | null;
  readonly format: ImageFormat | null;
  readonly pictures: readonly WantedPicture[] | null;
}

/** Null where there is no such picture, or nobody may see it now. */
export async function findShown(
  sql: Sql,
  listing: string,
  name: string,
  reach: Reach,
): Promise<ShownPicture | null> {
  const [row] = await sql<Row[]>`
    select listing.source, status, licence_no as "licenceNo", displayed, address_displayed as "addressDisplayed", encode(hash, 'hex') as hash, format,
      case when hash is null and mode = 'proxy' then pictures end as pictures
    from listing
      left join photo_copy as copy on copy.listing_id = listing.id and copy.name = ${name}
      left join listing_media as media on media.listing_id = listing.id
    where listing.id = ${listing}`;
  if (row === undefined || !mayShow(row, reach)) return null;
  const { source, addressDisplayed, hash, format, pictures } = row;
  const url = pictures?.find((each) => each.name === name)?.url ?? null;
  const copy = hash === null || format === null ? null : { hash, format };
  return copy === null && url === null ? null : { source, addressDisplayed, copy, url };
}

/** Whether pictures of a listing may be shown to readers without credentials: they stand in pages of anybody. */
export const mayShow = (listing: Pick<Row, 'status' | 'displayed' | 'licenceNo'>, reach: Reach): boolean =>
  listing.status !== 'DELETED' && isVisible(listing, { ignoreDisplayRules: false, reach });

/** Of these listings those with pictures that may be shown, with the names of these. */
export async function findAllShown(
  sql: Sql,
  listings: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const rows = await sql<
    (Pick<Row, 'status' | 'displayed' | 'licenceNo'> & { id: string; names: string[] })[]
  >`
    select id, status, licence_no as "licenceNo", displayed, array(select name from photo_copy where listing_id = id) || array(
        select picture ->> 'name' from listing_media as media cross join json_array_elements(media.pictures) as picture
        where media.listing_id = id and mode = 'proxy') as names
    from listing where id = any(${[...listings]}::text[])`;
  return new Map(rows.filter((row) => mayShow(row, EVERYTHING)).map(({ id, names }) => [id, new Set(names)]));
}
