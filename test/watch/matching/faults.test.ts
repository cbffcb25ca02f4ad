// Proves that events are neither lost nor repeated nor out of order, whatever happens to the process that matches watchers.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { socketUrl } from '../../../src/postgres/client/connection-url.ts';
import { type DatabaseOptions, openDatabase } from '../../../src/postgres/client/database.ts';
import { startEmbedded } from '../../../src/postgres/embedded/embedded.ts';
import { migrate } from '../../../src/postgres/migrations/migrate.ts';
import { MATCHING_LEASE } from '../../../src/watch/events/position-store.ts';
import type { MatchingStep } from '../../../src/watch/matching/matching.ts';
import { createRandom } from '../../support/check/random.ts';
import { until } from '../../support/check/until.ts';
import { atEnd, temporaryFolder } from '../../support/database/database.ts';
import { startDatabaseFaultProxy } from '../../support/network/fault-proxy.ts';
import { type Child, startProgram } from '../../support/process/children.ts';
import {
  EventReader,
  expectedEvents,
  isMatched,
  writtenEvents,
} from '../../support/watch/matching-oracle.ts';
import { countedEvents, createPricedMarket } from '../../support/watch/priced-market.ts';

const t = { after };
const folder = await temporaryFolder(t, 'matching');
const start = () => startEmbedded({ dataDirectory: folder, log: () => {} });
let server = await start();
atEnd(t, () => server.stop());
const database = openDatabase({ socket: server.connection, timeout: 10_000 });
atEnd(t, () => database.close());
await migrate(database);
const reader = new EventReader(database);
const { change, createWatchers } = createPricedMarket(database, createRandom(15));

async function startChild(target: DatabaseOptions = { socket: server.connection }): Promise<Child> {
  const child = startProgram(t, 'watch/matching-child.ts', [JSON.stringify(target)]);
  assert.equal(await child.line(), 'ready');
  return child;
}

/** The process that matches, and the larger number of it the later it took the work. */
async function findHolder() {
  const [row] = await database.read(
    (sql) => sql<{ holder: string | null; fence: number }[]>`
      select holder, fence from work_lease where name = ${MATCHING_LEASE}`,
  );
  return row ?? { holder: null, fence: 0 };
}

/** Seconds until all that is committed now is matched; a client reads all the while. */
async function secondsUntilMatched(): Promise<number> {
  const begun = performance.now();
  await until('all changes are matched', async () => {
    await reader.read().catch(() => {});
    return isMatched(database).catch(() => false);
  });
  await reader.read();
  return (performance.now() - begun) / 1000;
}

async function compare(what: string): Promise<void> {
  const expected = await expectedEvents(database);
  const written = await writtenEvents(database);
  const lost = [...expected].filter((key) => !written.has(key)).length;
  const extra = [...written].filter((key) => !expected.has(key)).length;
  const seen = new Set(reader.seen);
  const skipped = [...written].filter((key) => !seen.has(key)).length;
  const inverted = reader.seen.filter((key, at) => at > 0 && key <= (reader.seen[at - 1] ?? '')).length;
  const repeated = (await countedEvents(database)) - written.size;
  console.log(
    `${what}: ${written.size} events, lost ${lost}, extra ${extra}, skipped ${skipped}, inverted ${inverted}, repeated ${repeated}`,
  );
  assert.deepEqual(
    { lost, extra, skipped, inverted, repeated },
    { lost: 0, extra: 0, skipped: 0, inverted: 0, repeated: 0 },
  );
}

await change(40);
await createWatchers(150);
let matcher = await startChild();
await until('the first process matches', async () => (await findHolder()).holder !== null);
let standby = await startChild();

test('one of two processes matches, and turns every change into its events', async () => {
  const before = await findHolder();
  for (let round = 0; round < 20; round++) await change();
  await secondsUntilMatched();
  assert.deepEqual(await findHolder(), before, 'the other one stands by');
  await compare('two processes');
  assert.ok(reader.seen.length > 500, `events are common: ${reader.seen.length}`);
});

for (const step of ['read', 'matched', 'written', 'committed'] satisfies MatchingStep[]) {
  test(`a process that is killed when it has ${step} loses and repeats nothing, and is replaced in time`, async () => {
    const before = await findHolder();
    matcher.tell(`SIGKILL ${step}`);
    assert.equal(await matcher.line(), `SIGKILL at ${step}`);
    await createWatchers(5);
    await matcher.ended;
    const diedAt = performance.now();
    for (let round = 0; round < 5; round++) await change();
    await secondsUntilMatched();
    const seconds = (performance.now() - diedAt) / 1000;
    console.log(`takeover after kill -9: ${seconds.toFixed(1)} s`);
    assert.ok(seconds <= 10, `${seconds} s`);
    assert.equal((await findHolder()).fence, before.fence + 1);
    await compare(`killed at "${step}"`);
    [matcher, standby] = [standby, await startChild()];
  });
}

for (const step of ['matched', 'written'] satisfies MatchingStep[]) {
  test(`a process that was stopped past its lease when it had ${step} writes nothing when it goes on`, async () => {
    matcher.tell(`SIGSTOP ${step}`);
    assert.equal(await matcher.line(), `SIGSTOP at ${step}`);
    await change();
    assert.equal(await matcher.line(), 'SIGSTOP now');
    for (let round = 0; round < 5; round++) await change();
    const seconds = await secondsUntilMatched();
    console.log(`takeover after kill -STOP: ${seconds.toFixed(1)} s`);
    assert.ok(seconds <= 10, `${seconds} s`);
    matcher.kill('SIGCONT');
    for (let round = 0; round < 10; round++) {
      await createWatchers(2);
      await change();
    }
    await secondsUntilMatched();
    await compare('stopped and continued');
    [matcher, standby] = [standby, matcher];
  });
}

test('a process whose network is a black hole is replaced, and writes nothing when it is back', async () => {
  const proxy = await startDatabaseFaultProxy(t, socketUrl(server.connection));
  await standby.finish();
  const away = await startChild({ url: proxy.url });
  const former = await findHolder();
  await matcher.finish();
  await until('it matches', async () => {
    const { holder, fence } = await findHolder();
    return holder !== null && fence > former.fence;
  });
  const before = await findHolder();
  const next = await startChild();
  for (let round = 0; round < 5; round++) await change();
  proxy.set('blackhole');
  for (let round = 0; round < 5; round++) await change();
  const seconds = await secondsUntilMatched();
  console.log(`takeover after a black hole: ${seconds.toFixed(1)} s`);
  proxy.set('pass');
  for (let round = 0; round < 10; round++) {
    await createWatchers(2);
    await change();
  }
  await secondsUntilMatched();
  assert.equal((await findHolder()).fence, before.fence + 1, 'it stands by from now on');
  await compare('behind a black hole');
  [matcher, standby] = [next, away];
});

test('a process that ends in good order gives the work back at once', async () => {
  const { holder } = await findHolder();
  assert.equal(await matcher.finish(), 0);
  assert.notEqual((await findHolder()).holder, holder);
  await change();
  await secondsUntilMatched();
  await compare('ended');
  [matcher, standby] = [standby, await startChild()];
});

test('after PostgreSQL is restarted under load, everything goes on', async () => {
  for (let round = 0; round < 5; round++) await change();
  await server.stop();
  server = await start();
  for (let round = 0; round < 5; round++) await change();
  await secondsUntilMatched();
  await compare('PostgreSQL restarted');
});
