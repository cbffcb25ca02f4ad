// SQL that changes the base URL of the photos of a source's listings.

import type { Database } from '../../postgres/client/database.ts';

const BATCH = 1_000;

/**
 * Replaces the base of the photo and tour URLs of a source's listings by `base`; does nothing where they have it already.
 * Versions stay: nothing else of the listings changes.
 */
export async function updatePhotoUrls(database: Database, source: string, base: string): Promise<void> {
  const [first] = await database.read(
    (sql) => sql<{ url: string }[]>`
      select record -> 'photos' -> 0 ->> 'url' as url from listing
      where source = ${source} and json_array_length(record -> 'photos') > 0 limit 1`,
  );
  if (first === undefined || first.url.startsWith(`${base}/`)) return;
  for (let after: string | undefined = ''; after !== undefined; )
    after = await updateBatch(database, source, base, after);
}

/** The last key of the batch; undefined: there are no more. */
async function updateBatch(
  database: Database,
  source: string,
  base: string,
  after: string,
): Promise<string | undefined> {
  const moved = `"${base.replaceAll('\\', '\\\\')}/\\1`;
  const [last] = await database.write(
    (sql) => sql<{ key: string | null }[]>`
      with batch as (
        select id, listing_key from listing where source = ${source} and listing_key > ${after}
        order by listing_key limit ${BATCH}),
      moved as (
        update listing set record = regexp_replace(record::text,
          '"https?://[^"]*/photos/([[:alnum:]_-]+/[[:alnum:]]+[.]svg)', ${moved}, 'g')::json
        from batch where listing.id = batch.id)
      select max(listing_key) as key from batch`,
  );
  return last?.key ?? undefined;
}
