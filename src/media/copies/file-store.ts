// SQL of the files of copies: those that no listing has any more, and those that should be there.

import type { Sql, Transaction } from '../../postgres/client/database.ts';

/** Hashes of files whose copies were deleted, in hexadecimal digits, the first ones first. */
export async function findOrphans(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql<{ hash: string }[]>`
    select encode(hash, 'hex') as hash from photo_orphan order by since, hash limit ${limit}`;
  return rows.map(({ hash }) => hash);
}

/** Forgets an orphan, which the transaction has locked; true: no listing has the file, which is to be deleted. */
export async function takeOrphan(tx: Transaction, hash: string): Promise<boolean> {
  await tx`delete from photo_orphan where hash = decode(${hash}, 'hex')`;
  const [used] = await tx`select from photo_copy where hash = decode(${hash}, 'hex') limit 1`;
  return used === undefined;
}

/** Notes files that no listing seems to have: whether that is so is judged when they are deleted. */
export async function addOrphans(sql: Sql, hashes: readonly string[]): Promise<void> {
  await sql`
    insert into photo_orphan (hash) select decode(named, 'hex') from unnest(${[...hashes]}::text[]) as named
    where not exists (select from photo_copy where hash = decode(named, 'hex'))
    on conflict (hash) do nothing`;
}

/** Hashes of copies after one, in their order. */
export async function findHashes(sql: Sql, after: string, limit: number): Promise<string[]> {
  const rows = await sql<{ hash: string }[]>`
    select distinct encode(hash, 'hex') as hash from (
      select hash from photo_copy where hash > decode(${after}, 'hex') order by hash limit ${limit}) as next
    order by 1`;
  return rows.map(({ hash }) => hash);
}

/** Deletes copies whose file is missing: their pictures are due again. Returns how many there were. `now`: when they are due. */
export async function forgetFile(tx: Transaction, hash: string, now: Date): Promise<number> {
  const rows = await tx<{ id: string }[]>`
    delete from photo_copy where hash = decode(${hash}, 'hex') returning listing_id as id`;
  const ids = rows.map(({ id }) => id).sort();
  await tx`
    update listing_media set due_at = ${now}, waiting = greatest(waiting, 1), revision = revision + 1
    where listing_id = any(${ids}::text[]) and mode = 'copy'`;
  return ids.length;
}
