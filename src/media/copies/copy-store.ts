// SQL of copies of pictures: what is due, what there is, and what became of each try.

import type { WantedPicture } from '../../listings/pictures/own-pictures.ts';
import type { Sql, Transaction } from '../../postgres/client/database.ts';
import { toJson } from '../../postgres/client/value-types.ts';
import type { ImageHead } from '../pictures/image-head.ts';

/** A listing some of whose pictures are to be copied. */
export interface DueListing {
  readonly id: string;
  readonly source: string;
  readonly key: string;
  readonly listingId: string | null;
  readonly revision: number;
  /** Null: they are requested. */
  readonly pictures: readonly WantedPicture[] | null;
  /** Tries that failed, by the name of the picture. */
  readonly failures: Readonly<Record<string, number>>;
}

/** Sources with pictures that are due, by their ids. */
export async function findDueSources(sql: Sql, now: Date): Promise<string[]> {
  // From one source to the next, whatever the number of their listings.
  const rows = await sql<{ source: string }[]>`
    with recursive known as (
      (select source from listing_media where due_at is not null order by source limit 1)
      union all
      select (select source from listing_media where due_at is not null and source > known.source order by source limit 1)
      from known where known.source is not null)
    select source from known
    where exists (select from listing_media as media where media.source = known.source and due_at <= ${now})`;
  return rows.map(({ source }) => source);
}

/** The next listings of a source whose pictures are due, those that wait longest first. */
export function findDue(sql: Sql, source: string, now: Date, limit: number): Promise<DueListing[]> {
  return sql<DueListing[]>`
    select media.listing_id as id, media.source, listing.listing_key as key, listing.record -> 'provider' ->> 'listingId' as "listingId",
      media.revision, media.pictures, media.failures
    from listing_media as media join listing on listing.id = media.listing_id
    where media.source = ${source} and due_at <= ${now} order by due_at, media.listing_id limit ${limit}`;
}

/** Names of the pictures of a listing of which there are copies. */
export async function findCopies(sql: Sql, listing: string): Promise<ReadonlySet<string>> {
  const rows = await sql<{ name: string }[]>`select name from photo_copy where listing_id = ${listing}`;
  return new Set(rows.map(({ name }) => name));
}

/** Keeps the file of a hash from being stored or deleted by others until the transaction ends. */
export async function lockFile(tx: Transaction, name: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtext('photo file'), hashtext(${name}))`;
}

/** A copy of a picture; `hash` in hexadecimal digits. */
export interface NewCopy {
  readonly listing: string;
  readonly name: string;
  readonly hash: string;
  readonly head: ImageHead;
  readonly bytes: number;
}

/** Notes a copy, whose file is stored; a listing that is gone meanwhile has none. */
export async function insertCopy(
  tx: Transaction,
  { listing, name, hash, head, bytes }: NewCopy,
  now: Date,
): Promise<void> {
  await tx`
    with stored as (
      insert into photo_copy (listing_id, name, hash, format, bytes, width, height, copied_at)
      select id, ${name}, decode(${hash}, 'hex'), ${head.format}, ${bytes}, ${head.width}, ${head.height}, ${now}
      from listing where id = ${listing} for share
      on conflict (listing_id, name) do update set hash = excluded.hash, format = excluded.format, bytes = excluded.bytes,
        width = excluded.width, height = excluded.height, copied_at = excluded.copied_at
      returning 1)
    insert into photo_orphan (hash) select decode(${hash}, 'hex') where not exists (select from stored)
    on conflict (hash) do nothing`;
}

/** Whether the pictures that a listing wants are those of this revision. */
export async function isCurrent(tx: Transaction, { id, revision }: DueListing): Promise<boolean> {
  const [row] = await tx`select from listing_media where listing_id = ${id} and revision = ${revision}`;
  return row !== undefined;
}

/** What became of the pictures of a listing. */
export interface Progress {
  readonly pictures: readonly WantedPicture[] | null;
  readonly failures: Readonly<Record<string, number>>;
  readonly waiting: number;
  readonly failed: number;
  /** Null: nothing is left to try. */
  readonly dueAt: Date | null;
}

export async function writeProgress(
  tx: Transaction,
  id: string,
  { pictures, failures, waiting, failed, dueAt }: Progress,
): Promise<void> {
  await tx`
    update listing_media set pictures = ${pictures === null ? null : toJson(pictures)}::text::json,
      failures = ${toJson(failures)}::text::json, waiting = ${waiting}, failed = ${failed}, due_at = ${dueAt}
    where listing_id = ${id}`;
}

/** Nothing of a listing is copied that may not be shown any more. */
export async function stopTrying(tx: Transaction, id: string): Promise<void> {
  await tx`update listing_media set due_at = null, waiting = 0, failed = 0 where listing_id = ${id}`;
}

/** Deletes the copies of a listing that it does not want any more: their files follow. */
export async function deleteOtherCopies(
  tx: Transaction,
  id: string,
  names: readonly string[],
): Promise<void> {
  await tx`delete from photo_copy where listing_id = ${id} and name <> all(${[...names]}::text[])`;
}

/** Until when no photo of a source is fetched, RFC 3339; null: any may be. */
export async function findRest(sql: Sql, source: string): Promise<string | null> {
  const [row] = await sql<{ until: string }[]>`select until from photo_rest where source = ${source}`;
  return row?.until ?? null;
}

export async function writeRest(sql: Sql, source: string, until: Date): Promise<void> {
  await sql`
    insert into photo_rest as known (source, until) values (${source}, ${until})
    on conflict (source) do update set until = greatest(known.until, excluded.until)`;
}

/** Pictures of a source that wait for their copies, and those that are left alone. */
export interface PictureCounts {
  readonly waiting: number;
  readonly failed: number;
}

/** Of one source; null: there are none. */
export async function countPicturesOf(sql: Sql, source: string): Promise<PictureCounts | null> {
  const [row] = await sql<PictureCounts[]>`
    select coalesce(sum(waiting), 0)::float8 as waiting, coalesce(sum(failed), 0)::float8 as failed from listing_media
    where source = ${source} and (waiting > 0 or failed > 0)`;
  return row === undefined || row.waiting + row.failed === 0 ? null : row;
}

/** By source; those without any are left out. */
export async function countPictures(sql: Sql): Promise<ReadonlyMap<string, PictureCounts>> {
  const rows = await sql<(PictureCounts & { readonly source: string })[]>`
    select source, sum(waiting)::float8 as waiting, sum(failed)::float8 as failed from listing_media
    where waiting > 0 or failed > 0 group by source`;
  return new Map(rows.map(({ source, waiting, failed }) => [source, { waiting, failed }]));
}
