// Proof of what `freehold doctor` finds amiss: settings, tiers file, port, watchers and their logs.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createLocalSubscriptions } from '../../src/access/providers/subscription-store.ts';
import { healthChecks } from '../../src/app/health-checks.ts';
import { appendPrivateEntries } from '../../src/changes/change-store.ts';
import { checkConnections } from '../../src/cli/doctor/doctor-database.ts';
import { checkSearch } from '../../src/cli/doctor/doctor-search.ts';
import { DAY, MINUTE, systemClock } from '../../src/lib/clock.ts';
import { createDayPartitions, dayOf } from '../../src/postgres/client/day-partitions.ts';
import { ALWAYS_SERVING } from '../../src/postgres/state/state-watch.ts';
import { type EngineStatus, NO_ENGINE } from '../../src/search/engine/lifecycle/search-engine.ts';
import { STARTING } from '../../src/sources/replication-status.ts';
import { MATCHING_LEASE } from '../../src/watch/events/position-store.ts';
import { atEnd, type Closing, temporaryFolder, testDatabase } from '../support/database/database.ts';
import { runCli, runCommand } from '../support/process/cli.ts';
import { serveRoutes } from '../support/service/http-server.ts';
import { startService } from '../support/service/service.ts';

const folder = await temporaryFolder({ after }, 'doctor');

interface Finding {
  readonly name: string;
  readonly state: string;
  readonly detail: string;
  readonly remedy: string | null;
}

async function examine(environment: Record<string, string>): Promise<Map<string, Finding>> {
  const { stdout } = await runCommand(['doctor', '--json'], { folder, environment });
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return new Map(findings.map((finding) => [finding.name, finding]));
}

async function occupiedPort(): Promise<number> {
  const server = createServer();
  atEnd({ after }, async () => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('doctor fails where a setting is misspelt, and names the one that was meant', async () => {
  const found = (await examine({ DATABSE_URL: 'postgres://a@b/c' })).get('configuration');
  assert.equal(found?.state, 'fail');
  assert.match(found?.detail ?? '', /^DATABSE_URL is not a setting; did you mean DATABASE_URL\?/);
});

test('doctor fails where the tiers file cannot be used, and is content where it can', async () => {
  const file = join(folder, 'tiers.json');
  await writeFile(file, '{"free": {"minutes": 30}}');
  const wrong = (await examine({ TIERS_FILE: file, PORT: '0' })).get('tiers file');
  assert.equal(wrong?.state, 'fail');
  assert.match(wrong?.detail ?? '', /free\.minutes: no such member/);
  await writeFile(file, '{"free": {"minute": 30}}');
  assert.equal((await examine({ TIERS_FILE: file, PORT: '0' })).get('tiers file')?.state, 'ok');
});

test('doctor warns where the tiers file gives callers without credentials more than the built-in limits', async () => {
  const file = join(folder, 'loose.json');
  const examineWith = async (anonymous: object) => {
    await writeFile(file, JSON.stringify({ anonymous }));
    return (await examine({ TIERS_FILE: file, PORT: '0' })).get('tiers file');
  };
  const loose = await examineWith({ minute: 30, month: null, page: 10 });
  assert.equal(loose?.state, 'warn');
  assert.match(
    loose?.detail ?? '',
    /30 requests a minute instead of 10, unlimited requests a month instead of 100$/,
  );
  assert.equal((await examineWith({ page: 11 }))?.state, 'warn');
  assert.equal((await examineWith({ minute: 5, month: 50, page: 10 }))?.state, 'ok');
});

test('doctor fails where another program has the port, and is content where Freehold itself has it', async (t) => {
  const taken = (await examine({ PORT: String(await occupiedPort()) })).get('port');
  assert.equal(taken?.state, 'fail');
  assert.match(taken?.detail ?? '', /^Port \d+ on 127\.0\.0\.1 is in use/);
  const { port } = new URL((await startService(t)).url);
  const own = (await examine({ PORT: port })).get('port');
  assert.equal(own?.state, 'ok');
  assert.match(own?.detail ?? '', /in use by a running Freehold/);
});

test('serve says in one sentence that its port is taken, and has made nothing', async (t) => {
  const port = String(await occupiedPort());
  const environment = { PORT: port, DATA_DIR: join(folder, 'none') };
  const { code, stderr } = await runCli(t, ['serve'], { folder, environment });
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`^Error: Port ${port} on 127\\.0\\.0\\.1 is in use.*\\n$`));
  assert.equal((await examine({ ...environment, PORT: '0' })).get('data directory')?.state, 'warn');
});

test('serve says in one sentence that its data directory cannot be written', async (t) => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  const environment = { PORT: '0', DATA_DIR: join(file, 'data') };
  const { code, stderr } = await runCli(t, ['serve'], { folder, environment });
  assert.equal(code, 1);
  assert.match(stderr, /^Error: DATA_DIR=\S+ cannot be written \(ENOTDIR\): make it writable.*\n$/);
});

