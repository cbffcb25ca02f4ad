// The SQL that moves the pictures of a source's stored listings to another address.

import type { Database } from '../postgres/client/database.ts';

const BATCH = 1_000;

/**
 * Addresses the pictures and tours of a source's stored listings below `base`, whatever `…/photos` they were below. Writes
 * nothing where they are there already. Versions stay, since nothing of the listings has changed.
 */
export async function movePhotos(database: Database, source: string, base: string): Promise<void> {
  const [first] = await database.read(
    (sql) => sql<{ url: string }[]>`
      select record -> 'photos' -> 0 ->> 'url' as url from listing
      where source = ${source} and json_array_length(record -> 'photos') > 0 limit 1`,
  );
  if (first === undefined || first.url.startsWith(`${base}/`)) return;
  for (let after: string | undefined = ''; after !== undefined; )
    after = await moveBatch(database, source, base, after);
}

/** The last key that was reached; undefined: there are no more. */
async function moveBatch(
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
