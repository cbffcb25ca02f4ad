// Proof of restores: every row, sequence and index is there again, what must not go on has ended, and nothing is done to others before it is accepted.

import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createLocalSubscriptions } from '../../src/access/providers/subscription-store.ts';
import { ArchiveError } from '../../src/backup/archive/archive-error.ts';
import { ARCHIVE_FORMAT } from '../../src/backup/archive/format.ts';
import { verifyArchive } from '../../src/backup/archive/verify-archive.ts';
import { writeArchive } from '../../src/backup/archive/write-archive.ts';
import { writeBackupFile } from '../../src/backup/backup-file.ts';
import { inspectArchive } from '../../src/backup/restore/inspect-archive.ts';
import { RestoreError } from '../../src/backup/restore/restore-error.ts';
import { listTables } from '../../src/backup/restore/schema-store.ts';
import { makeHarmless } from '../../src/cli/restore/make-harmless.ts';
import { DatabaseNotServable } from '../../src/postgres/state/database-state.ts';
import { readState, requireServable } from '../../src/postgres/state/state-store.ts';
import { openWatchDatabase, watchState } from '../../src/postgres/state/state-watch.ts';
import { backupFile } from '../support/backup/backup-file.ts';
import { filledDatabase, PUBLIC_URL } from '../support/backup/filled-database.ts';
import { restoreFile } from '../support/backup/restore-file.ts';
import { nextValues, schemaText, tableSums } from '../support/backup/table-sums.ts';
import { mountSmallDisk } from '../support/chaos/disk.ts';
import { until } from '../support/check/until.ts';
import {
  atEnd,
  type Closing,
  emptyDatabase,
  type TestDatabase,
  temporaryFolder,
} from '../support/database/database.ts';
import { startDatabaseProxy } from '../support/database/database-proxy.ts';
import { startPostgres15, withoutPostgres15 } from '../support/database/postgres15.ts';
import { refresh, statusOf } from '../support/oauth/oauth.ts';
import { runCommand, startCli } from '../support/process/cli.ts';
import { startService, type TestService } from '../support/service/service.ts';
import { SECRETS_KEY } from '../support/watch/webhooks.ts';
import { ok, startReceiver } from '../support/webhooks/receiver.ts';

const folder = await temporaryFolder({ after }, 'restore');
const receiver = await startReceiver({ after });
const filled = await filledDatabase({ after }, receiver.port);
const file = join(folder, 'backup');
const finalFile = join(folder, 'final');
await backupFile(filled.database, file);
await backupFile(filled.database, finalFile, { isFinal: true });
/** What is not restored: the mark, and when migrations ran. */
const OWN = ['database_state', 'schema_migrations'];
/** A copy counts apart from its original. */
const APART = 'limits_state';
const sums = await sumsOf(filled);

async function sumsOf({ database }: Pick<TestDatabase, 'database'>) {
  const all = await tableSums(database);
  return Object.fromEntries(Object.entries(all).filter(([name]) => !OWN.includes(name) && name !== APART));
}

const serve = (t: Closing, created: TestDatabase) =>
  startService(t, { createDatabase: async () => created, keepsKeys: true, environment: { PUBLIC_URL } });

test('every row, sequence and part of the schema is as it was', async (t) => {
  const created = await emptyDatabase(t);
  await restoreFile(created.database, finalFile);
  assert.ok(Object.values(sums).filter((sum) => !sum.startsWith('0 ')).length > 25, 'most tables have rows');
  assert.deepEqual(await sumsOf(created), sums);
  assert.deepEqual(await nextValues(created.database), await nextValues(filled.database));
  assert.deepEqual(await schemaText(created.database), await schemaText(filled.database));
  assert.equal((await created.database.read(readState)).name, 'restored');
});

test('of a final backup tokens and cursors go on', async (t) => {
  const created = await emptyDatabase(t);
  await restoreFile(created.database, finalFile);
  const service = await serve(t, created);
  assert.equal(await statusOf(service, filled.app.accessToken), 200);
  const head = await changesNow(service);
  assert.equal(await statusOfChanges(service, head + 1), 400);
});

