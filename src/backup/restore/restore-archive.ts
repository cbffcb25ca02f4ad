// Restore of an archive into an empty database: the schema of its release, its rows, the later migrations, and the mark.

import type { Database, DedicatedConnection, Transaction } from '../../postgres/client/database.ts';
import { createState, migrate, unknownMigrations } from '../../postgres/migrations/migrate.ts';
import { markRestore, readState, takeStateLock } from '../../postgres/state/state-store.ts';
import type { ArchivedTable } from '../archive/format.ts';
import { type Deferred, type DeferredParts, defer, runDeferred } from './deferred-store.ts';
import { type InspectedArchive, openArchive } from './inspect-archive.ts';
import { analyze, countRows, emptyTables, loadRows, prepareSession, setSequence } from './load-store.ts';
import { RestoreError } from './restore-error.ts';
import { createPartitions, dropEverything, listTables } from './schema-store.ts';

export type RestorePhase = 'rows' | 'indexes' | 'migrations' | 'statistics';

export interface RestoreProgress {
  readonly phase: RestorePhase;
  /** Rows, or steps of the phase. */
  readonly done: number;
  readonly total: number;
}

export interface RestoreOptions {
  readonly database: Database;
  readonly archive: InspectedArchive;
  /** Does in the last transaction what a restored service needs to do no harm. */
  readonly afterLoad: (tx: Transaction, isFinal: boolean) => Promise<void>;
  readonly onProgress: (progress: RestoreProgress) => void;
  readonly signal: AbortSignal;
  /** Sessions that load; default 4. */
  readonly sessions?: number;
}

/** The table of the mark has its own row; that of migrations is written by them. */
const OWN_TABLES: readonly string[] = ['database_state', 'schema_migrations'];
const SESSIONS = 4;
/** Megabytes for all indexes that are made at once. */
const INDEX_MEMORY = 512;

/**
 * Restores an archive. Throws RestoreError, with the database as it was, where it is not empty or the archive is of a newer
 * release. What fails later, or is interrupted, leaves the database empty and marked, so that nobody serves it and the same
 * restore can be started again.
 */
export async function restoreArchive(options: RestoreOptions): Promise<void> {
  const { database, archive, signal } = options;
  await requireKnown(archive);
  const guard = database.dedicated();
  try {
    await prepare(database, guard);
    signal.throwIfAborted();
    await markRestore(guard.sql, 'restoring', archive.header.createdAt);
    await fill(options, guard).catch(async (error: unknown) => {
      // Where this fails too, the next restore does it.
      await dropEverything(guard.sql).catch(() => {});
      throw error;
    });
  } finally {
    await guard.end(1);
  }
}

/** Throws RestoreError for an archive whose schema this release does not have. */
async function requireKnown({ header }: InspectedArchive): Promise<void> {
  const [unknown] = await unknownMigrations(header.migrations);
  if (unknown === undefined) return;
  throw new RestoreError(
    `The backup was made by Freehold ${header.release}, whose migration ${unknown.name} this release does not know. ` +
      'Restore it with that release or a newer one.',
  );
}

/** Takes the lock, and empties what an interrupted restore has left. Throws RestoreError for a database that is in use. */
async function prepare(database: Database, { sql }: DedicatedConnection): Promise<void> {
  if (!(await takeStateLock(sql)))
    throw new RestoreError(
      'Another restore or a final backup of this database is under way. Wait until it has ended.',
    );
  const [state, tables] = [await readState(sql), await listTables(sql)];
  if (state.name === 'restoring') await dropEverything(sql);
  else if (tables.length > 0)
    throw new RestoreError(
      `The database is not empty: it has the table ${tables[0]} and ${tables.length - 1} others. Restore into an empty one: ` +
        'set DATA_DIR to a new folder, or DATABASE_URL to a database that was just created.',
    );
  await createState(database);
}

