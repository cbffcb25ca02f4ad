// Migrations: numbered SQL files, each run once, by one process at a time.

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, MINUTE, poll } from '../../lib/clock.ts';
import type { Connection } from '../client/connection.ts';
import type { Database, Sql } from '../client/database.ts';
import { isLockedByOne, PARTITION_LOCK, SCHEMA_LOCK, tryLock } from '../client/schema-locks.ts';
import { runTransaction } from '../client/transaction.ts';

export interface MigrateOptions {
  /** Folder of the files; default: this one. */
  readonly folder?: string;
  /** The last one to run; default: the newest. */
  readonly through?: number;
  /** Called before each file is run. */
  readonly onProgress?: (name: string, index: number, total: number) => void;
  /** Called once with a sentence if others have to be waited for. */
  readonly onWait?: (why: string) => void;
}

export const MIGRATIONS_FOLDER = import.meta.dirname;

const LOCK_TIMEOUT = 10 * MINUTE;

/**
 * Runs the pending migrations and returns their names. Several processes may do so at once: one works, the others wait and
 * find nothing left. Throws MigrationError with the remedy in its message.
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<string[]> {
  const files = await readMigrations(options.folder ?? MIGRATIONS_FOLDER);
  // Without a lock: a start with nothing to migrate need not wait for a backup.
  if ((await pendingOf(database, files)).length === 0) return [];
  const connection = database.dedicated();
  try {
    await lock(connection.sql, database.clock, options.onWait);
    await createTable(connection.sql);
    const { through = Number.POSITIVE_INFINITY } = options;
    const missing = planMigrations(files, await readApplied(connection.sql));
    const pending = missing.filter(({ version }) => version <= through);
    for (const [index, migration] of pending.entries()) {
      options.onProgress?.(migration.name, index, pending.length);
      await apply(connection, migration);
    }
    return pending.map(({ name }) => name);
  } finally {
    // Ending the session releases the lock.
    await connection.end(1);
  }
}

/** The names of the files that `migrate` would run. */
export async function pendingMigrations(
  database: Database,
  folder: string = MIGRATIONS_FOLDER,
): Promise<string[]> {
  return (await pendingOf(database, await readMigrations(folder))).map(({ name }) => name);
}

async function pendingOf(database: Database, files: readonly Migration[]): Promise<Migration[]> {
  const applied = await database.read(async (sql) => {
    const [table] = await sql`select to_regclass('schema_migrations') is not null as present`;
    return table?.present === true ? readApplied(sql) : [];
  });
  return planMigrations(files, applied);
}

/** Marks may be made in a database that has nothing else yet: the migration that makes their table can be repeated. */
const STATE_VERSION = 43;

/** Makes the table of the state of the database, before all others. */
export async function createState(database: Database): Promise<void> {
  const files = await readMigrations(MIGRATIONS_FOLDER);
  const migration = files.find(({ version }) => version === STATE_VERSION);
  if (migration === undefined) throw new Error('The migration of the state of the database is missing');
  await database.transaction((tx) => tx.unsafe(migration.text));
}

/** Of a schema made by these migrations: which of them this release does not have as they were. */
export async function unknownMigrations(
  applied: readonly AppliedMigration[],
): Promise<readonly AppliedMigration[]> {
  const known = new Map((await readMigrations(MIGRATIONS_FOLDER)).map((file) => [file.version, file]));
  return applied.filter(({ version, checksum }) => known.get(version)?.checksum !== checksum);
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql'));
  return Promise.all(
    names.map(async (name) => migrationOf(name, await readFile(join(folder, name), 'utf8'))),
  );
}