test('of any other, tokens, grants and the secret end, keys stay, and sequences go on where none was given', async (t) => {
  const { header } = await verifyArchive(createReadStream(file), { passphrase: async () => null });
  assert.equal(
    header.tables.some(({ name }) => name === 'oauth_secret'),
    false,
    'the secret stays outside',
  );
  const created = await emptyDatabase(t);
  await restoreFile(created.database, file);
  const service = await serve(t, created);
  assert.notEqual(await statusOf(service, filled.app.accessToken), 200);
  const refreshed = await refresh(service, filled.app);
  assert.equal(refreshed.status, 400);
  assert.equal((await service.get('/v1/usage', filled.key)).status, 200);
  const differing = Object.entries(await sumsOf(created)).filter(([name, sum]) => sum !== sums[name]);
  const changed = differing.map(([name]) => name).filter((name) => /^(oauth|provider|change_gap)/.test(name));
  for (const name of [
    'change_gap',
    'oauth_access_token',
    'oauth_grant',
    'oauth_refresh_token',
    'oauth_secret',
  ])
    assert.ok(changed.includes(name), name);
  const [grants] = await created.database.read(
    (sql) => sql`select count(*)::int as all, count(revoked_at)::int as ended from oauth_grant`,
  );
  assert.equal(grants?.ended, grants?.all);
  const head = await changesNow(service);
  assert.equal(await statusOfChanges(service, head), 200);
  assert.equal(await statusOfChanges(service, head + 1), 410);
});

test('nothing is sent before the database is accepted, and then what has waited', async (t) => {
  const created = await emptyDatabase(t);
  await restoreFile(created.database, file);
  receiver.arrivals.length = 0;
  receiver.answer = ok;
  const { service, accept } = await serveWatched(t, created);
  const ready: { checks: { name: string; ok: boolean; detail: string }[] } =
    await service.json('/readyz?verbose');
  const check = ready.checks.find(({ name }) => name === 'database-state');
  assert.equal(check?.ok, false);
  assert.match(check?.detail ?? '', /restored from a backup[\s\S]*freehold restore accept/);
  assert.doesNotMatch(await (await service.get('/metrics')).text(), /freehold_webhook_open_deliveries/);
  assert.equal(receiver.arrivals.length + receiver.forged.length, 0);
  await accept([]);
  await until('what has waited arrives', () => receiver.arrivals.length + receiver.forged.length > 0);
  // What readiness remembers is over.
  service.clock.advance(2_000);
  const { checks }: typeof ready = await service.json('/readyz?verbose');
  assert.equal(checks.find(({ name }) => name === 'database-state')?.detail, 'serving');
});

test('a copy sends nothing for good', async (t) => {
  const created = await emptyDatabase(t);
  await restoreFile(created.database, file);
  const { service, accept } = await serveWatched(t, created);
  await accept(['--as-copy']);
  await until('the process knows', async () => {
    service.clock.advance(2_000);
    return (await (await service.get('/readyz?verbose')).text()).includes('is a copy');
  });
  assert.doesNotMatch(await (await service.get('/metrics')).text(), /freehold_webhook_open_deliveries/);
  const again = await runCommand(['restore', 'accept'], {
    folder,
    environment: { DATABASE_URL: created.url },
  });
  assert.equal(again.code, 1);
  assert.match(again.stderr, /off\s+for good/);
});

test('a database that is not empty is refused, and stays as it is', async (t) => {
  const created = await emptyDatabase(t);
  await created.database.write((sql) => sql`create table guests (name text)`);
  await assert.rejects(restoreFile(created.database, file), (error: Error) => {
    assert.ok(error instanceof RestoreError);
    assert.match(error.message, /not empty: it has the table guests/);
    return true;
  });
  assert.deepEqual(await created.database.read(listTables), ['guests']);
  assert.equal((await created.database.read(readState)).name, 'serving');
});

