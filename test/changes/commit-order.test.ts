// Proof that followers of the log see each committed change once and in order, whatever happens to writers and database.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type ChangeEntry, isListingChange } from '../../src/changes/change.ts';
import { headSequence, readChanges } from '../../src/changes/change-store.ts';
import { createFollower } from '../../src/changes/follower.ts';
import type { ChangeState } from '../../src/listings/change-state.ts';
import { socketUrl } from '../../src/postgres/client/connection-url.ts';
import { type Database, openDatabase } from '../../src/postgres/client/database.ts';
import { startEmbedded } from '../../src/postgres/embedded/embedded.ts';
import { migrate } from '../../src/postgres/migrations/migrate.ts';
import { assertLog } from '../support/catalogue/change-log.ts';
import { endProcess, postmasterOf } from '../support/chaos/service.ts';
import { until } from '../support/check/until.ts';
import type { Acknowledgement, WriterOptions } from '../support/database/change-writer-child.ts';
import { atEnd, temporaryFolder, testDatabase } from '../support/database/database.ts';
import { relayDatabase } from '../support/database/database-proxy.ts';
import { type Child, startProgram } from '../support/process/children.ts';

type Entry = ChangeEntry<ChangeState>;

interface Followed {
  /** The sequence after which it began. */
  readonly from: number;
  /** What came, in the order in which it came. */
  readonly seen: readonly Entry[];
}

/** Follows the log after a sequence until the test ends. */
function follow(t: TestContext, database: Database, from = 0): Followed {
  const seen: Entry[] = [];
  const stopping = new AbortController();
  const follower = createFollower<ChangeState>(database, { from, report: () => {}, batchSize: 37 });
  const running = (async () => {
    for await (const batch of follower.entries(stopping.signal)) seen.push(...batch);
  })();
  atEnd(t, async () => {
    stopping.abort();
    await running;
  });
  return { from, seen };
}

async function startWriters(t: TestContext, options: WriterOptions): Promise<Child> {
  const child = startProgram(t, 'database/change-writer-child.ts', [JSON.stringify(options)]);
  assert.ok(await child.line());
  return child;
}

/** Compares what a follower saw with what the log holds in the end, and with what writers were told. */
function examine(
  { from, seen }: Followed,
  stored: readonly Entry[],
  acknowledged: readonly Acknowledgement[],
) {
  const sequences = seen.map(({ sequence }) => sequence);
  const all = stored.map(({ sequence }) => sequence).filter((sequence) => sequence > from);
  const known = new Set(sequences);
  const writes = stored.flatMap((entry) =>
    entry.kind === 'watcher' ? [`${entry.watcherId} ${(entry.data as { number: number }).number}`] : [],
  );
  const written = new Set(writes);
  return {
    lost: all.filter((sequence) => !known.has(sequence)).length,
    twice: sequences.length - known.size,
    outOfOrder: sequences.filter((sequence, at) => sequence <= (sequences[at - 1] ?? from)).length,
    unwritten: acknowledged.filter(({ writer, number }) => !written.has(`${writer} ${number}`)).length,
    repeated: writes.length - written.size,
  };
}

const NOTHING_WRONG = { lost: 0, twice: 0, outOfOrder: 0, unwritten: 0, repeated: 0 };

async function readLog(database: Database): Promise<Entry[]> {
  return database.read((sql) => readChanges<ChangeState>(sql, 0, 10_000_000), { timeout: 0 });
}

/** A transaction of a writer is whole: its listings' changes and its private entry follow each other. */
function assertWhole(stored: readonly Entry[]): void {
  for (const [at, entry] of stored.entries()) {
    if (entry.kind !== 'watcher') continue;
    const own = stored.slice(at - 2, at);
    const { number } = entry.data as { number: number };
    for (const change of own) assert.ok(isListingChange(change) && change.after.row.price === number);
    assert.equal(own.at(-1)?.sequence, entry.sequence - 1);
  }
}

