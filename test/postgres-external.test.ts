// Owns the proof that the oldest supported server, reached over TCP with a password, serves as well as the embedded one.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { systemClock } from '../src/lib/clock.ts';
import { ownDirectory } from '../src/postgres/cluster-place.ts';
import { openDatabase } from '../src/postgres/database.ts';
import { listen, notify } from '../src/postgres/listen.ts';
import { migrate, pendingMigrations } from '../src/postgres/migrate.ts';
import { openServerLog } from '../src/postgres/server-log.ts';
import { launchServer } from '../src/postgres/server-process.ts';
import { serverUser } from '../src/postgres/server-user.ts';
import { atEnd, temporaryFolder } from './support/database.ts';

const NATIVE = '/usr/lib/postgresql/15';
const found = await access(join(NATIVE, 'bin', 'initdb')).then(
  () => true,
  () => false,
);
const skip = found ? false : `no PostgreSQL 15 in ${NATIVE}`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A PostgreSQL 15 of its own on a free port; resolves with the administrator's URL. */
async function startServer(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t, 'external');
  const cluster = join(folder, 'cluster');
  const user = await serverUser(cluster);
  await ownDirectory(cluster, user);
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, 's3cret', { mode: 0o644 });
  const args = ['-D', cluster, '-U', 'admin', '-A', 'scram-sha-256', '--pwfile', passwordFile, '--no-sync'];
  const made = spawn(join(NATIVE, 'bin', 'initdb'), args, { ...user, cwd: '/', stdio: 'ignore' });
  assert.deepEqual(await once(made, 'exit'), [0, null]);
  const port = await freePort();
  const log = openServerLog(join(folder, 'server.log'), systemClock);
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    fsync: 'off',
  };
  const binaries = { native: NATIVE, libraries: undefined };
  const server = await launchServer({ binaries, cluster, user, settings, log, clock: systemClock });
  atEnd(t, async () => {
    await server.stop();
    log.close();
  });
  return `postgres://admin:s3cret@127.0.0.1:${port}/postgres`;
}

test('PostgreSQL 15 over TCP with a password: version, migrations, rows and notifications', {
  skip,
}, async (t) => {
  const url = await startServer(t);
  const database = openDatabase({ url, maxConnections: 2, timeout: 20_000 });
  atEnd(t, () => database.close(100));
  assert.match(await database.serverVersion(), /^15\./);
  assert.ok((await migrate(database)).length > 0);
  assert.deepEqual(await pendingMigrations(database), []);
  const rows = await database.transaction(async (tx) => {
    await tx`create table kept (id int8, at timestamptz)`;
    return tx`insert into kept values (1, '2026-01-05T14:02:11.123Z') returning *`;
  });
  assert.deepEqual([...rows], [{ id: 1, at: '2026-01-05T14:02:11.123Z' }]);
  const { promise: heard, resolve } = Promise.withResolvers<string>();
  const { promise: joined, resolve: onGap } = Promise.withResolvers<void>();
  const listener = listen(database, 'kept', resolve, onGap);
  atEnd(t, () => listener.close());
  await joined;
  await database.write((sql) => notify(sql, 'kept', 'one more'));
  assert.equal(await heard, 'one more');
});

test('a wrong password is a 503 whose cause, for the log alone, names the reason', { skip }, async (t) => {
  const url = (await startServer(t)).replace('s3cret', 'wrong');
  const database = openDatabase({ url, maxConnections: 1 });
  atEnd(t, () => database.close(100));
  await assert.rejects(database.serverVersion(), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'DATABASE_UNAVAILABLE');
    assert.doesNotMatch(error.message, /admin|wrong/);
    assert.equal((error.cause as { code?: string }).code, '28P01');
    return true;
  });
});
