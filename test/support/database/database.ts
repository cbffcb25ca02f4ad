// Databases that tests use: one server for a run, and a fresh, migrated database for each test file.

import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { socketUrl } from '../../../src/postgres/client/connection-url.ts';
import { type Database, openDatabase } from '../../../src/postgres/client/database.ts';
import { startEmbedded } from '../../../src/postgres/embedded/embedded.ts';
import { processState } from '../../../src/postgres/embedded/postmaster.ts';
import { MIGRATIONS_FOLDER, migrate } from '../../../src/postgres/migrations/migrate.ts';

/** Set by test/run.ts for its children, or by whoever wants the tests on a server of their own (a superuser's URL). */
export const SERVER_VARIABLE = 'TEST_DATABASE_URL';

/** A node:test context, or anything else that calls back at its end: `{ after }` of node:test serves a whole file. */
export interface Closing {
  after(callback: () => Promise<void>): void;
}

export interface TestDatabase {
  readonly database: Database;
  /** For the service's DATABASE_URL. */
  readonly url: string;
  readonly name: string;
}

const endings = new WeakMap<Closing, (() => Promise<void>)[]>();

/** Runs callbacks at the end of the test, the last added first: node:test itself runs them in the order of adding. */
export function atEnd(t: Closing, callback: () => Promise<void>): void {
  const callbacks = endings.get(t) ?? [];
  callbacks.push(callback);
  if (endings.has(t)) return;
  endings.set(t, callbacks);
  t.after(async () => {
    for (const end of callbacks.toReversed()) await end();
  });
}

/** A fresh database with every migration applied, dropped when the test (or file) ends. */
export async function testDatabase(t: Closing): Promise<TestDatabase> {
  return freshDatabase(t, createFromTemplate);
}

/** A fresh database without any table. */
export async function emptyDatabase(t: Closing): Promise<TestDatabase> {
  return freshDatabase(t, (maintenance, _server, name) =>
    maintenance.write((sql) => sql.unsafe(`create database ${name} owner ${ROLE}`)),
  );
}

/** A fresh database with every migration applied whose texts are ordered as in English, by ICU, where none names a collation. */
export async function englishDatabase(t: Closing): Promise<TestDatabase> {
  const created = await freshDatabase(t, (maintenance, _server, name) =>
    maintenance.write((sql) =>
      sql.unsafe(
        `create database ${name} template template0 locale_provider icu icu_locale 'en-US' owner ${ROLE}`,
      ),
    ),
  );
  await migrate(created.database);
  return created;
}

type Creation = (maintenance: Database, server: string, name: string) => Promise<unknown>;

