// Proves that a running service imports files at URLs at their times, leaves unchanged ones alone, and says when one no longer fits.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { startImportSchedules } from '../../src/app/imports/import-schedules.ts';
import { parseEvery } from '../../src/import/schedules/schedule.ts';
import { listSchedules } from '../../src/import/schedules/schedule-store.ts';
import { threadRunner } from '../../src/import/schedules/schedule-thread.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { Keyring, parseKeys } from '../../src/lib/keyring.ts';
import { createLog } from '../../src/lib/log.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import { openImports } from '../support/catalogue/import-service.ts';
import { poll, until } from '../support/check/until.ts';
import { manualClock } from '../support/service/clock.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const TOKEN = 'token-5a4b3c2d';
const ROWS = Array.from({ length: 40 }, (_, at) => `k${at},${1_000 + at},40,-90`);
const csv = (rows: readonly string[], heading = 'id,price,lat,lng') => `${[heading, ...rows].join('\n')}\n`;

let answer: (response: ServerResponse, etag: string | undefined) => void = () => {};
const server = createServer((request, response) => {
  assert.equal(new URL(request.url ?? '', 'http://x').searchParams.get('key'), TOKEN);
  answer(response, request.headers['if-none-match']);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
after(() => server.close());
const { port } = server.address() as AddressInfo;
const serve = (text: string, etag: string): void => {
  answer = (response, known) =>
    known === etag ? response.writeHead(304).end() : response.writeHead(200, { etag }).end(text);
};

const { bench, folder, mapFile } = await openImports({ after });
const { run, database, environment } = await bench(
  { after },
  { IMPORT_ALLOW: `127.0.0.1:${port}`, SECRETS_KEY: KEY },
);
const url = `http://127.0.0.1:${port}/homes.csv?key=${TOKEN}`;

const count = async (): Promise<number> => {
  const [row] = await database.read(
    (sql) => sql<{ count: number }[]>`select count(*)::int as count from listing where status = 'ACTIVE'`,
  );
  return row?.count ?? 0;
};
const only = async () => {
  const [schedule] = await database.read(listSchedules);
  assert.ok(schedule, 'there is a schedule');
  return schedule;
};

test('a schedule imports now and then at its times, until the file no longer fits, which it says', async (t) => {
  const map = await mapFile('feed.json');
  serve(csv(ROWS), '"1"');
  const made = await run('listings', url, '--map', map, '--missing', 'withdraw', '--every', '1h');
  assert.deepEqual([made.code, await count()], [0, 40], made.stderr);
  assert.match(made.stdout, /Scheduled: a running service imports it every 1h/);
  const first = await only();
  assert.equal(first.urlShown, `http://127.0.0.1:${port}/homes.csv?…`);
  const stored = await database.read((sql) => sql`select import_schedule::text from import_schedule`);
  const listed = await run('schedules', 'list');
  for (const text of [JSON.stringify(stored), listed.stdout, made.stdout, made.stderr])
    assert.doesNotMatch(text, /5a4b3c2d/);

  const clock = manualClock(Date.parse(first.nextAt) - 1_000);
  const scheduler = startImportSchedules({
    database,
    clock,
    metrics: createMetrics(),
    log: createLog({ level: 'silent' }),
    report: (error) => assert.fail(error as Error),
    keyring: new Keyring(parseKeys(KEY)),
    target: null,
    config: {
      importAllow: [{ network: '127.0.0.1', port }],
      databaseUrl: null,
      port: 1,
      dataDirectory: folder,
      media: { mode: 'link' },
    },
  });
  t.after(() => scheduler.stop());
  /** Lets an hour pass, and gives what has become of the run. */
  const runNext = async () => {
    const before = await only();
    // Between two looks nothing but the pause of the scheduler waits.
    await until('the scheduler rests', () => clock.waiting === 1);
    clock.advance(Date.parse(before.nextAt) - clock.now() + 60_000);
    return poll('a run has ended', async () => {
      const now = await only();
      return now.finishedAt === before.finishedAt ? undefined : now;
    });
  };
  assert.match((await runNext()).result ?? '', /^unchanged/);
  serve(csv([...ROWS.slice(1), 'new,5,40,-90']), '"2"');
  assert.match((await runNext()).result ?? '', /40 rows: 1 created, 0 changed, 39 unchanged, 1 ended/);
  serve(csv(ROWS, 'id,cost,lat,lng'), '"3"');
  const gone = await runNext();
  assert.match(gone.failure ?? '', /the file has no column price/);
  assert.deepEqual([gone.failures, await count()], [1, 40]);
  serve(csv(ROWS.slice(1, 6)), '"4"');
  assert.match(
    (await runNext()).failure ?? '',
    /nothing was ended.*import it once by hand with --missing and --accept/s,
  );
  serve(csv([]), '"5"');
  assert.equal((await runNext()).failures, 3);
  assert.equal(await count(), 40, 'nothing was lost');
  serve('<html>', '"6"');
  answer = (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in');
  assert.match((await runNext()).failure ?? '', /is a web page and no file/);
  assert.match((await run('schedules', 'list')).stdout, /FAILED \(4\)/);
  serve(csv([...ROWS.slice(1), 'new,6,40,-90']), '"7"');
  const mended = await runNext();
  assert.deepEqual([mended.failure, mended.failures], [null, 0]);
  assert.equal((await run('schedules', 'remove', 'small')).code, 0);
  assert.match((await run('schedules')).stdout, /None\./);
  assert.equal((await run('schedules', 'remove', 'small')).code, 2);
});

test('times of schedules are bounded, and only URLs have one', async () => {
  assert.deepEqual(['5m', '1h', '31d'].map(parseEvery), [300, 3_600, 31 * 86_400]);
  for (const bad of ['4m', '1', 'h', '32d', '1 h', '-5m', '1.5h'])
    assert.throws(() => parseEvery(bad), RangeError);
  const { code, stderr } = await run('listings', 'homes.csv', '--yes', '--every', '1h');
  assert.deepEqual([code, /--every goes with a URL/.test(stderr)], [2, true]);
});

test('a run in a thread of the service does the same, and stops with the service', async () => {
  serve(csv(['t1,5,40,-90']), '"t"');
  const text = await readFile(
    await mapFile('thread.json', { source: { id: 'thread', name: 'Thread' } }),
    'utf8',
  );
  const task = { url, headers: {}, variables: {}, map: text, missing: null, folder };
  const runInThread = threadRunner(
    { url: environment.DATABASE_URL ?? '' },
    { allow: [{ network: '127.0.0.1', port }], ownPorts: [], mediaMode: 'link' },
    systemClock,
  );
  assert.match(await runInThread(task, AbortSignal.timeout(60_000)), /1 row: 1 created/);
  assert.match(await runInThread(task, AbortSignal.timeout(60_000)), /^unchanged/);
  await assert.rejects(
    runInThread({ ...task, url: 'http://127.0.0.1:1/' }, AbortSignal.timeout(60_000)),
    /IMPORT_ALLOW/,
  );
  const stopping = new AbortController();
  answer = () => stopping.abort();
  await assert.rejects(runInThread({ ...task, map: text.replace('Thread', 'Other') }, stopping.signal));
});
