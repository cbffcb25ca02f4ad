// SQL of sources: the position that each has been read to, and the lock that makes one process its reader.

import { lockReader } from '../ingest/removal/source-lock-store.ts';
import type { Loading } from '../listings/provenance/loading.ts';
import type { Database, Sql, Transaction } from '../postgres/client/database.ts';
import type { Position } from './source.ts';

/** Progress of reading all records of a source again, after its first load. */
export interface Reread {
  readonly position: Position | null;
  readonly records: number;
  readonly skipped: number;
  readonly total: number | null;
}

export interface StoredPosition {
  /** Null: nothing was read yet. */
  readonly position: Position | null;
  /** 0 before the first write. */
  readonly version: number;
  /** Records that the first load has read. */
  readonly loaded: number;
  /** Records of the whole first load; null where the source does not say. */
  readonly total: number | null;
  /** Records of the first load that are no listings. */
  readonly skipped: number;
  /** The way in which the records were read; null: it had no name yet. */
  readonly reading: string | null;
  /** Null: none is under way. */
  readonly reread: Reread | null;
  /** RFC 3339; null while the first load is not complete. */
  readonly loadedAt: string | null;
  /** When the position last moved, RFC 3339. */
  readonly updatedAt: string | null;
}

const NOTHING_READ: StoredPosition = {
  position: null,
  version: 0,
  loaded: 0,
  total: null,
  skipped: 0,
  reading: null,
  reread: null,
  loadedAt: null,
  updatedAt: null,
};

export async function readPosition(sql: Sql, source: string): Promise<StoredPosition> {
  const [row] = await sql<StoredPosition[]>`
    select position, version, loaded, total, skipped, reading, reread, loaded_at as "loadedAt", updated_at as "updatedAt"
    from source_position where source = ${source}`;
  return row ?? NOTHING_READ;
}

/**
 * The first load that is under way: that of `source`, also before its first page is written, else one of another source
 * that has moved since then (RFC 3339). Null: there is none.
 */
export async function findUnfinishedLoad(
  sql: Sql,
  source: string | null,
  movedSince: string,
): Promise<Loading | null> {
  const [row] = await sql<Loading[]>`
    select coalesce(stored.source, due.source) as source, coalesce(loaded, 0) as records, total
    from (select ${source}::text as source) as due full join source_position as stored on stored.source = due.source
    where loaded_at is null
      and (due.source is not null or (stored.source is not null and updated_at > ${movedSince}::timestamptz))
    order by due.source nulls last, stored.source limit 1`;
  return row ?? null;
}

/** Whether a source of this id is, or was, read here. */
export async function isReplicated(sql: Sql, source: string): Promise<boolean> {
  return (await readPosition(sql, source)).version > 0;
}

/** Replaces the position that was read; false when another process has written since. */
export async function writePosition(
  tx: Transaction,
  source: string,
  { version, ...stored }: StoredPosition,
): Promise<boolean> {
  const { loaded, total, skipped, reading, loadedAt, updatedAt } = stored;
  const [position, reread] = [JSON.stringify(stored.position), JSON.stringify(stored.reread)];
  const [row] = await tx`
    insert into source_position as stored (source, position, version, loaded, total, skipped, reading, reread, loaded_at,
      updated_at)
    values (${source}, ${position}::text::json, 1, ${loaded}, ${total}, ${skipped}, ${reading}, ${reread}::text::json,
      ${loadedAt}, ${updatedAt})
    on conflict (source) do update set position = excluded.position, version = stored.version + 1,
      loaded = excluded.loaded, total = excluded.total, skipped = excluded.skipped, reading = excluded.reading,
      reread = excluded.reread, loaded_at = excluded.loaded_at, updated_at = excluded.updated_at
    where stored.version = ${version}
    returning version`;
  return row?.version === version + 1;
}

/** Listings of a source that are stored, whatever became of them. */
export async function countListings(tx: Transaction, source: string): Promise<number> {
  const [row] = await tx<
    { count: number }[]
  >`select count(*)::int as count from listing where source = ${source}`;
  return row?.count ?? 0;
}

/** Held for as long as its connection lives. */
export interface ReaderLock {
  /** Keeps the connection from being closed for idleness; throws when it is broken. */
  confirm(): Promise<void>;
  release(): Promise<void>;
}

/** Takes the right to read a source; null when another process has it. `onLost` is called when the connection breaks. */
export async function takeReaderLock(
  database: Database,
  source: string,
  onLost: () => void,
): Promise<ReaderLock | null> {
  const connection = database.dedicated({ onClose: onLost });
  try {
    if (await lockReader(connection.sql, source)) {
      return {
        confirm: async () => void (await connection.sql`select 1`),
        release: () => connection.end(1),
      };
    }
  } catch (error) {
    connection.destroy();
    throw error;
  }
  await connection.end(1);
  return null;
}