async function freshDatabase(t: Closing, create: Creation): Promise<TestDatabase> {
  const server = await serverUrl();
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`;
  await withMaintenance(server, async (maintenance) => {
    await createRole(maintenance);
    await create(maintenance, server, name);
  });
  const url = databaseOn(server, name);
  const database = openDatabase({
    url,
    maxConnections: 4,
    applicationName: name,
    timeout: 20_000,
  });
  atEnd(t, async () => {
    await database.close(1_000);
    await withMaintenance(server, (maintenance) =>
      maintenance.write((sql) => sql.unsafe(`drop database if exists ${name} with (force)`)),
    );
  });
  return { database, url, name };
}

/** A role of its own, with this password, that may do what the owner of the test databases may. */
export async function testAccount(t: Closing, password: string): Promise<{ user: string; password: string }> {
  const server = await serverUrl();
  const user = `account_${process.pid}_${randomBytes(6).toString('hex')}`;
  await withMaintenance(server, async (maintenance) => {
    await createRole(maintenance);
    await maintenance.write((sql) =>
      sql.unsafe(`create role ${user} login password '${password}' in role ${ROLE}`),
    );
  });
  atEnd(t, () =>
    withMaintenance(server, async (maintenance) => {
      await maintenance.write((sql) => sql.unsafe(`drop role ${user}`));
    }),
  );
  return { user, password };
}

/** An empty folder that the database's user can reach, removed at the end. */
export async function temporaryFolder(t: Closing, purpose: string): Promise<string> {
  const folder = await makeFolder(purpose);
  atEnd(t, () => removeFolder(folder));
  return folder;
}

/** Starts the server of a run in a temporary folder, in memory if there is room; `stop` removes both. */
export async function startTestServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const parent = (await hasRoom(MEMORY_FOLDER)) ? MEMORY_FOLDER : tmpdir();
  await removeAbandoned(parent);
  const folder = await makeFolder('run', parent);
  const complain = (line: string) => process.stderr.write(`${line}\n`);
  const server = await startEmbedded({ dataDirectory: folder, log: complain, durable: false });
  const stop = async () => {
    await server.stop();
    await removeFolder(folder);
  };
  return { url: socketUrl(server.administration), stop };
}

const LOCK = 7_310_331;
/** Owns the databases of tests; its password too. */
const ROLE = 'freehold_test';
let own: Promise<string> | undefined;

/** A file that is run alone starts a server for itself; it ends with the process, whatever becomes of that. */
function serverUrl(): Promise<string> {
  const shared = process.env[SERVER_VARIABLE];
  if (shared !== undefined && shared !== '') return Promise.resolve(shared);
  own ??= startTestServer().then(({ url }) => url);
  return own;
}

/** As the role that owns it, which is no superuser: the service needs none. */
function databaseOn(server: string, name: string): string {
  return server.replace(/^([^?]*:\/\/)(?:[^@/?]*@)?([^/?]*)\/?[^?]*/, `$1${ROLE}:${ROLE}@$2/${name}`);
}

async function createRole(maintenance: Database): Promise<void> {
  await maintenance.write((sql) =>
    sql.unsafe(`do $$ begin create role ${ROLE} login password '${ROLE}';
      exception when duplicate_object or unique_violation then null; end $$`),
  );
}

async function withMaintenance<T>(server: string, work: (database: Database) => Promise<T>): Promise<T> {
  const maintenance = openDatabase({ url: server, maxConnections: 2, timeout: 60_000 });
  try {
    return await work(maintenance);
  } finally {
    await maintenance.close(1_000);
  }
}

/** Templates are named for what the migrations hold, so one that fits is never stale. One file at a time copies. */
async function createFromTemplate(maintenance: Database, server: string, name: string): Promise<void> {
  const template = `template_${await migrationsHash()}`;
  const guard = maintenance.dedicated();
  try {
    await guard.sql`select pg_advisory_lock(${LOCK})`;
    const [present] = await guard.sql`select 1 from pg_database where datname = ${template}`;
    if (present === undefined) await createTemplate(maintenance, server, template);
    await guard.sql.unsafe(`create database ${name} template ${template} owner ${ROLE}`);
  } finally {
    await guard.end(1);
  }
}

/** Built under another name: a run that dies half-way leaves no half template. */
async function createTemplate(maintenance: Database, server: string, template: string): Promise<void> {
  const draft = `${template}_${process.pid}`;
  await maintenance.write((sql) => sql.unsafe(`create database ${draft} owner ${ROLE}`));
  const database = openDatabase({ url: databaseOn(server, draft), maxConnections: 1, timeout: 0 });
  await migrate(database).finally(() => database.close(1_000));
  await maintenance.write((sql) => sql.unsafe(`alter database ${draft} rename to ${template}`));
}

async function migrationsHash(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(MIGRATIONS_FOLDER)).toSorted()) {
    hash.update(name).update(await readFile(join(MIGRATIONS_FOLDER, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

const PREFIX = 'freehold-test-';

/** A server whose owner was killed stops by itself, and may write a last file while its folder is being emptied. */
function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

async function makeFolder(purpose: string, parent = tmpdir()): Promise<string> {
  const folder = join(parent, `${PREFIX}${process.pid}-${purpose}-${randomBytes(4).toString('hex')}`);
  await mkdir(folder, { mode: 0o711 });
  return folder;
}

/** A new database is a thousand small files, which a disk's file system takes several times as long to create. */
const MEMORY_FOLDER = '/dev/shm';
/** Bytes, about twice what a run needs. */
const MEMORY_NEEDED = 6 * 2 ** 30;

async function hasRoom(memoryFolder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(memoryFolder).catch(() => ({ bavail: 0, bsize: 0 }));
  return Math.min(bavail * bsize, process.availableMemory()) >= MEMORY_NEEDED;
}

/** Runs that were killed could not clean up; their number tells that they are gone. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const folder of new Set([parent, tmpdir()]))
    for (const name of await readdir(folder)) {
      const [, pid] = /^freehold-test-(\d+)-/.exec(name) ?? [];
      if (pid === undefined || (await processState(Number(pid))) !== undefined) continue;
      await rm(join(folder, name), { recursive: true, force: true });
    }
}
