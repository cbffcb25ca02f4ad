// Clock of a test's database that the test moves: its connections find another clock_timestamp before PostgreSQL's.

import type { Database } from '../../../src/postgres/client/database.ts';

export interface DatabaseTime {
  /** Wall-clock milliseconds. */
  now(): Promise<number>;
  /** Moves time by whole milliseconds, back as well. */
  advance(milliseconds: number): Promise<void>;
}

/** Stops the database's clock at noon of 5 January 2026 UTC, for connections that are opened from now on and for these. */
export async function moveableTime(database: Database): Promise<DatabaseTime> {
  await database.write((sql) =>
    sql.unsafe(`
      create schema moveable;
      create table moveable.time (at timestamptz not null);
      insert into moveable.time values ('2026-01-05T12:00:00Z');
      create function moveable.clock_timestamp() returns timestamptz language sql volatile
        as 'select at from moveable.time';
      do $$ begin
        execute format('alter database %I set search_path = moveable, pg_catalog, public', current_database());
      end $$`),
  );
  // Connections that are open already keep their path, as do functions that were called on them.
  await database.write((sql) =>
    sql.unsafe(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`),
  );
  await database
    .write((sql) => sql.unsafe('select pg_terminate_backend(pg_backend_pid())'))
    .catch(() => undefined);
  return {
    async now() {
      const [row] = await database.read(
        (sql) =>
          sql<{ now: number }[]>`select (extract(epoch from at) * 1000)::float8 as now from moveable.time`,
      );
      return row?.now ?? Number.NaN;
    },
    async advance(milliseconds) {
      await database.write(
        (sql) => sql`update moveable.time set at = at + ${milliseconds} * interval '1 millisecond'`,
      );
    },
  };
}