const IDLE_TIMEOUT = 500;
/** Milliseconds that a busy machine may take for a write that waits for nobody. */
const SLACK = 5_000;

/** First bytes of messages that run a statement: Bind, which comes with Execute, and Query. */
const RUNS: readonly (number | undefined)[] = [0x42, 0x51];

/** A stretch of network that calls `act` before it passes on a message that runs a statement, counted from 1. */
async function countStatements(t: TestContext, url: string) {
  const counter = { count: 0, target: 0, act: (): void => {} };
  const own = await relayDatabase(t, url, (client, upstream) => {
    let greeted = false;
    client.on('data', (chunk: Buffer) => {
      if (greeted && RUNS.includes(chunk[0]) && ++counter.count === counter.target) counter.act();
      greeted = true;
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => client.write(chunk));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  return Object.assign(counter, { url: own });
}

/** Writes in a process, one at a time, and how long the slowest took. */
async function startAsking(t: TestContext, options: WriterOptions) {
  const child = await startWriters(t, options);
  return {
    slowest: 0,
    async ask(writer: string, number: number): Promise<Acknowledgement> {
      const begun = performance.now();
      child.tell(`${writer} ${number}`);
      const answer = JSON.parse((await child.line()) ?? '{}');
      this.slowest = Math.max(this.slowest, performance.now() - begun);
      return answer;
    },
  };
}

test('a writer that is killed or stopped after any statement of a transaction leaves all of it or nothing, and holds others up for its timeout at most', async (t) => {
  const { database, url } = await testDatabase(t);
  const followers = [follow(t, database), follow(t, database)];
  const relay = await countStatements(t, url);
  const options = { writers: [], delay: 0, idleTransactionTimeout: IDLE_TIMEOUT };
  const free = await startAsking(t, { ...options, url });
  const waiting = await startAsking(t, { ...options, url });
  const acknowledged: Acknowledgement[] = [];
  const start = () => startWriters(t, { ...options, url: relay.url });
  let [number, steps] = [0, 0];
  for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
    let [child, next] = [start(), start()];
    for (let [step, isReached] = [1, true]; isReached; step++, steps++) {
      const writer = await child;
      isReached = false;
      number++;
      Object.assign(relay, { count: 0, target: step });
      relay.act = () => {
        isReached = true;
        writer.kill(signal);
      };
      writer.tell(`writer ${number}`);
      await until('the statement or the end', async () => isReached || (await isWritten(database, number)));
      acknowledged.push(await free.ask('free', number));
      if (signal === 'SIGSTOP') {
        // Another one writes the same listings: it waits until the server ends the session of the stopped one.
        acknowledged.push(await waiting.ask('writer', 1_000 + number));
        writer.kill('SIGCONT');
      }
      const answer = await writer.line();
      if (answer !== undefined) acknowledged.push(JSON.parse(answer));
      if (signal === 'SIGKILL') [child, next] = [next, start()];
    }
    await next;
  }
  const confirmed = acknowledged.filter((each) => each.failed === undefined);
  t.diagnostic(`${steps} steps; ${acknowledged.length - confirmed.length} writes failed`);
  t.diagnostic(`slowest beside: ${free.slowest.toFixed()} ms, behind: ${waiting.slowest.toFixed()} ms`);
  await assertFollowed(database, followers, confirmed);
  assert.ok(steps >= 30, `${steps} steps`);
  assert.ok(free.slowest < SLACK && waiting.slowest < IDLE_TIMEOUT + SLACK);
});

/** Asserts, once the followers have all, that nothing is lost, twice or out of order, and that the log fits what is stored. */
async function assertFollowed(
  database: Database,
  followers: readonly Followed[],
  acknowledged: readonly Acknowledgement[],
): Promise<void> {
  await until('the followers have all', async () => {
    const head = await database.read(headSequence).catch(() => -1);
    return followers.every(({ seen }) => seen.at(-1)?.sequence === head);
  });
  const stored = await readLog(database);
  for (const followed of followers) assert.deepEqual(examine(followed, stored, acknowledged), NOTHING_WRONG);
  assertWhole(stored);
  await assertLog(database);
}

async function isWritten(database: Database, number: number): Promise<boolean> {
  const [row] = await database.read(
    (sql) => sql`select from change where watcher_id = 'writer' and (after ->> 'number')::bigint = ${number}`,
  );
  return row !== undefined;
}

/** Each has a process killed, another one stopped, and the database restarted. */
const ROUNDS = 2;

async function startServer(t: TestContext) {
  const dataDirectory = `${await temporaryFolder(t, 'changes')}/data`;
  const server = await startEmbedded({ dataDirectory, log: () => {}, durable: true });
  atEnd(t, () => server.stop());
  const url = socketUrl(server.connection);
  const database = openDatabase({ url, maxConnections: 6, timeout: 20_000 });
  atEnd(t, () => database.close(1_000));
  await migrate(database);
  return { dataDirectory, url, database };
}

/** A process of writers that is started again whenever it is killed; collects what it was told. */
function keepWriting(t: TestContext, options: WriterOptions, signal: AbortSignal) {
  const acknowledged: Acknowledgement[] = [];
  let current: Child | undefined;
  const running = (async () => {
    while (!signal.aborted) {
      current = await startWriters(t, options);
      if (signal.aborted) void current.finish();
      for (const line of await current.rest()) acknowledged.push(JSON.parse(line));
    }
  })();
  return { acknowledged, running, current: () => current };
}

/** One thing after the other: a process killed, the other one stopped for longer than its timeout, the database restarted. */
async function disturb(
  [one, two]: readonly (() => Child | undefined)[],
  seen: readonly Entry[],
  dataDirectory: string,
): Promise<void> {
  const writtenOn = async () => {
    const before = seen.length;
    await until('they write on', () => seen.length >= before + 150);
  };
  for (let round = 0; round < ROUNDS; round++) {
    await writtenOn();
    one?.()?.kill('SIGKILL');
    await writtenOn();
    two?.()?.kill('SIGSTOP');
    await pause(IDLE_TIMEOUT + 300);
    two?.()?.kill('SIGCONT');
    await writtenOn();
    endProcess((await postmasterOf(dataDirectory))?.pid ?? 0, 'SIGQUIT');
  }
  await writtenOn();
}

test('32 writers in two processes that are killed and stopped, and a database that restarts: two followers see each change once, in order, from wherever they began', async (t) => {
  const { dataDirectory, url, database } = await startServer(t);
  const first = follow(t, database);
  const ending = new AbortController();
  const groups = ['x', 'y'].map((name) => {
    const writers = Array.from({ length: 16 }, (_, at) => `${name}${at}`);
    return keepWriting(t, { url, writers, delay: 40, idleTransactionTimeout: IDLE_TIMEOUT }, ending.signal);
  });
  await until('the writers write', () => first.seen.length >= 100);
  const followers = [first, follow(t, database, first.seen[49]?.sequence)];
  await disturb(
    groups.map(({ current }) => current),
    first.seen,
    dataDirectory,
  );
  ending.abort();
  for (const group of groups) void group.current()?.finish();
  await Promise.all(groups.map(({ running }) => running));
  const told = groups.flatMap(({ acknowledged }) => acknowledged);
  const confirmed = told.filter(({ failed }) => failed === undefined);
  t.diagnostic(`${confirmed.length} transactions acknowledged, ${told.length - confirmed.length} failed`);
  t.diagnostic(`${first.seen.length} entries, ${ROUNDS} restarts of the database`);
  await assertFollowed(database, followers, confirmed);
  assert.ok(confirmed.length >= 250, `${confirmed.length} acknowledged`);
});
