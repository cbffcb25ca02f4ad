// SQL of marks in the log of changes: whether a copy of the listings belongs to this database, and can be brought up to date.

import type { Sql } from '../../../postgres/client/database.ts';

/** The batch of changes at a sequence. A database that was restored, or is another one, has none with the same id and time. */
export interface LogMark {
  readonly sequence: number;
  readonly batchId: string;
  readonly committedAt: string;
  /** The migrations that made the tables. */
  readonly schema: string;
}

/** The mark of a sequence up to which the log was read; null if the log has nothing before. */
export async function findMark(sql: Sql, sequence: number): Promise<LogMark | null> {
  const [mark] = await sql<LogMark[]>`
    select ${sequence}::bigint as sequence, id::text as "batchId", coalesce(committed_at::text, '') as "committedAt",
      (select string_agg(version || ' ' || checksum, ', ' order by version) from schema_migrations) as schema
    from change_batch where first_sequence <= ${sequence} order by first_sequence desc limit 1`;
  return mark ?? null;
}

/** Whether the log has a mark, and every change since. */
export async function hasMark(sql: Sql, mark: LogMark): Promise<boolean> {
  const [{ retained } = { retained: false }] = await sql<{ retained: boolean }[]>`
    select retained_from <= ${mark.sequence + 1} as retained from change_log`;
  const found = await findMark(sql, mark.sequence);
  return (
    retained &&
    found?.batchId === mark.batchId &&
    found.committedAt === mark.committedAt &&
    found.schema === mark.schema
  );
}
