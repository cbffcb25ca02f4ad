// SQL of RESO records: written beside their listings, read on request.

import { hash } from 'node:crypto';
import type { Database, Transaction } from '../postgres/client/database.ts';
import { toJson } from '../postgres/client/value-types.ts';
import type { ResoRecord } from './reso-record.ts';

/**
 * Writes the records, by listing id, that have changed, and returns the ids of their listings. The transaction has locked
 * these.
 */
export async function writeResoRecords(
  tx: Transaction,
  records: ReadonlyMap<string, ResoRecord>,
): Promise<string[]> {
  if (records.size === 0) return [];
  const rows = [...records]
    .map(([id, record]) => ({ id, text: toJson(record) }))
    .map((row) => ({ ...row, digest: hash('sha256', row.text, 'hex') }));
  const stored = await tx<{ id: string; digest: string }[]>`
    select listing_id as id, encode(digest, 'hex') as digest from listing_reso
    where listing_id = any(${rows.map(({ id }) => id)}::text[])`;
  const before = new Map(stored.map(({ id, digest }) => [id, digest]));
  const changed = rows.filter(({ id, digest }) => before.get(id) !== digest);
  if (changed.length === 0) return [];
  await tx`
    insert into listing_reso (listing_id, digest, record)
    select id, decode(digest, 'hex'), record::json from unnest(${changed.map(({ id }) => id)}::text[],
      ${changed.map(({ digest }) => digest)}::text[],
      string_to_array(${changed.map(({ text }) => text).join(SEPARATOR)}::text, ${SEPARATOR}))
      as row (id, digest, record)
    order by id
    on conflict (listing_id) do update set digest = excluded.digest, record = excluded.record`;
  return changed.map(({ id }) => id);
}

/** The records of some listings, by listing id. */
export async function findResoRecords(
  database: Database,
  listingIds: readonly string[],
): Promise<Map<string, ResoRecord>> {
  const rows = await database.read(
    (sql) => sql<{ id: string; record: ResoRecord }[]>`
      select listing_id as id, record from listing_reso where listing_id = any(${[...listingIds]}::text[])`,
  );
  return new Map(rows.map(({ id, record }) => [id, record]));
}

/** ASCII's record separator, which JSON never contains. */
const SEPARATOR = '\u001e';
