// Advisory locks of the schema: who changes it, and who needs it unchanged.

import type { Sql } from './database.ts';

/** Exclusive: of whoever changes the schema by migrations. Shared: of whoever needs it unchanged. */
export const SCHEMA_LOCK = 4_663_267_141;

/** Exclusive: of the one backup that is made, which needs all partitions. Shared: of whoever makes or drops partitions. */
export const PARTITION_LOCK = 4_663_267_142;

/** Tries to take the lock until the transaction ends, together with others; false while somebody has it alone. */
export async function tryShareUntilCommit(tx: Sql, lock: number): Promise<boolean> {
  const [row] = await tx`select pg_try_advisory_xact_lock_shared(${lock}::bigint) as locked`;
  return row?.locked === true;
}

/** Tries to take the lock until the session ends, together with others; false while somebody has it alone. */
export async function tryShare(sql: Sql, lock: number): Promise<boolean> {
  const [row] = await sql`select pg_try_advisory_lock_shared(${lock}::bigint) as locked`;
  return row?.locked === true;
}

/** Tries to take the lock alone until the session ends; false while somebody else has it. */
export async function tryLock(sql: Sql, lock: number): Promise<boolean> {
  const [row] = await sql`select pg_try_advisory_lock(${lock}::bigint) as locked`;
  return row?.locked === true;
}

/** Whether somebody has the lock alone. */
export async function isLockedByOne(sql: Sql, lock: number): Promise<boolean> {
  const [row] = await sql`
    select exists (
      select from pg_locks where locktype = 'advisory' and granted and mode = 'ExclusiveLock' and objsubid = 1
        and database = (select oid from pg_database where datname = current_database())
        and classid::bigint = ${lock}::bigint >> 32 and objid::bigint = ${lock}::bigint & 4294967295) as locked`;
  return row?.locked === true;
}
