// SQL of pictures that are served from here: which ones the listings of a batch want.

import { ownNames, uploadsOf, type WantedPicture } from '../../listings/pictures/own-pictures.ts';
import type { Transaction } from '../../postgres/client/database.ts';
import { toJson } from '../../postgres/client/value-types.ts';
import type { ListingWrite } from '../write-plan.ts';
import type { MediaWrite } from './plan-pictures.ts';

type Written = Pick<ListingWrite, 'id' | 'source' | 'media' | 'record' | 'before'>;

/**
 * Writes which pictures listings want from here, so that copies of them are made, and forgets those that they do not want any more:
 * their files follow. The transaction has locked the listings. `observedAt` in milliseconds since the epoch.
 */
export async function writeMedia(
  tx: Transaction,
  writes: readonly Written[],
  observedAt: number,
): Promise<void> {
  const wanting = writes.flatMap(({ media, ...write }) => (media === null ? [] : [{ ...write, media }]));
  if (wanting.length > 0) await writeWanted(tx, wanting, new Date(observedAt));
  const forgotten = writes.flatMap((write) => {
    const names = namesLeft(write);
    return names === null ? [] : [{ id: write.id, names }];
  });
  if (forgotten.length > 0) await forgetMedia(tx, forgotten);
}

/** Names of the uploads that a listing still has where nothing else of it is served from here any more; null where there is nothing to forget. */
function namesLeft({ media, record, before }: Written): readonly string[] | null {
  if (before === null || media !== null) return null;
  if (record.status === 'DELETED') return before.status === 'DELETED' ? null : [];
  const left = ownNames(record);
  const uploads = uploadsOf(record.photos).map(({ name }) => name);
  const hadMore = [...ownNames(before.record)].some((name) => !left.has(name));
  return hadMore && left.size === uploads.length ? uploads : null;
}

async function writeWanted(
  tx: Transaction,
  writes: readonly (Pick<Written, 'id' | 'source' | 'before'> & { readonly media: MediaWrite })[],
  now: Date,
): Promise<void> {
  const rows = toJson(
    writes.map(({ id, source, media: { mode, pictures, changedAt, waiting } }) => ({
      listing_id: id,
      source,
      mode,
      pictures,
      changed_at: changedAt,
      is_due: mode === 'copy' && (pictures === null || waiting > 0),
      waiting: mode === 'copy' ? waiting : 0,
    })),
  );
  // Pictures that are requested are due where they changed, or may have; those that failed get their tries once more.
  await tx`
    insert into listing_media as known (listing_id, source, mode, pictures, changed_at, due_at, waiting)
    select listing_id, source, mode, nullif(pictures::text, 'null')::json, changed_at, case when is_due then ${now}::timestamptz end, waiting
    from json_to_recordset(${rows}::text::json) as row (
      listing_id text, source text, mode text, pictures json, changed_at text, is_due boolean, waiting integer)
    on conflict (listing_id) do update set source = excluded.source, mode = excluded.mode, pictures = excluded.pictures,
      changed_at = excluded.changed_at, revision = known.revision + 1, due_at = excluded.due_at, failures = '{}',
      waiting = excluded.waiting, failed = 0
    where excluded.pictures is not null or known.mode <> excluded.mode or known.changed_at is distinct from excluded.changed_at
      or excluded.changed_at is null`;
  const stored = writes.filter(({ before, media }) => before !== null && media.pictures !== null);
  if (stored.length === 0) return;
  const names = toJson(
    stored.map(({ id, media }) => ({
      id,
      // Uploads have files however the others are shown.
      names: (media.pictures ?? [])
        .filter(({ url }) => media.mode === 'copy' || url === null)
        .map(({ name }) => name),
    })),
  );
  await tx`
    delete from photo_copy using json_to_recordset(${names}::text::json) as row (id text, names text[])
    where listing_id = row.id and name <> all(row.names)`;
}

/** Forgets which pictures listings want, and their copies but these: the files follow. */
async function forgetMedia(
  tx: Transaction,
  listings: readonly { readonly id: string; readonly names: readonly string[] }[],
): Promise<void> {
  const rows = toJson(listings.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  const ids = listings.map(({ id }) => id).sort();
  await Promise.all([
    tx`delete from listing_media where listing_id = any(${ids}::text[])`,
    tx`
      delete from photo_copy using json_to_recordset(${rows}::text::json) as row (id text, names text[])
      where listing_id = row.id and name <> all(row.names)`,
  ]);
}

/** Which pictures a listing wants from here that its record names; null where there are none, or they are requested. */
export async function findWanted(
  tx: Transaction,
  id: string,
): Promise<{ readonly mode: MediaWrite['mode']; readonly pictures: readonly WantedPicture[] } | null> {
  const [row] = await tx<{ mode: MediaWrite['mode']; pictures: readonly WantedPicture[] }[]>`
    select mode, pictures from listing_media where listing_id = ${id} and pictures is not null`;
  return row ?? null;
}