test('a disk with too little room is refused before anything is written, with the room that is needed', async (t) => {
  const disk = await mountSmallDisk(t, 16);
  if (typeof disk === 'string') return t.skip(disk);
  const run = await runCommand(['restore', file], { folder, environment: { DATA_DIR: disk.folder } });
  assert.equal(run.code, 1);
  assert.match(
    run.stderr,
    /needs about 0\.[2-9] GB, and 0\.0 GB are free in \S+\. Free some space, or set DATA_DIR/,
  );
  assert.ok(run.stderr.includes(disk.folder), run.stderr);
  assert.deepEqual(await readdir(disk.folder), []);
});

test('nothing is written for a backup that is damaged, cut short, newer, or sealed with another passphrase', async (t) => {
  const created = await emptyDatabase(t);
  const whole = await readFile(file);
  const broken = join(folder, 'broken');
  const refused = async (bytes: Buffer, message: RegExp) => {
    await writeFile(broken, bytes);
    await assert.rejects(restoreFile(created.database, broken), (error: Error) => {
      assert.ok(error instanceof ArchiveError || error instanceof RestoreError, String(error));
      assert.match(error.message, message);
      return true;
    });
    assert.deepEqual(await created.database.read(listTables), []);
    await assert.doesNotReject(requireServable(created.database));
  };
  for (const share of [0.02, 0.4, 0.7, 0.999]) {
    const damaged = Buffer.from(whole);
    const at = Math.floor(whole.length * share);
    damaged[at] = (damaged[at] ?? 0) ^ 0x10;
    await refused(damaged, /damaged/);
  }
  await refused(whole.subarray(0, whole.length - 100), /cut short/);
  await refused(
    await archiveOf({ migration: 900 }),
    /does not know\. Restore it with that release or a newer one/,
  );
  await refused(await archiveOf({ format: ARCHIVE_FORMAT + 1 }), /Use that release/);
  const sealed = join(folder, 'sealed');
  await backupFile(filled.database, sealed, { passphrase: 'correct horse' });
  const { signal } = new AbortController();
  const withPassphrase = (passphrase: string | null) =>
    inspectArchive({ path: sealed, passphrase: async () => passphrase }, () => {}, signal);
  await assert.rejects(withPassphrase('another one'), /another passphrase/);
  await assert.rejects(withPassphrase(null), /Give its passphrase/);
  assert.equal((await withPassphrase('correct horse')).header.final, false);
});

/** An archive without rows, of a release that does not exist. */
async function archiveOf(changes: {
  readonly format?: number;
  readonly migration?: number;
}): Promise<Buffer> {
  const path = join(folder, 'strange');
  const { format = ARCHIVE_FORMAT, migration } = changes;
  const name = `${migration}_later.sql`;
  const header = {
    format,
    release: '99.0.0',
    createdAt: '2030-01-01T00:00:00.000Z',
    postgres: '18.4',
    final: false,
    migrations: migration === undefined ? [] : [{ version: migration, name, checksum: 'none' }],
    sequence: 0,
    tables: [],
  };
  const facts = { finishedAt: header.createdAt, sequences: [], outside: { settings: [], files: [] } };
  await writeBackupFile(path, (output) => writeArchive({ header, output, seal: null }, async () => facts));
  return readFile(path);
}

const environmentOf = ({ url }: Pick<TestDatabase, 'url'>) => ({
  DATABASE_URL: url,
  DATA_DIR: join(folder, 'data'),
});

for (const signal of ['SIGKILL', 'SIGINT'] as const)
  test(`a restore that ${signal} interrupts leaves a marked database that nobody serves, and can be run again`, async (t) => {
    const created = await emptyDatabase(t);
    const environment = environmentOf(created);
    const run = startCli(t, ['restore', file], { folder, environment });
    await until(
      'the restore is under way',
      async () => (await created.database.read(readState)).name === 'restoring',
    );
    run.kill(signal);
    const { code, stderr } = await run.ended;
    if (signal === 'SIGINT') {
      assert.equal(code, 130);
      assert.match(stderr, /Interrupted[\s\S]*run the same command again/);
      assert.deepEqual(await created.database.read(listTables), []);
    }
    await assert.rejects(requireServable(created.database), (error: Error) => {
      assert.ok(error instanceof DatabaseNotServable);
      assert.match(error.message, /freehold restore FILE/);
      return true;
    });
    await until('its sessions have ended', async () => {
      const [row] = await created.database.read(
        (sql) =>
          sql`select count(*)::int as count from pg_stat_activity where datname = ${created.name} and application_name like 'freehold%'`,
      );
      return row?.count === 0;
    });
    await restoreFile(created.database, finalFile);
    assert.deepEqual(await sumsOf(created), sums);
  });