async function fill(options: RestoreOptions, guard: DedicatedConnection): Promise<void> {
  const { database, archive, afterLoad, onProgress, signal } = options;
  const { header, manifest } = archive;
  const { sql } = guard;
  const newest = Math.max(0, ...header.migrations.map(({ version }) => version));
  await migrate(database, { through: newest });
  const tables = header.tables.filter(({ name }) => !OWN_TABLES.includes(name));
  await createPartitions(sql, tables);
  const deferred = await defer(sql);
  await emptyTables(
    sql,
    tables.map(({ name }) => name),
  );
  const bytes = new Map(manifest.tables.map((table) => [table.name, table.bytes]));
  const sessions = Array.from({ length: options.sessions ?? SESSIONS }, () => database.dedicated());
  const onAbort = (): void => {
    for (const session of sessions) session.destroy();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (const session of sessions) await prepareSession(session.sql, INDEX_MEMORY / sessions.length);
    await loadParts(options, sessions);
    signal.throwIfAborted();
    await makeDeferred(deferred, { sessions, bytes, onProgress });
    for (const statement of deferred.last) await runDeferred(sql, statement);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    await Promise.all(sessions.map((session) => session.end(1)));
  }
  for (const sequence of manifest.sequences) await setSequence(sql, sequence);
  await migrate(database, {
    onProgress: (_, done, total) => onProgress({ phase: 'migrations', done, total }),
  });
  signal.throwIfAborted();
  onProgress({ phase: 'statistics', done: 0, total: 1 });
  await analyze(sql);
  await database.transaction(
    async (tx) => {
      await afterLoad(tx, header.final);
      await markRestore(tx, 'restored', header.createdAt);
    },
    { timeout: 0 },
  );
}

/** Hands the parts of the archive to the sessions as they become free, and counts the rows of each table at the end. */
async function loadParts(
  { archive, onProgress, signal }: RestoreOptions,
  sessions: readonly DedicatedConnection[],
): Promise<void> {
  const { file, manifest } = archive;
  const total = manifest.tables.reduce((sum, { rows }) => sum + rows, 0);
  const { header, entries, close } = await openArchive(file);
  if (header.createdAt !== archive.header.createdAt) {
    await close();
    throw new RestoreError('The file of the backup was replaced while it was read. Run the command again.');
  }
  let done = 0;
  const free = [...sessions];
  const loading = new Set<Promise<void>>();
  // In the order of the archive.
  const records = manifest.parts.values();
  let failure: { readonly error: unknown } | null = null;
  const load = async (session: DedicatedConnection, table: ArchivedTable, rows: Buffer, count: number) => {
    await loadRows(session.sql, table, rows);
    done += count;
    onProgress({ phase: 'rows', done, total });
  };
  for await (const entry of entries) {
    signal.throwIfAborted();
    if (entry.kind !== 'part') continue;
    const { table, rows } = entry;
    const count = records.next().value?.rows ?? 0;
    if (OWN_TABLES.includes(table.name)) continue;
    if (free.length === 0) await Promise.race(loading);
    if (failure !== null) break;
    const session = free.pop();
    if (session === undefined) throw new Error('A session that has loaded its part is free');
    const running = load(session, table, rows, count)
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => {
        loading.delete(running);
        free.push(session);
      });
    loading.add(running);
  }
  await Promise.all(loading);
  if (failure !== null) throw (failure as { readonly error: unknown }).error;
  await requireCounts(archive, sessions[0] as DedicatedConnection);
}

/** The file may have been exchanged between the inspection and now, and rows may have been lost to a cause that nobody knows. */
async function requireCounts(
  { header, manifest }: InspectedArchive,
  { sql }: DedicatedConnection,
): Promise<void> {
  const present = new Set(header.tables.map(({ name }) => name));
  for (const { name, rows } of manifest.tables) {
    if (OWN_TABLES.includes(name) || !present.has(name)) continue;
    const found = await countRows(sql, name);
    if (found !== rows)
      throw new RestoreError(
        `The table ${name} has ${found} rows where the backup lists ${rows}. Run the command again, or use another backup.`,
      );
  }
}

interface MakeOptions {
  readonly sessions: readonly DedicatedConnection[];
  /** Of the rows of each table. */
  readonly bytes: ReadonlyMap<string, number>;
  readonly onProgress: RestoreOptions['onProgress'];
}

/** Makes keys and indexes, the largest tables first; those of one table one after another. */
async function makeDeferred(
  { tables }: DeferredParts,
  { sessions, bytes, onProgress }: MakeOptions,
): Promise<void> {
  const size = ({ table }: Deferred): number =>
    [...bytes].reduce(
      (sum, [name, each]) => (name === table || name.startsWith(`${table}_`) ? sum + each : sum),
      0,
    );
  const ordered = tables.toSorted((a, b) => size(b) - size(a));
  const total = ordered.reduce((sum, { statements }) => sum + statements.length, 0);
  let done = 0;
  const queue = ordered.values();
  const work = async ({ sql }: DedicatedConnection): Promise<void> => {
    for (const { statements } of queue)
      for (const statement of statements) {
        await runDeferred(sql, statement);
        onProgress({ phase: 'indexes', done: ++done, total });
      }
  };
  await Promise.all(sessions.map(work));
}
