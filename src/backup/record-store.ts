// SQL of the record of backups: the last one that is whole, and the last that failed.

import type { Sql } from '../postgres/client/database.ts';

export interface BackupRecord {
  /** RFC 3339; null: there was none. */
  readonly succeededAt: string | null;
  readonly file: string | null;
  readonly bytes: number | null;
  readonly failedAt: string | null;
  readonly failure: string | null;
}

const NONE: BackupRecord = { succeededAt: null, file: null, bytes: null, failedAt: null, failure: null };

export async function findBackupRecord(sql: Sql): Promise<BackupRecord> {
  const [row] = await sql<BackupRecord[]>`
    select succeeded_at as "succeededAt", file, bytes, failed_at as "failedAt", failure from backup_record`;
  return row ?? NONE;
}

/** Whether the schema has the record: backups are also made of databases that were not migrated yet. */
export async function hasBackupRecord(sql: Sql): Promise<boolean> {
  const [row] = await sql`select to_regclass('backup_record') is not null as present`;
  return row?.present === true;
}

/** @param at when the snapshot was taken */
export async function recordSuccess(
  sql: Sql,
  { at, file, bytes }: { readonly at: Date; readonly file: string; readonly bytes: number },
): Promise<void> {
  await sql`
    insert into backup_record as record (succeeded_at, file, bytes) values (${at}, ${file}, ${bytes})
    on conflict ((true)) do update set succeeded_at = greatest(record.succeeded_at, excluded.succeeded_at),
      file = excluded.file, bytes = excluded.bytes, failed_at = null, failure = null`;
}

export async function recordFailure(
  sql: Sql,
  { at, failure }: { readonly at: Date; readonly failure: string },
): Promise<void> {
  await sql`
    insert into backup_record (failed_at, failure) values (${at}, ${failure})
    on conflict ((true)) do update set failed_at = excluded.failed_at, failure = excluded.failure`;
}
