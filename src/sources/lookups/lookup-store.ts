// SQL of lookups: what is kept of those of a source, and when they were read.

import type { Sql, Transaction } from '../../postgres/client/database.ts';
import type { KnownLookup, LookupAnswer, LookupTable } from './source-lookups.ts';

/** When the lookups of a source were read, and how that ended. */
export interface LookupReading
  extends Pick<LookupAnswer, 'state' | 'detail' | 'position' | 'wanted' | 'names'> {
  readonly version: number;
  /** When all of them were last read, RFC 3339, as the others; null: never. */
  readonly wholeAt: string | null;
  /** When they were last read with success; null: never. */
  readonly readAt: string | null;
  readonly triedAt: string;
  /** They are not read before. */
  readonly dueAt: string;
}

/** Null: nobody has tried to read them yet. */
export async function findLookupReading(sql: Sql, source: string): Promise<LookupReading | null> {
  const [row] = await sql<LookupReading[]>`
    select version, state, detail, names, wanted, position, whole_at as "wholeAt", read_at as "readAt", tried_at as "triedAt",
      due_at as "dueAt"
    from source_lookup_reading where source = ${source}`;
  return row ?? null;
}

/** Lookups of a source that it still names. */
export async function countLookups(sql: Sql, source: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from source_lookup where source = ${source} and not is_gone and origin = 'resource'`;
  return row?.count ?? 0;
}

/** The lookups of a source; null: they are those of the version that is known, or were never read. */
export async function findLookups(
  sql: Sql,
  source: string,
  known: number | null = null,
): Promise<LookupTable | null> {
  const reading = await findLookupReading(sql, source);
  if (reading === null || reading.version === known) return null;
  const lookups = await sql<KnownLookup[]>`
    select origin, lookup, key, value, standard, legacy, modified_at as "modifiedAt", former, is_gone as "isGone"
    from source_lookup where source = ${source} order by origin, lookup, key`;
  return { version: reading.version, lookups, names: reading.names };
}

export async function writeLookups(
  tx: Transaction,
  source: string,
  lookups: readonly KnownLookup[],
): Promise<void> {
  if (lookups.length === 0) return;
  await tx`
    insert into source_lookup (source, origin, lookup, key, value, standard, legacy, modified_at, former, is_gone)
    select ${source}, origin, lookup, key, value, standard, legacy, "modifiedAt", array(select json_array_elements_text(former)), "isGone"
    from json_to_recordset(${JSON.stringify(lookups)}::text::json) as stated (
      origin text, lookup text, key text, value text, standard text, legacy text, "modifiedAt" timestamptz, former json, "isGone" boolean)
    on conflict (source, origin, lookup, key) do update set value = excluded.value, standard = excluded.standard,
      legacy = excluded.legacy, modified_at = excluded.modified_at, former = excluded.former, is_gone = excluded.is_gone`;
}

export async function deleteLookups(
  tx: Transaction,
  source: string,
  lookups: readonly KnownLookup[],
): Promise<void> {
  if (lookups.length === 0) return;
  await tx`
    delete from source_lookup as kept using json_to_recordset(${JSON.stringify(lookups)}::text::json) as gone (
      origin text, lookup text, key text)
    where kept.source = ${source} and kept.origin = gone.origin and kept.lookup = gone.lookup and kept.key = gone.key`;
}

export async function writeLookupReading(
  tx: Transaction,
  source: string,
  reading: LookupReading,
): Promise<void> {
  const { version, state, detail, names, wanted, position, wholeAt, readAt, triedAt, dueAt } = reading;
  await tx`
    insert into source_lookup_reading (source, version, state, detail, names, wanted, position, whole_at, read_at, tried_at, due_at)
    values (${source}, ${version}, ${state}, ${detail}, ${JSON.stringify(names)}::text::json, ${wanted}, ${position}, ${wholeAt},
      ${readAt}, ${triedAt}, ${dueAt})
    on conflict (source) do update set version = excluded.version, state = excluded.state, detail = excluded.detail,
      names = excluded.names, wanted = excluded.wanted, position = excluded.position, whole_at = excluded.whole_at,
      read_at = excluded.read_at, tried_at = excluded.tried_at, due_at = excluded.due_at`;
}
