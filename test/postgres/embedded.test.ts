// Proves that the embedded server starts anywhere, belongs to one process, and never outlives it or loses a row.
import assert from 'node:assert/strict';
import { chown, cp, lstat, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { packagedBinaries } from '../../src/postgres/embedded/binaries.ts';
import { fits, PLACE_NOTE } from '../../src/postgres/embedded/cluster-home.ts';
import {
  type EmbeddedOptions,
  type EmbeddedServer,
  EmbeddedServerRunning,
  joinOrStartEmbedded,
  startEmbedded,
} from '../../src/postgres/embedded/embedded.ts';
import { readPostmaster } from '../../src/postgres/embedded/postmaster.ts';
import { until } from '../support/check/until.ts';
import { atEnd, temporaryFolder } from '../support/database/database.ts';
import { type Child, startProgram } from '../support/process/children.ts';

const isRoot = process.getuid?.() === 0;

async function optionsIn(t: TestContext, more: Partial<EmbeddedOptions> = {}): Promise<EmbeddedOptions> {
  const folder = await temporaryFolder(t, 'embedded');
  const systemDirectory = join(folder, 'system');
  return { dataDirectory: join(folder, 'data'), systemDirectory, log: () => {}, durable: false, ...more };
}

async function start(t: TestContext, options: EmbeddedOptions): Promise<EmbeddedServer> {
  const server = await startEmbedded(options);
  atEnd(t, () => server.stop());
  return server;
}

function startChild(
  t: TestContext,
  options: EmbeddedOptions,
  task: string,
  as: { uid?: number; gid?: number } = {},
) {
  return startProgram(t, 'database/embedded-child.ts', [JSON.stringify(options), task], as);
}

async function firstReport(child: Child): Promise<Record<string, unknown>> {
  const line = await child.line();
  assert.ok(line !== undefined, 'the process ended without a word');
  return JSON.parse(line);
}

async function query(server: EmbeddedServer, text: string): Promise<readonly Record<string, unknown>[]> {
  const database = openDatabase({ socket: server.connection, maxConnections: 1 });
  try {
    return await database.read(async (sql) => sql.unsafe(text));
  } finally {
    await database.close();
  }
}

async function execute(server: EmbeddedServer, text: string): Promise<void> {
  await query(server, text);
}

function isRunning(cluster: string): Promise<boolean> {
  return readPostmaster(cluster).then((postmaster) => postmaster !== undefined);
}

test('the server keeps its rows over a stop and a start, and nothing runs in between', async (t) => {
  const options = await optionsIn(t);
  const first = await start(t, options);
  assert.equal(first.place.cluster, join(options.dataDirectory, 'postgres', 'cluster'));
  await execute(first, 'create table kept (id int)');
  await execute(first, 'insert into kept values (7)');
  await first.stop();
  assert.equal(await isRunning(first.place.cluster), false);
  const second = await start(t, options);
  assert.deepEqual([...(await query(second, 'select id from kept'))], [{ id: 7 }]);
});

test('the server is durable, checks its pages, and is reached by its socket alone', async (t) => {
  const server = await start(t, await optionsIn(t, { durable: true }));
  const settings = `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
    current_setting('full_page_writes') as pages, current_setting('data_checksums') as checksums,
    current_setting('listen_addresses') as addresses`;
  const expected = { fsync: 'on', commit: 'on', pages: 'on', checksums: 'on', addresses: '' };
  assert.deepEqual([...(await query(server, settings))], [expected]);
  assert.equal((await stat(server.place.socket)).mode & 0o777, 0o700);
});

test('a second start on the same data directory fails and names the process that runs it', async (t) => {
  const options = await optionsIn(t);
  const child = startChild(t, options, 'serve');
  await firstReport(child);
  await assert.rejects(startEmbedded(options), (error: Error) => {
    assert.ok(error instanceof EmbeddedServerRunning);
    assert.match(error.message, new RegExp(`already runs on .*process ${child.pid}`));
    return true;
  });
  assert.equal(await child.finish(), 0);
});

test('a command joins the running server and leaves it alone when it ends', async (t) => {
  const options = await optionsIn(t);
  const server = await start(t, options);
  const command = startChild(t, options, 'join');
  assert.deepEqual(await firstReport(command), { joined: true, place: server.place, answer: 'freehold' });
  assert.equal(await command.ended, 0);
  assert.deepEqual([...(await query(server, 'select 1 as one'))], [{ one: 1 }]);
});

test('a command starts the server for its own time when no service runs', async (t) => {
  const options = await optionsIn(t);
  const server = await joinOrStartEmbedded(options);
  assert.equal(server.joined, false);
  await server.stop();
  assert.equal(await isRunning(server.place.cluster), false);
});

test('of processes that start at once on an empty data directory one serves, and every command gets an answer', async (t) => {
  const options = await optionsIn(t);
  const services = [startChild(t, options, 'serve'), startChild(t, options, 'serve')];
  const reports = await Promise.all(services.map(firstReport));
  const errors = reports.flatMap(({ error }) => (error === undefined ? [] : [String(error)]));
  assert.equal(errors.length, 1);
  assert.match(errors[0] ?? '', /already runs/);
  const commands = [startChild(t, options, 'join'), startChild(t, options, 'join')];
  const answers = await Promise.all(commands.map(firstReport));
  assert.deepEqual(
    answers.map(({ joined, answer }) => ({ joined, answer })),
    [
      { joined: true, answer: 'freehold' },
      { joined: true, answer: 'freehold' },
    ],
  );
});

test('a service starts as soon as a command has given the server back', async (t) => {
  const options = await optionsIn(t);
  const command = await joinOrStartEmbedded(options);
  const { promise: waiting, resolve } = Promise.withResolvers<void>();
  const starting = startEmbedded({ ...options, log: () => resolve() });
  await waiting;
  await command.stop();
  const server = await starting;
  atEnd(t, () => server.stop());
  assert.equal(server.joined, false);
});

test('after kill -9 of its owner the server stops by itself, and every acknowledged row is there again', async (t) => {
  const options = await optionsIn(t, { durable: true });
  const child = startChild(t, options, 'write');
  const { place } = await firstReport(child);
  const acknowledged: number[] = [];
  while (acknowledged.length < 200) acknowledged.push(Number(await child.line()));
  child.kill('SIGKILL');
  acknowledged.push(...(await child.rest()).map(Number));
  // Started at once: it has to wait for what is left of the killed one.
  const server = await start(t, options);
  const rows = await query(server, 'select id from written');
  const stored = new Set(rows.map(({ id }) => id));
  assert.deepEqual(
    acknowledged.filter((id) => !stored.has(id)),
    [],
  );
  await server.stop();
  assert.equal(await isRunning((place as { cluster: string }).cluster), false);
});

test('no server remains after kill -9 of its owner, without anyone starting another', async (t) => {
  const child = startChild(t, await optionsIn(t), 'serve');
  const { place } = (await firstReport(child)) as unknown as EmbeddedServer;
  assert.equal(await isRunning(place.cluster), true);
  child.kill('SIGKILL');
  await until('the server is gone', async () => !(await isRunning(place.cluster)));
});

test('a server that is killed is started again with its rows, and the database answers again', async (t) => {
  const lines: string[] = [];
  const options = await optionsIn(t, { log: (line) => lines.push(line), durable: true });
  const server = await start(t, options);
  const database = openDatabase({ socket: server.connection, maxConnections: 2 });
  atEnd(t, () => database.close());
  await database.write((sql) => sql`create table kept (id int)`);
  await database.write((sql) => sql`insert into kept values (1)`);
  const killed = await readPostmaster(server.place.cluster);
  process.kill(killed?.pid ?? 0, 'SIGKILL');
  await until('the server runs again', async () => lines.includes('PostgreSQL is running again'));
  assert.deepEqual([...(await database.read((sql) => sql`select id from kept`))], [{ id: 1 }]);
  assert.notEqual((await readPostmaster(server.place.cluster))?.pid, killed?.pid);
});

test('a data directory with a path too long for a socket has its socket elsewhere', async (t) => {
  const options = await optionsIn(t);
  const dataDirectory = join(
    options.dataDirectory,
    ...Array.from({ length: 12 }, () => 'a-folder-with-a-long-name'),
  );
  const server = await start(t, { ...options, dataDirectory });
  atEnd(t, () => rm(server.place.socket, { recursive: true, force: true }));
  assert.ok(server.place.cluster.startsWith(dataDirectory));
  assert.ok(fits(server.place.socket) && !server.place.socket.startsWith(dataDirectory));
  assert.deepEqual([...(await query(server, 'select 1 as one'))], [{ one: 1 }]);
  const joined = await joinOrStartEmbedded({ ...options, dataDirectory });
  assert.deepEqual(joined.place, server.place);
});

test('below a folder that only root can enter, the database stands in the system folder, for good', {
  skip: isRoot ? false : 'only root runs the server as another user',
}, async (t) => {
  const options = await optionsIn(t);
  const home = join(options.dataDirectory, 'home');
  await mkdir(home, { recursive: true, mode: 0o700 });
  const binaries = join(home, 'native');
  await cp(packagedBinaries(), binaries, { recursive: true, verbatimSymlinks: true });
  const inHome = { ...options, dataDirectory: join(home, 'data'), binaries };
  const server = await start(t, inHome);
  const system = options.systemDirectory ?? '';
  for (const folder of Object.values(server.place)) assert.ok(folder.startsWith(system), folder);
  const note = JSON.parse(await readFile(join(inHome.dataDirectory, PLACE_NOTE), 'utf8'));
  assert.equal(server.place.cluster, join(note.home, 'cluster'));
  await execute(server, 'create table kept (id int)');
  await server.stop();
  const again = await start(t, inHome);
  assert.deepEqual([...(await query(again, 'select count(*) as rows from kept'))], [{ rows: 0 }]);
  await again.stop();
  await rm(note.home, { recursive: true });
  await assert.rejects(startEmbedded(inHome), /stood in .* and is not there any more/);
});

async function packageWithoutLinks(folder: string): Promise<string> {
  const native = join(folder, 'package', 'native');
  const filter = async (source: string) => !(await lstat(source)).isSymbolicLink();
  await cp(packagedBinaries(), native, { recursive: true, filter });
  return native;
}

test('an installation whose library links were never made is completed', async (t) => {
  const binaries = await packageWithoutLinks(await temporaryFolder(t, 'package'));
  const server = await start(t, await optionsIn(t, { binaries }));
  assert.deepEqual([...(await query(server, 'select 1 as one'))], [{ one: 1 }]);
});

test('an incomplete installation that cannot be written to works for a user who is not root', {
  skip: isRoot ? false : 'needs root, to make files that another user cannot change',
}, async (t) => {
  const folder = await temporaryFolder(t, 'package');
  const binaries = await packageWithoutLinks(folder);
  const home = join(folder, 'user');
  await mkdir(home);
  await chown(home, 65_534, 65_534);
  const options = { dataDirectory: join(home, 'data'), log: () => {}, durable: false, binaries };
  const child = startChild(t, options, 'serve', { uid: 65_534, gid: 65_534 });
  const { error, place } = await firstReport(child);
  assert.equal(error, undefined);
  assert.equal((place as EmbeddedServer['place']).binaries, binaries);
  assert.equal(await child.finish(), 0);
});