/** Polls: a session that waits inside PostgreSQL would block `create index concurrently`. */
async function lock(sql: Sql, clock: Clock, onWait?: (why: string) => void): Promise<void> {
  if (await tryLock(sql, SCHEMA_LOCK)) return;
  const isBackup = await isLockedByOne(sql, PARTITION_LOCK);
  onWait?.(
    isBackup
      ? 'Waiting for a backup of the database to end'
      : 'Waiting for another process that updates the schema',
  );
  const attempt = async () => (await tryLock(sql, SCHEMA_LOCK)) || undefined;
  if (await poll(attempt, { clock, limit: LOCK_TIMEOUT, every: 50 })) return;
  throw new MigrationError(
    (await isLockedByOne(sql, PARTITION_LOCK))
      ? 'A backup of the database has been under way for ten minutes, and the schema must not change meanwhile. ' +
          'Start again when it is done, or stop it.'
      : 'Another process has been changing the database for ten minutes. Look what it waits for.',
  );
}

async function createTable(sql: Sql): Promise<void> {
  await sql`create table if not exists schema_migrations (
    version integer primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default now()
  )`;
}

async function readApplied(sql: Sql): Promise<AppliedMigration[]> {
  return sql<AppliedMigration[]>`select version, name, checksum from schema_migrations order by version`;
}

async function apply(connection: Connection, migration: Migration): Promise<void> {
  try {
    if (migration.inTransaction) {
      await runTransaction(connection, async (tx) => {
        await tx.unsafe(migration.text);
        await record(tx, migration);
      });
    } else {
      await connection.sql.unsafe(migration.text);
      await record(connection.sql, migration);
    }
  } catch (cause) {
    throw new MigrationError(`${migration.name} failed: ${(cause as Error).message}`, { cause });
  }
}

async function record(sql: Sql, { version, name, checksum }: Migration): Promise<void> {
  await sql`insert into schema_migrations (version, name, checksum) values (${version}, ${name}, ${checksum})`;
}

export interface Migration {
  readonly version: number;
  /** File name without its folder. */
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the text with plain line ends, the same on every system. */
  readonly checksum: string;
  /** False if the first line is `-- no-transaction`: the file has one statement that can be repeated. */
  readonly inTransaction: boolean;
}

export interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

/** The database cannot be migrated; the message contains the remedy. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** A migration from its file name (`NNN_what_it_does.sql`) and text. */
export function migrationOf(name: string, text: string): Migration {
  const [, digits] = /^(\d{3})_[a-z0-9_]+\.sql$/.exec(name) ?? [];
  if (digits === undefined) throw new MigrationError(`${name} is not named like 001_what_it_does.sql`);
  const plain = text.replaceAll('\r\n', '\n');
  const checksum = createHash('sha256').update(plain).digest('hex');
  return {
    version: Number(digits),
    name,
    text: plain,
    checksum,
    inTransaction: !plain.startsWith('-- no-transaction'),
  };
}

/** The pending migrations, in order. Throws MigrationError if a file was changed, is missing or came too late. */
export function planMigrations(
  files: readonly Migration[],
  applied: readonly AppliedMigration[],
): Migration[] {
  const ordered = files.toSorted((a, b) => a.version - b.version);
  const twice = ordered.find((file, index) => ordered[index + 1]?.version === file.version);
  if (twice !== undefined) throw new MigrationError(`Two migrations have the number of ${twice.name}`);
  for (const done of applied) checkApplied(done, ordered);
  const versions = new Set(applied.map(({ version }) => version));
  const newest = Math.max(0, ...versions);
  const pending = ordered.filter(({ version }) => !versions.has(version));
  const outOfOrder = pending.find(({ version }) => version < newest);
  if (outOfOrder === undefined) return pending;
  throw new MigrationError(
    `${outOfOrder.name} comes too late: migration ${newest} was already applied. Give it a new number.`,
  );
}

function checkApplied(done: AppliedMigration, files: readonly Migration[]): void {
  const file = files.find(({ version }) => version === done.version);
  if (file === undefined) {
    throw new MigrationError(
      `The database knows migration ${done.name}, which this release does not: ` +
        'it was made by a newer release. Start that one, or restore a backup from before it.',
    );
  }
  if (file.checksum === done.checksum) return;
  throw new MigrationError(
    `${file.name} was changed after it had been applied. Restore the file and put the change into a new migration.`,
  );
}