test('a restore whose connections are lost can be run again', async (t) => {
  const created = await emptyDatabase(t);
  const proxy = await startDatabaseProxy(t, created.url);
  const run = startCli(t, ['restore', file], { folder, environment: environmentOf(proxy) });
  await until(
    'the restore is under way',
    async () => (await created.database.read(readState)).name === 'restoring',
  );
  proxy.mode = 'cut';
  const { code, stderr } = await run.ended;
  assert.equal(code, 1, stderr);
  await assert.rejects(requireServable(created.database), DatabaseNotServable);
  await restoreFile(created.database, finalFile);
  assert.deepEqual(await sumsOf(created), sums);
});

test('keys of the archive are put into the data directory, never over others; without them the command says what stays sealed', async (t) => {
  const withKeys = join(folder, 'with-keys');
  await backupFile(filled.database, withKeys, { secretsKey: SECRETS_KEY });
  const [first, second] = [await emptyDatabase(t), await emptyDatabase(t)];
  const place = await temporaryFolder(t, 'keys');
  const environment = { DATABASE_URL: first.url, DATA_DIR: place };
  const restored = await runCommand(['restore', withKeys], { folder, environment });
  assert.equal(restored.code, 0, restored.stderr);
  assert.match(restored.stdout, /set SECRETS_KEY to what that file contains/);
  assert.match(restored.stdout, /secrets of 1 of 1 webhooks cannot be opened/);
  assert.match(restored.stdout, /nothing to anyone until `freehold restore accept`/);
  assert.equal((await readFile(join(place, 'secrets.key'), 'utf8')).trim(), SECRETS_KEY);
  assert.equal((await stat(join(place, 'secrets.key'))).mode & 0o777, 0o600);
  await writeFile(join(place, 'secrets.key'), Buffer.alloc(32, 1).toString('base64'));
  const again = { ...environment, DATABASE_URL: second.url };
  const refused = await runCommand(['restore', withKeys], { folder, environment: again });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /other keys than the backup/);
  await rm(join(place, 'secrets.key'));
  await symlink(join(place, 'nowhere'), join(place, 'secrets.key'));
  const dangling = await runCommand(['restore', withKeys], { folder, environment: again });
  assert.match(dangling.stderr, /secrets\.key is a link to a file that does not exist\. Remove the link/);
  assert.deepEqual(await second.database.read(listTables), []);
});

test('a final backup moves an external database into the embedded one', async (t) => {
  const created = await emptyDatabase(t);
  await restoreFile(created.database, finalFile);
  const place = await temporaryFolder(t, 'moved');
  const move = join(folder, 'move');
  const external = { DATABASE_URL: created.url, DATA_DIR: place };
  const backup = await runCommand(['backup', move, '--final'], { folder, environment: external });
  assert.equal(backup.code, 0, backup.stderr);
  assert.match(backup.stderr, /The database is closed/);
  assert.equal((await created.database.read(readState)).name, 'closed');
  const embedded = { folder, environment: { DATA_DIR: place } };
  const restored = await runCommand(['restore', move], embedded);
  assert.equal(restored.code, 0, restored.stderr);
  assert.match(restored.stdout, /the final backup of/);
  const accepted = await runCommand(['restore', 'accept'], embedded);
  assert.equal(accepted.code, 0, accepted.stderr);
  const grants = await runCommand(['grants', 'list', '--json'], embedded);
  assert.equal(grants.code, 0, grants.stderr);
  assert.match(grants.stdout, /desktop-app/);
});

