// SQL of imports: checkpoints, the lock of a run, and statistics for the planner afterwards.

import type { Sql, Transaction } from '../postgres/client/database.ts';

export interface Counts {
  /** Read so far, those rejected included. */
  readonly rows: number;
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly rejected: number;
}

/** There is one import at a time of one kind and source. */
export interface ImportIdentity {
  readonly kind: 'listings' | 'areas';
  readonly source: string;
}

export interface Checkpoint extends Counts {
  readonly fileDigest: Buffer;
  readonly mapDigest: Buffer;
  readonly rejectedFile: string;
  readonly rejectedBytes: number;
  readonly finishedAt: string | null;
  /** When an import of the source was finished for the first time. */
  readonly loadedAt: string | null;
}

export async function findCheckpoint(
  sql: Sql,
  { kind, source }: ImportIdentity,
): Promise<Checkpoint | undefined> {
  const [row] = await sql<Checkpoint[]>`
    select rows, created, changed, unchanged, rejected, file_digest as "fileDigest", map_digest as "mapDigest",
      rejected_file as "rejectedFile", rejected_bytes as "rejectedBytes", finished_at as "finishedAt",
      loaded_at as "loadedAt"
    from import_run where kind = ${kind} and source = ${source}`;
  return row;
}

/** Starts an import, and forgets an earlier one. */
export async function beginImport(
  sql: Sql,
  { kind, source }: ImportIdentity,
  run: Pick<Checkpoint, 'fileDigest' | 'mapDigest' | 'rejectedFile'>,
  now: Date,
): Promise<void> {
  await sql`
    insert into import_run (kind, source, file_digest, map_digest, rows, created, changed, unchanged, rejected,
      rejected_file, rejected_bytes, started_at, updated_at)
    values (${kind}, ${source}, ${run.fileDigest}, ${run.mapDigest}, 0, 0, 0, 0, 0, ${run.rejectedFile}, 0,
      ${now}, ${now})
    on conflict (kind, source) do update set file_digest = excluded.file_digest, map_digest = excluded.map_digest,
      rows = 0, created = 0, changed = 0, unchanged = 0, rejected = 0, rejected_file = excluded.rejected_file,
      rejected_bytes = 0, started_at = excluded.started_at, updated_at = excluded.updated_at, finished_at = null,
      url_digest = null, etag = null, last_modified = null`;
}

/**
 * Advances a checkpoint. False when it is not where this run left it: another import ran meanwhile, and the transaction
 * must not be committed.
 */
export async function moveCheckpoint(
  tx: Transaction,
  { kind, source }: ImportIdentity,
  from: number,
  to: Counts & Pick<Checkpoint, 'rejectedBytes' | 'rejectedFile'>,
  now: Date,
): Promise<boolean> {
  const moved = await tx`
    update import_run set rows = ${to.rows}, created = ${to.created}, changed = ${to.changed},
      unchanged = ${to.unchanged}, rejected = ${to.rejected}, rejected_bytes = ${to.rejectedBytes},
      rejected_file = ${to.rejectedFile}, updated_at = ${now}
    where kind = ${kind} and source = ${source} and rows = ${from} and finished_at is null
    returning rows`;
  return moved.length === 1;
}

export async function finishImport(sql: Sql, { kind, source }: ImportIdentity, now: Date): Promise<void> {
  await sql`
    update import_run set finished_at = ${now}, loaded_at = coalesce(loaded_at, ${now}), updated_at = ${now}
    where kind = ${kind} and source = ${source}`;
}

/** How many of these areas there are already. */
export async function countAreas(tx: Transaction, ids: readonly string[]): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from area where id = any(${[...ids]}::text[])`;
  return row?.count ?? 0;
}

export async function countListings(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from listing_search`;
  return row?.count ?? 0;
}