/** A database with one active watcher, and a process that has matched everything. */
async function watchedDatabase(t: Closing) {
  const { database, url } = await testDatabase(t);
  const subscriptions = createLocalSubscriptions(database, systemClock);
  const { id } = await subscriptions.create({ plan: 'pro' });
  await database.write(
    (sql) => sql`
      insert into watcher (id, owner, allowance, subscription, target_type, target, events, cadence, ignore_display_rules,
        backfill, status, metadata, version, created_at, updated_at)
      values ('wat_one', 'sub:one', 'sub:one', ${id}, 'listing', '{"type":"listing","listingId":"lst_a"}',
        '{listing.updated}', 'instant', false, false, 'active', '{}', 1, now(), now())`,
  );
  for (const table of ['change', 'watch_event', 'watch_event_content', 'webhook_delivery'])
    await createDayPartitions(database, table, systemClock.now());
  await database.write(
    (sql) => sql`insert into work_lease (name, holder, leased_until)
      values (${MATCHING_LEASE}, 'a', now() + interval '1 hour')`,
  );
  return {
    database,
    look: () => examine({ DATABASE_URL: url, PORT: '0' }),
    /** Writes an entry that has not become events. */
    append: (at: number) =>
      database.transaction((tx) =>
        appendPrivateEntries(tx, [{ watcherId: 'wat_one', action: 'updated', data: {} }], at),
      ),
  };
}

test('doctor says how far watchers are behind the log, and warns once they are late', async (t) => {
  const { look, append } = await watchedDatabase(t);
  const none = (await look()).get('watchers');
  assert.deepEqual([none?.state, none?.detail], ['ok', '1 active, 0 changes behind']);
  await append(systemClock.now());
  const one = (await look()).get('watchers');
  assert.deepEqual([one?.state, one?.detail], ['ok', '1 active, 1 change behind']);
});

test('doctor warns of changes that wait for minutes, with what helps', async (t) => {
  const { look, append } = await watchedDatabase(t);
  await append(systemClock.now() - 10 * MINUTE);
  const late = (await look()).get('watchers');
  assert.equal(late?.state, 'warn');
  assert.match(late?.detail ?? '', /^1 active, 1 change behind, the oldest of 6\d\d seconds ago$/);
  assert.match(late?.remedy ?? '', /statements that wait for locks/);
});

test('doctor fails where the folder of backups can neither be written nor made', async (t) => {
  const { url } = await testDatabase(t);
  const file = join(folder, 'in-the-way');
  await writeFile(file, '');
  const look = async (directory: string) =>
    (await examine({ DATABASE_URL: url, PORT: '0', BACKUP_DIR: directory, BACKUP_AT: '03:00' })).get(
      'backup folder',
    );
  const below = await look(join(file, 'backups'));
  assert.deepEqual(
    [below?.state, below?.detail],
    ['fail', `${join(file, 'backups')} cannot be made in ${file}`],
  );
  assert.equal((await look(file))?.detail, `${file} cannot be written`);
  assert.equal(await look(join(folder, 'backups', 'nightly')), undefined);
});

test('doctor warns if no process matches, while there are watchers', async (t) => {
  const { database, look } = await watchedDatabase(t);
  await database.write(
    (sql) =>
      sql`update work_lease set leased_until = now() - interval '1 second' where name = ${MATCHING_LEASE}`,
  );
  const found = (await look()).get('watchers');
  assert.deepEqual([found?.state, found?.detail], ['warn', '1 active, but no process matches them']);
  await database.write((sql) => sql`delete from watcher`);
  assert.equal((await look()).get('watchers')?.state, 'ok', 'nobody waits for events');
});

test('doctor warns of a log without room for tomorrow, and of one that is kept too long', async (t) => {
  const { database, look } = await watchedDatabase(t);
  const found = await look();
  assert.deepEqual([found.get('change log')?.state, found.get('event log')?.state], ['ok', 'ok']);
  const tomorrow = dayOf(systemClock.now() + DAY);
  const old = dayOf(systemClock.now() - 40 * DAY);
  await database.transaction(async (tx) => {
    await tx.unsafe(`drop table watch_event_content_${tomorrow.replaceAll('-', '')}`);
    await tx.unsafe(`create table change_${old.replaceAll('-', '')} partition of change
      for values from ('${old}') to ('${dayOf(systemClock.now() - 39 * DAY)}')`);
  });
  const amiss = await look();
  assert.deepEqual(
    [amiss.get('event log')?.state, amiss.get('event log')?.detail],
    ['warn', `no partition for ${tomorrow}`],
  );
  assert.match(
    amiss.get('change log')?.detail ?? '',
    new RegExp(`^since ${old}, but it is kept for 30 days`),
  );
  assert.equal(amiss.get('change log')?.state, 'warn');
});

