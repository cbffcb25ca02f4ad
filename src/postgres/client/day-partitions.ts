// Daily partitions of tables: created ahead, and dropped past the retention.

import { DAY } from '../../lib/clock.ts';
import type { Database, Transaction } from './database.ts';
import { PARTITION_LOCK, tryShareUntilCommit } from './schema-locks.ts';

/** Days ahead of today that have a partition, so that a service that was down for some days still finds one. */
const DAYS_AHEAD = 3;
const TIMEOUT = 30_000;
/** Changing partitions locks the whole table: it gives way to running statements, and the next round tries again. */
const LOCK_TIMEOUT = "set local lock_timeout = '2s'";
/** SQLSTATE: a lock was not free in time, also for a writer; the default partition has rows of the day; another process was faster. */
const POSTPONED = new Set(['55P03', '23514', '42P01', '42P07', '40P01']);

/** The date in UTC of a time in milliseconds. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Rows of today or later that are moved at once: writers may add others meanwhile, and then all was in vain. */
const MAX_MOVED = 100_000;
/** Milliseconds to move the rows of a day that is over, however many there are; nobody waits for it. */
const MOVE_TIMEOUT = 600_000;

/**
 * Creates the partitions of today and the next days of a table that is partitioned by range of `day`, and of earlier days that
 * have rows in the default partition, as when nothing ran that makes partitions. Their rows move.
 */
export async function createDayPartitions(database: Database, table: string, now: number): Promise<void> {
  const earlier = await database.read(
    (sql) => sql<{ day: string }[]>`
      select distinct day::text from ${sql(`${table}_default`)} where day < ${dayOf(now)}::date order by 1`,
    { timeout: TIMEOUT },
  );
  for (const { day } of earlier) await createDayPartition(database, table, Date.parse(day), now);
  for (let ahead = 0; ahead <= DAYS_AHEAD; ahead++)
    await createDayPartition(database, table, now + ahead * DAY, now);
}

async function createDayPartition(database: Database, table: string, at: number, now: number): Promise<void> {
  const [day, next] = [dayOf(at), dayOf(at + DAY)];
  const name = `${table}_${day.replaceAll('-', '')}`;
  const [found] = await database.read((sql) => sql`select to_regclass(${name}) is null as missing`);
  if (found?.missing !== true) return;
  const isOver = day < dayOf(now);
  const bounds = `for values from ('${day}') to ('${next}')`;
  const ofDay = `from ${table}_default where day >= '${day}' and day < '${next}'`;
  await unlessPostponed(
    database,
    async (tx) => {
      const [row] = await tx.unsafe(
        `select count(*)::int as rows from (select ${ofDay} limit ${MAX_MOVED + 1}) as found`,
      );
      const rows = Number(row?.rows ?? 0);
      if (rows === 0) {
        await tx.unsafe(`create table if not exists ${name} partition of ${table} ${bounds}`);
        return;
      }
      if (rows > MAX_MOVED && !isOver) return;
      // What has planned before a partition is attached looks for its rows in the default one alone: readers would miss those that
      // moved, and writers fail. So the table is locked; for a day that is over, into which nobody writes, only once its rows have moved.
      const lock = () => tx.unsafe(`lock table only ${table} in access exclusive mode`);
      if (!isOver) await lock();
      await tx.unsafe(`create table ${name} (like ${table} including defaults including constraints)`);
      await tx.unsafe(`with moved as (delete ${ofDay} returning *) insert into ${name} select * from moved`);
      if (isOver) await lock();
      await tx.unsafe(`alter table ${table} attach partition ${name} ${bounds}`);
    },
    isOver ? MOVE_TIMEOUT : TIMEOUT,
  );
}

/**
 * Deletes all rows of days before `day`: drops their partitions, and deletes them from the default partition. Each step is a
 * transaction of its own.
 * @param before called in that transaction with what is about to be deleted, as an item of FROM
 */
export async function dropDayPartitions(
  database: Database,
  table: string,
  day: string,
  before: (tx: Transaction, rows: string) => Promise<void> = async () => {},
): Promise<void> {
  const first = `${table}_${day.replaceAll('-', '')}`;
  const partitions = await database.read(
    (sql) => sql<{ name: string }[]>`
      select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = to_regclass(${table}) and relname ~ '_[0-9]{8}$' and relname < ${first} order by relname`,
  );
  for (const { name } of partitions)
    await unlessPostponed(database, async (tx) => {
      await before(tx, name);
      await tx.unsafe(`drop table ${name}`);
    });
  await unlessPostponed(database, async (tx) => {
    const expired = `${table}_default where day < '${day}'`;
    await before(tx, `(select * from ${expired}) as expired`);
    await tx.unsafe(`delete from ${expired}`);
  });
}

/** Runs a change of partitions; gives up, until the next round, where it would have to wait for long, as for a backup. */
async function unlessPostponed(
  database: Database,
  work: (tx: Transaction) => Promise<unknown>,
  timeout = TIMEOUT,
): Promise<void> {
  const run = async (tx: Transaction): Promise<void> => {
    if (!(await tryShareUntilCommit(tx, PARTITION_LOCK))) return;
    await tx.unsafe(LOCK_TIMEOUT);
    await work(tx);
  };
  await database.transaction(run, { timeout }).catch((error: unknown) => {
    if (!POSTPONED.has((error as { code?: string }).code ?? '')) throw error;
  });
}