test('a database moves to PostgreSQL 15 and back to 18, by final backups, with every row as it was', {
  skip: withoutPostgres15,
}, async (t) => {
  const external = { DATABASE_URL: await startPostgres15(t), DATA_DIR: await temporaryFolder(t, 'external') };
  const embedded = { DATA_DIR: await temporaryFolder(t, 'returned') };
  const [first, second] = [join(folder, 'to-15'), join(folder, 'from-15')];
  const source = await emptyDatabase(t);
  await restoreFile(source.database, finalFile);
  const steps = [
    [{ DATABASE_URL: source.url, DATA_DIR: external.DATA_DIR }, ['backup', first, '--final']],
    [external, ['restore', first]],
    [external, ['restore', 'accept']],
    [external, ['backup', second, '--final']],
    [embedded, ['restore', second]],
  ] as const;
  for (const [environment, command] of steps) {
    const { code, stderr } = await runCommand([...command], { folder, environment });
    assert.equal(code, 0, `${command.join(' ')}: ${stderr}`);
  }
  const { header, manifest } = await verifyArchive(createReadStream(second), {
    passphrase: async () => null,
  });
  assert.match(header.postgres, /^15\./);
  const before = await verifyArchive(createReadStream(first), { passphrase: async () => null });
  const rows = (all: typeof manifest.tables) =>
    all.filter(({ name }) => !OWN.includes(name)).map(({ name, rows, bytes }) => `${name} ${rows} ${bytes}`);
  assert.deepEqual(rows(manifest.tables).toSorted(), rows(before.manifest.tables).toSorted());
});

test('a copy counts limits apart from its original, with which it may share a server', async (t) => {
  const created = await emptyDatabase(t);
  await restoreFile(created.database, finalFile);
  const find = () =>
    created.database.read((sql) => sql`select installation, epoch::int as epoch from limits_state`);
  const [original] = await find();
  await created.database.transaction((tx) => makeHarmless(tx, true));
  const [copy] = await find();
  assert.notEqual(copy?.installation, original?.installation);
  assert.equal(copy?.epoch, original?.epoch + 1);
});

test('subscriptions at a payment service count for nothing before they are confirmed', async (t) => {
  const created = await emptyDatabase(t);
  await restoreFile(created.database, finalFile);
  await created.database.transaction(async (tx) => {
    await tx`insert into provider_subscription (provider, reference, state, tier, checked_at)
      values ('stripe', 'sub_1', 'active', 'pro', clock_timestamp())`;
    await makeHarmless(tx, true);
  });
  const [row] = await created.database.read(
    (sql) => sql`select extract(epoch from checked_at)::int as checked from provider_subscription`,
  );
  assert.equal(row?.checked, 0);
});

async function serveWatched(t: Closing, created: TestDatabase) {
  const watched = openWatchDatabase({ url: created.url });
  const state = await watched.read(readState);
  const databaseState = watchState({
    database: watched,
    state,
    report: (error) => assert.fail(String(error)),
  });
  atEnd(t, async () => {
    await databaseState.stop();
    await watched.close();
  });
  const service = await startService(t, {
    createDatabase: async () => created,
    keepsKeys: true,
    databaseState,
    environment: { SECRETS_KEY, WEBHOOK_ALLOW: `127.0.0.1:${receiver.port}` },
  });
  async function accept(options: readonly string[]): Promise<void> {
    const environment = { DATABASE_URL: created.url };
    const { code, stderr } = await runCommand(['restore', 'accept', ...options], { folder, environment });
    assert.equal(code, 0, stderr);
  }
  return { service, accept };
}

async function changesNow(service: TestService): Promise<number> {
  const key = await businessKey(service);
  const { page }: { page: { nextCursor: string } } = await service.json('/v1/changes?after=now', key);
  return Number(page.nextCursor);
}

async function statusOfChanges(service: TestService, sequence: number): Promise<number> {
  return (await service.get(`/v1/changes?after=${sequence}`, await businessKey(service))).status;
}

async function businessKey({ database, clock }: TestService): Promise<string> {
  return (await createLocalSubscriptions(database, clock).create({ plan: 'business' })).key;
}