test('doctor warns where PostgreSQL has no room for the connections of a process', async (t) => {
  const { database } = await testDatabase(t);
  const enough = await checkConnections(database, { databaseConnections: 10 });
  assert.equal(enough.state, 'ok', enough.detail);
  assert.match(enough.detail, /^PostgreSQL allows \d+, .* room for \d+ process(?:es)? of 20 each$/);
  const [row] = await database.read((sql) => sql<{ name: string }[]>`select current_database() as name`);
  await database.write((sql) => sql.unsafe(`alter database ${row?.name} connection limit 19`));
  const scarce = await checkConnections(database, { databaseConnections: 10 });
  assert.deepEqual([scarce.state, scarce.detail.slice(0, 20)], ['warn', 'PostgreSQL allows 19']);
});

test('doctor warns where clients reach the service over plain http through a network', async () => {
  const inside = { PUBLIC_URL: 'http://192.168.1.5:8080', ALLOW_HTTP: 'private', PORT: '0' };
  assert.equal((await examine(inside)).get('public URL')?.state, 'warn');
  assert.equal((await examine({ PORT: '0' })).get('public URL'), undefined);
});

test('doctor says how much memory searches need, and warns where the service may not use as much', async (t) => {
  const { database } = await testDatabase(t);
  const look = (engine: 'memory' | 'postgres', limit: number) =>
    checkSearch({ search: { engine, cacheMegabytes: 0 }, host: '127.0.0.1', port: 0 }, database, limit);
  const enough = await look('memory', 4e9);
  assert.deepEqual(
    [enough.state, enough.detail.includes('need about 300 MB of memory, of 4000 MB')],
    ['ok', true],
  );
  const few = await look('memory', 1e6);
  assert.equal(few.state, 'warn');
  assert.match(few.detail, /PostgreSQL answers all searches/);
  assert.match(few.remedy ?? '', /SEARCH_ENGINE=postgres/);
  assert.deepEqual((await look('postgres', 1e6)).state, 'ok');
});

test('doctor tells how many listings the running service searches in memory, what they take, and how far behind it is', async (t) => {
  const { url, databaseUrl } = await startService(t);
  const { port } = new URL(url);
  const running = (await examine({ DATABASE_URL: databaseUrl, PORT: port })).get('search');
  assert.match(
    running?.detail ?? '',
    /; the running service: 0 listings in \d+ MB of memory, at most \d+ ms behind$/,
  );
  assert.deepEqual([running?.state, running?.remedy], ['ok', null]);
  const elsewhere = (await examine({ DATABASE_URL: databaseUrl, PORT: '0' })).get('search');
  assert.match(elsewhere?.detail ?? '', /^0 listings on the market need about 300 MB of memory, of \d+ MB$/);
});

test('doctor warns of a running service whose searches PostgreSQL answers though they are to be in memory', async (t) => {
  const { url, databaseUrl } = await startService(t, { environment: { SEARCH_ENGINE: 'postgres' } });
  const { port } = new URL(url);
  const found = (await examine({ DATABASE_URL: databaseUrl, PORT: port })).get('search');
  assert.match(found?.detail ?? '', /; the running service: PostgreSQL$/);
  assert.equal(found?.state, 'warn');
  assert.match(found?.remedy ?? '', /restart the service with these settings/);
  const settings = { DATABASE_URL: databaseUrl, PORT: port, SEARCH_ENGINE: 'postgres' };
  assert.equal((await examine(settings)).get('search')?.state, 'ok', 'it is as it is to be');
});

test('doctor warns of a running service whose searches are behind the log or out of use, and not of one that loads', async (t) => {
  const { database } = await testDatabase(t);
  let status = NO_ENGINE.status();
  const checks = healthChecks({
    database,
    databaseState: ALWAYS_SERVING,
    findLoading: async () => null,
    status: () => STARTING,
    sources: { list: () => [] },
    source: null,
    counting: null,
    clock: systemClock,
    config: { backup: null },
    engine: { status: () => status },
  });
  const { port, clock } = await serveRoutes(t, [], {
    health: { ...checks, metricsAccess: { allow: [], token: null } },
  });
  const look = async (known: Partial<EngineStatus>) => {
    status = { ...NO_ENGINE.status(), ...known };
    clock.advance(MINUTE); // What readiness remembers is over.
    const search = { engine: 'memory', cacheMegabytes: 0 } as const;
    return checkSearch({ search, host: '127.0.0.1', port }, database, 4e9);
  };
  assert.equal((await look({ state: 'ready', lagMs: 5_000 })).state, 'ok');
  const late = await look({ state: 'ready', lagMs: 5_001 });
  assert.equal(late.state, 'warn');
  assert.match(late.detail, /at most 5001 ms behind$/);
  assert.match(late.remedy ?? '', /does not read the log of changes/);
  const wrong = await look({ state: 'off', failure: 'an answer differed' });
  assert.equal(wrong.state, 'warn');
  assert.match(wrong.detail, /PostgreSQL, since the engine in memory is out of use: an answer differed$/);
  assert.match(wrong.remedy ?? '', /mend that; then restart/);
  const loading = await look({ state: 'filling', progress: { rows: 1, total: 2 } });
  assert.deepEqual([loading.state, loading.remedy], ['ok', null]);
  assert.match(loading.detail, /loading into memory: 1 of 2 listings\.$/);
});
