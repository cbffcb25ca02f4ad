// Proof that the embedded database lets nobody in without a password, and that the service is no superuser in it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { systemClock } from '../../src/lib/clock.ts';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { completeBinaries, packagedBinaries, runProgram } from '../../src/postgres/embedded/binaries.ts';
import { clusterHome, createDataDirectory, ownDirectory } from '../../src/postgres/embedded/cluster-home.ts';
import { PASSWORDS_FILE } from '../../src/postgres/embedded/cluster-roles.ts';
import {
  type EmbeddedOptions,
  type EmbeddedServer,
  type SocketTarget,
  startEmbedded,
} from '../../src/postgres/embedded/embedded.ts';
import { launchServer, openServerLog } from '../../src/postgres/embedded/server-process.ts';
import { migrate, pendingMigrations } from '../../src/postgres/migrations/migrate.ts';
import { atEnd, type Closing, temporaryFolder } from '../support/database/database.ts';
import { startProgram } from '../support/process/children.ts';

async function optionsIn(t: Closing): Promise<EmbeddedOptions> {
  const folder = await temporaryFolder(t, 'roles');
  return { dataDirectory: join(folder, 'data'), log: () => {}, durable: false };
}

async function start(t: Closing, options: Parameters<typeof startEmbedded>[0]): Promise<EmbeddedServer> {
  const server = await startEmbedded(options);
  atEnd(t, () => server.stop());
  return server;
}

async function query(
  socket: Omit<SocketTarget, 'password'>,
  text: string,
): Promise<Record<string, unknown>[]> {
  const database = openDatabase({ socket, maxConnections: 1 });
  try {
    return [...(await database.read((sql) => sql.unsafe(text)))];
  } finally {
    await database.close(1_000);
  }
}

/** For tests that leave it as it is. */
const sharedOptions = await optionsIn({ after });
const shared = await start({ after }, sharedOptions);

/** The SQLSTATE with which the server refuses. */
async function refusal(socket: Omit<SocketTarget, 'password'>): Promise<unknown> {
  const error = await query(socket, 'select 1').catch((met: unknown) => met);
  const { cause = error } = error as Error;
  return (cause as { code?: string }).code;
}

const ME =
  'select rolsuper or rolcreaterole or rolcreatedb as mighty from pg_roles where rolname = current_user';
/** The server asks for a password; one that is missing or wrong ends so. */
const NO_PASSWORD = ['28P01', '28000', 'SASL_SIGNATURE_MISMATCH'];

test('the service is no superuser, owns its database, and migrates it', async (t) => {
  const server = shared;
  assert.deepEqual(await query(server.connection, ME), [{ mighty: false }]);
  const database = openDatabase({ socket: server.connection, maxConnections: 1, timeout: 30_000 });
  atEnd(t, () => database.close(1_000));
  assert.ok((await migrate(database)).length > 5);
  const owner = `select pg_get_userbyid(datdba) as owner from pg_database where datname = current_database()`;
  assert.deepEqual(await query(server.connection, owner), [{ owner: 'freehold' }]);
  assert.deepEqual(await query(server.administration, ME), [{ mighty: true }]);
});

test('nobody gets in without the password, neither as the service nor as the superuser', async () => {
  for (const target of [shared.connection, shared.administration]) {
    const { password: _, ...without } = target;
    assert.ok(NO_PASSWORD.includes(String(await refusal({ ...without, password: 'wrong' } as SocketTarget))));
    assert.notEqual(await refusal(without), undefined);
  }
});

