// SQL of sources: the position that each has been read to.

import type { Loading } from '../listings/provenance/loading.ts';
import type { Sql, Transaction } from '../postgres/client/database.ts';
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
  /** What was requested of the records; null: it is not known. */
  readonly requested: string | null;
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
  requested: null,
  reread: null,
  loadedAt: null,
  updatedAt: null,
};

export async function readPosition(sql: Sql, source: string): Promise<StoredPosition> {
  const [row] = await sql<StoredPosition[]>`
    select position, version, loaded, total, skipped, reading, requested, reread, loaded_at as "loadedAt", updated_at as "updatedAt"
    from source_position where source = ${source}`;
  return row ?? NOTHING_READ;
}

/**
 * The first load that is under way: that of `own`, also before its first page is written, else one that has moved since then
 * (RFC 3339), else one of `others` while no source is loaded at all. Null: there is none.
 */
export async function findUnfinishedLoad(
  sql: Sql,
  own: string | null,
  others: readonly string[],
  movedSince: string,
): Promise<Loading | null> {
  const ids = own === null ? others : [own, ...others];
  const [row] = await sql<Loading[]>`
    select coalesce(stored.source, due.source) as source, coalesce(loaded, 0) as records, total
    from unnest(${[...ids]}::text[]) as due (source) full join source_position as stored on stored.source = due.source
    where loaded_at is null
      and (due.source = ${own}::text or updated_at > ${movedSince}::timestamptz
        or (due.source is not null and not exists (select from source_position where loaded_at is not null)))
    order by (due.source = ${own}::text) desc nulls last, updated_at desc nulls last, 1 limit 1`;
  return row ?? null;
}

/** Whether the first load of one of these sources is complete. */
export async function isAnyLoaded(sql: Sql, sources: readonly string[]): Promise<boolean> {
  const [row] = await sql<{ loaded: boolean }[]>`
    select exists (select from source_position where source = any(${[...sources]}::text[]) and loaded_at is not null) as loaded`;
  return row?.loaded ?? false;
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
  const { loaded, total, skipped, reading, requested, loadedAt, updatedAt } = stored;
  const [position, reread] = [JSON.stringify(stored.position), JSON.stringify(stored.reread)];
  const [row] = await tx`
    insert into source_position as stored (source, position, version, loaded, total, skipped, reading, requested, reread,
      loaded_at, updated_at)
    values (${source}, ${position}::text::json, 1, ${loaded}, ${total}, ${skipped}, ${reading}, ${requested}, ${reread}::text::json,
      ${loadedAt}, ${updatedAt})
    on conflict (source) do update set position = excluded.position, version = stored.version + 1,
      loaded = excluded.loaded, total = excluded.total, skipped = excluded.skipped, reading = excluded.reading,
      requested = excluded.requested, reread = excluded.reread, loaded_at = excluded.loaded_at, updated_at = excluded.updated_at
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