test('a process of the account that the server runs as gets in no more than others', {
  skip: process.getuid?.() === 0 ? false : 'needs root, whose server runs as another account',
}, async () => {
  const server = shared;
  const { uid, gid } = await stat(server.place.cluster);
  const driver = import.meta.resolve('postgres');
  const program = `
    import postgres from ${JSON.stringify(driver)};
    for (const user of ['freehold', 'postgres']) {
      const sql = postgres({ host: ${JSON.stringify(server.place.socket)}, user, database: 'freehold', max: 1 });
      console.log(await sql\`select 1\`.then(() => 'in', () => 'refused'));
      await sql.end({ timeout: 0 });
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    uid,
    gid,
    cwd: '/',
    env: {},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await once(child, 'close');
  assert.equal(said, 'refused\nrefused\n');
});

test('another user who runs a command is told whose database it is', {
  skip: process.getuid?.() === 0 ? false : 'needs root, to run as another user',
}, async (t) => {
  const args = [JSON.stringify(sharedOptions), 'join'];
  const child = startProgram(t, 'database/embedded-child.ts', args, { uid: 65_534, gid: 65_534 });
  const { error } = JSON.parse((await child.line()) ?? '{}') as { error?: string };
  assert.match(error ?? '', /is closed to this user: run this as the user that runs the service\.$/);
});

test('the passwords stand in one file that only its owner can read, and nowhere in the cluster', async (t) => {
  const options = await optionsIn(t);
  const server = await start(t, { ...options, durable: true });
  const file = join(options.dataDirectory, PASSWORDS_FILE);
  const found = await stat(file);
  assert.equal(found.mode & 0o777, 0o600);
  assert.equal(found.uid, process.getuid?.());
  const secrets = [server.connection.password, server.administration.password];
  assert.ok(secrets.every((secret) => secret.length >= 40) && secrets[0] !== secrets[1]);
  await server.stop();
  for (const entry of await readdir(join(server.place.cluster, '..'), {
    recursive: true,
    withFileTypes: true,
  })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name), 'latin1');
    for (const secret of secrets) assert.ok(!bytes.includes(secret), entry.name);
  }
});

test('a lost file of passwords is made anew at the next start, and a cluster restored elsewhere takes those of its new place', async (t) => {
  const options = await optionsIn(t);
  const first = await start(t, options);
  await query(first.connection, 'create table kept (id int)');
  await first.stop();
  await rm(join(options.dataDirectory, PASSWORDS_FILE));
  const second = await start(t, options);
  assert.notEqual(second.connection.password, first.connection.password);
  assert.deepEqual(await query(second.connection, 'select count(*)::int as rows from kept'), [{ rows: 0 }]);
  assert.deepEqual(await query(second.administration, ME), [{ mighty: true }]);
  await second.stop();
  const elsewhere = await start(t, await optionsIn(t));
  await elsewhere.stop();
  await rm(elsewhere.place.cluster, { recursive: true });
  await rename(second.place.cluster, elsewhere.place.cluster);
  const dataDirectory = join(elsewhere.place.cluster, '../..');
  const restored = await start(t, { ...options, dataDirectory });
  assert.equal(restored.connection.password, elsewhere.connection.password);
  assert.deepEqual(await query(restored.connection, 'select count(*)::int as rows from kept'), [{ rows: 0 }]);
});

test('a damaged file of passwords stops the start with its remedy', async (t) => {
  const options = await optionsIn(t);
  await (await start(t, options)).stop();
  const file = join(options.dataDirectory, PASSWORDS_FILE);
  for (const content of ['', '[]', '{"superuser": "a", "service": "b\'; drop"}']) {
    await writeFile(file, content);
    await assert.rejects(startEmbedded(options), /postgres-passwords\.json is damaged\. Remove it: /);
  }
});

/** A cluster as earlier builds made it: its one role is superuser, owns everything, and gets in without a password. */
async function createTrustingCluster(dataDirectory: string): Promise<void> {
  await createDataDirectory(dataDirectory);
  const home = await clusterHome(dataDirectory, '/nowhere');
  const binaries = await completeBinaries(packagedBinaries(), join(home.home, 'lib'));
  const { cluster, user } = home;
  await ownDirectory(cluster, user);
  const rules = ['--auth-local=trust', '--auth-host=reject', '--username=freehold'];
  const args = ['-D', cluster, '--encoding=UTF8', '--locale=C', '--no-sync', ...rules];
  await runProgram({ binaries, user, program: 'initdb', args, input: '' });
  const single = ['--single', '-D', cluster, 'postgres'];
  await runProgram({
    binaries,
    user,
    program: 'postgres',
    args: single,
    input: 'create database freehold\n',
  });
  const socket = join(home.home, 'socket');
  await ownDirectory(socket, user);
  const log = openServerLog(join(home.home, 'server.log'), systemClock);
  const settings = { listen_addresses: '', unix_socket_directories: socket };
  const server = await launchServer({ binaries, cluster, user, settings, log, clock: systemClock });
  const target = { host: socket, database: 'freehold', user: 'freehold' };
  const database = openDatabase({ socket: target, maxConnections: 1, timeout: 30_000 });
  await migrate(database);
  await database.write((sql) => sql`insert into schema_migrations values (0, 'kept', 'kept')`);
  await database.close(1_000);
  await server.stop();
  log.close();
}

test('a cluster that let its account in without a password is closed at the next start, and keeps its rows', async (t) => {
  const options = await optionsIn(t);
  await createTrustingCluster(options.dataDirectory);
  const server = await start(t, options);
  assert.deepEqual(await query(server.connection, ME), [{ mighty: false }]);
  assert.deepEqual(await query(server.connection, 'select name from schema_migrations where version = 0'), [
    { name: 'kept' },
  ]);
  assert.notEqual(
    await refusal({ host: server.place.socket, database: 'freehold', user: 'freehold' }),
    undefined,
  );
  const strangers = `select oid::regclass::text as name from pg_class
    where relnamespace = 'public'::regnamespace and pg_get_userbyid(relowner) <> 'freehold'
    union all select oid::regprocedure::text from pg_proc
    where pronamespace = 'public'::regnamespace and pg_get_userbyid(proowner) <> 'freehold'`;
  assert.deepEqual(await query(server.connection, strangers), []);
  const database = openDatabase({ socket: server.connection, maxConnections: 1, timeout: 30_000 });
  atEnd(t, () => database.close(1_000));
  await database.write((sql) => sql`delete from schema_migrations where version = 0`);
  assert.deepEqual(await pendingMigrations(database), []);
  await database.write((sql) => sql`alter table listing add column proof int`);
});
