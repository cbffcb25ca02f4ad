// Proves that the engine holds what is stored, through changes, rebuilds, restarts and the loss of the log or the database.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { appendPrivateEntries, headSequence } from '../../../src/changes/change-store.ts';
import { LogGap } from '../../../src/changes/follower.ts';
import { createChangePartitions, dropOldChanges } from '../../../src/changes/retention-store.ts';
import { listWords } from '../../../src/search/engine/columns/tail-words.ts';
import { neededMemory } from '../../../src/search/engine/lifecycle/engine-memory.ts';
import { createLocalBuilder } from '../../../src/search/engine/segments/build-base.ts';
import { at } from '../../support/catalogue/catalogue.ts';
import { draft } from '../../support/catalogue/drafts.ts';
import { DAY, NOW, writeAreas } from '../../support/catalogue/random-market.ts';
import { stepArbitrary, take } from '../../support/catalogue/random-steps.ts';
import { backgroundAtRest } from '../../support/check/background.ts';
import { collect } from '../../support/check/collect-garbage.ts';
import { assertEvery } from '../../support/check/every.ts';
import { runs } from '../../support/check/runs.ts';
import { until } from '../../support/check/until.ts';
import { faultyLog } from '../../support/engine/log-fault.ts';
import { engineStage, idsOf } from '../../support/engine/stage.ts';
import { manualClock } from '../../support/service/clock.ts';

const SHORT_TAIL = { rows: 3, share: 0 };
const home = (key: string, facts: object = {}) => draft(key, { listPrice: 100, ...facts });

const commandArbitrary = fc.oneof(
  { weight: 6, arbitrary: stepArbitrary },
  { weight: 1, arbitrary: fc.constantFrom('restart' as const, 'hold' as const, 'release' as const) },
);

test('whatever is written, redrawn and removed, two engines have what is stored, through rebuilds and restarts', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(commandArbitrary, { minLength: 4, maxLength: 10 }), async (commands) => {
      const stage = await engineStage(t);
      const clock = manualClock(NOW);
      const clocked = { ...stage.database, clock };
      await writeAreas(clocked);
      const start = async () => {
        const created = stage.createEngine({ maxTail: SHORT_TAIL });
        await created.engine.start();
        return created;
      };
      let [first, second] = [await start(), await start()];
      for (const command of commands) {
        if (command === 'restart') {
          await first.engine.stop();
          [first, second] = [second, await start()];
        } else if (command === 'hold') first.gates.merge.close();
        else if (command === 'release') first.gates.merge.open();
        else {
          clock.advance(DAY / 2);
          await take(clocked, command, clock.now());
        }
        for (const { engine, reported } of [first, second]) {
          await stage.assertCurrent(engine);
          assert.deepEqual(reported, []);
        }
      }
      await Promise.all([first.engine.stop(), second.engine.stop()]);
    }),
    { ...runs(15, 19), endOnFailure: true },
  );
});

test('what changes while a base is built is in the generations before it and in those after it', async (t) => {
  const { write, createEngine, assertCurrent } = await engineStage(t);
  await write([home('a'), home('b'), home('c')]);
  const { engine, gates } = createEngine({ maxTail: SHORT_TAIL });
  gates.merge.close();
  await engine.start();
  await write(['d', 'e', 'f', 'g'].map((key) => home(key)));
  await until('a rebuild has begun', () => gates.merge.came === 1);
  await write([home('a', { listPrice: 200 }), home('d', { status: 'CLOSED' })], ['b', 'e']);
  await write([home('h'), home('d')]);
  await assertCurrent(engine);
  const [{ sequence, tailRows }, before] = [engine.status(), engine.generation()];
  assert.equal(engine.status().rebuilds, 0);
  gates.merge.open();
  await until('the base is there', () => engine.status().rebuilds === 1);
  assert.ok(engine.generation() !== before && engine.status().tailRows < tailRows);
  assert.equal(engine.status().sequence, sequence);
  await assertCurrent(engine);
});

test('what was loaded is let go of once a rebuild has replaced it', async (t) => {
  const { write, createEngine } = await engineStage(t);
  await write([home('a'), home('b'), home('c')]);
  const { engine } = createEngine({ maxTail: SHORT_TAIL });
  await engine.start();
  const columns = () => {
    const generation = engine.generation();
    assert.ok(generation);
    return new WeakRef(generation.tables.sale.base);
  };
  const loaded = columns();
  await write(['d', 'e', 'f', 'g'].map((key) => home(key)));
  await until('a base has taken over', () => engine.status().rebuilds === 1);
  const rebuilt = columns();
  await until('the columns that were loaded are collected', () => {
    collect();
    return loaded.deref() === undefined;
  });
  assert.notEqual(rebuilt.deref(), undefined);
});

test('more changes than one turn takes are applied whole, also those that come while a new base takes over', async (t) => {
  const { write, createEngine, assertCurrent } = await engineStage(t);
  const { engine, gates } = createEngine({ maxTail: { rows: 150, share: 0 } });
  gates.merge.close();
  await engine.start();
  const keys = Array.from({ length: 160 }, (_, at) => `home-${at}`);
  await write(keys.map((key) => home(key)));
  await until('a rebuild has begun', () => gates.merge.came === 1);
  await write(keys.map((key, at) => home(key, { listPrice: at })));
  gates.merge.open();
  for (let step = 0; step < 4; step++) {
    await write(
      keys.map((key, at) => home(key, { listPrice: at + step })),
      [`home-${step}`],
    );
    await assertCurrent(engine);
  }
  await until('a base has taken over', () => engine.status().rebuilds > 0);
  await assertCurrent(engine);
});

test('a change brings the words that a load brings, and none of areas, which are a column', async (t) => {
  const { database, write, createEngine, assertCurrent } = await engineStage(t);
  await writeAreas(database);
  const [{ engine: following }, { engine: loaded }] = [createEngine(), createEngine()];
  await following.start();
  await write([home('a', { location: at(10.1, 20.1), description: 'Sunny loft' })]);
  await loaded.start();
  for (const engine of [following, loaded]) await assertCurrent(engine);
  const { tail, tailWords } = following.generation()?.tables.sale ?? assert.fail();
  assert.ok((tail.areaNos.offsets[tail.rows] ?? 0) > 0, 'it lies in areas');
  const brought = listWords(tailWords.byRow(), tail.rows).hashes;
  assert.ok(brought.length > 2);
  assert.deepEqual([...brought], [...(loaded.generation()?.tables.sale.base.words.hashes ?? [])]);
});

test('a rebuild that fails is reported, and tried again when as many changes have come again', async (t) => {
  const { write, createEngine, assertCurrent } = await engineStage(t);
  const { engine, gates, reported } = createEngine({ maxTail: SHORT_TAIL });
  await engine.start();
  const failing = new Error('The thread ended');
  gates.merge.pass = () => Promise.reject(failing);
  await write(['a', 'b', 'c', 'd'].map((key) => home(key)));
  await until('it has failed', () => reported.length === 1);
  await write([home('e')]);
  await assertCurrent(engine);
  assert.deepEqual(reported, [failing]);
  delete (gates.merge as { pass?: unknown }).pass;
  await write(['f', 'g', 'h', 'i'].map((key) => home(key)));
  await until('it has worked', () => engine.status().rebuilds === 1);
  await assertCurrent(engine);
});

test('an engine that lost its place in the log is loaded again, and answers with what it has until then', async (t) => {
  const { database, write, createEngine, assertCurrent } = await engineStage(t);
  await createChangePartitions(database, NOW);
  await write([home('a')], [], NOW + DAY);
  const { engine, gates, fault, reported } = createEngine();
  await engine.start();
  await assertCurrent(engine);
  fault.isAway = true;
  await until('the database is missed', () => reported.length > 0);
  await write([home('b')], [], NOW + DAY);
  await dropOldChanges(database, NOW + 40 * DAY);
  gates.load.close();
  fault.isAway = false;
  await until('it is loaded again', () => gates.load.came === 2);
  assert.deepEqual([engine.status().state, idsOf(engine.generation()).length], ['ready', 1]);
  gates.load.open();
  await until('it has the new listing', () => engine.status().rows === 2);
  await assertCurrent(engine);
  assert.match(String(reported.at(-1)), /dropped unread/);
});

test('changes that were dropped between two readings of the log are missed at once, not with the next change', async (t) => {
  const { database, write, createEngine, assertCurrent } = await engineStage(t);
  const { gate, database: own } = faultyLog(database);
  await write([home('a')]);
  const { engine } = createEngine({ database: own });
  await engine.start();
  await assertCurrent(engine);
  gate.close();
  const { came } = gate;
  await until('the log waits', () => gate.came > came);
  await write([home('b')]);
  await database.write(
    (sql) =>
      sql`update change_log set retained_from = (select max(first_sequence + changes) from change_batch)`,
  );
  await database.write((sql) => sql`delete from change`);
  gate.open();
  await until('it has the new listing', () => engine.status().rows === 2);
  await assertCurrent(engine);
});

test('an engine whose log does not go on where it was loaded serves what it has, and is loaded again once a second', async (t) => {
  const { database, write, createEngine } = await engineStage(t);
  const clock = manualClock(NOW);
  const clocked = { ...database, clock };
  await write([home('a')]);
  await database.write((sql) => sql`update change_log set retained_from = 100`);
  const { engine, gates, reported } = createEngine({ database: clocked, clock });
  await engine.start();
  for (let load = 1; load <= 3; load++) {
    await until('it met the gap', () => reported.length >= load);
    await backgroundAtRest({ database, clock });
    assert.deepEqual([gates.load.came, reported.length], [load, load]);
    assert.deepEqual([engine.status().state, engine.status().rows], ['ready', 1]);
    clock.advance(1_000);
  }
  assertEvery(reported, (error) => error instanceof LogGap);
});

test('without its database an engine keeps what it has and says how old that may be', async (t) => {
  const { database, write, createEngine, assertCurrent } = await engineStage(t);
  const clock = manualClock();
  const { engine, fault, reported } = createEngine({ database: { ...database, clock }, clock });
  await write([home('a')]);
  await engine.start();
  await until('the log is read', () => engine.status().lagMs === 0);
  fault.isAway = true;
  clock.advance(1_000);
  await until('the database is missed', () => reported.length > 0);
  await write([home('b')]);
  clock.advance(60_000);
  assert.deepEqual([engine.status().lagMs, engine.status().rows], [61_000, 1]);
  assert.equal(await engine.catchUp(1_000), false);
  fault.isAway = false;
  await until('it has what is stored', () => {
    clock.advance(1_000);
    return engine.status().rows === 2;
  });
  await assertCurrent(engine);
});

test('who waits for a change gets it within the limit, or is told that it is not there yet', async (t) => {
  const { database, write, createEngine } = await engineStage(t);
  const clock = manualClock();
  const { engine } = createEngine({ clock });
  await engine.start();
  await write([home('a')]);
  assert.equal(await engine.catchUp(1_000), true);
  assert.equal(engine.status().rows, 1);
  // A head that nobody can reach, as of a reader that hangs.
  const waiting = engine.waitFor((await database.read(headSequence)) + 1, AbortSignal.timeout(60_000));
  const leaving = new AbortController();
  const left = engine.waitFor(1e9, leaving.signal);
  leaving.abort(new Error('left'));
  await assert.rejects(left, /left/);
  await database.transaction((tx) =>
    appendPrivateEntries(tx, [{ watcherId: 'wat_1', action: 'created', data: null }], NOW),
  );
  await waiting;
  assert.equal(engine.status().rows, 1);
});

test('an engine that cannot be loaded says why, is out of use, and tries again', async (t) => {
  const { write, createEngine, assertCurrent } = await engineStage(t);
  await write([home('a')]);
  const { engine, gates, reported } = createEngine();
  gates.load.pass = () => Promise.reject(new Error('The snapshot was refused'));
  await engine.start();
  const { state, failure } = engine.status();
  assert.deepEqual([state, failure, engine.generation()], ['unusable', 'The snapshot was refused', null]);
  assert.equal(await engine.catchUp(1_000), true);
  delete (gates.load as { pass?: unknown }).pass;
  await until('it is loaded', () => engine.status().state === 'ready');
  assert.deepEqual([engine.status().failure, reported.length > 0], [null, true]);
  await assertCurrent(engine);
});

test('a process with too little memory for the market says how much is needed and how to switch', async (t) => {
  const { write, createEngine } = await engineStage(t);
  await write([home('a')]);
  const { engine, gates } = createEngine({ memory: 1e6 });
  await engine.start();
  const { state, failure } = engine.status();
  assert.deepEqual([state, engine.generation()], ['off', null]);
  assert.equal(gates.load.came, 0, 'it ends before the market is in memory');
  assert.match(
    failure ?? '',
    /^\d+ listings on the market need about 30\d MB .* may use 1 MB: .*SEARCH_ENGINE=postgres/,
  );
});

test('a process is not refused for rows that the planner believes in and the market does not have', async (t) => {
  const { database, write, createEngine, assertCurrent } = await engineStage(t);
  await write([home('a')]);
  const builder = createLocalBuilder(database);
  const { engine } = createEngine({
    memory: neededMemory(5),
    builder: {
      ...builder,
      load(onProgress, signal) {
        onProgress({ rows: 0, total: 1e9 });
        return builder.load(() => {}, signal);
      },
    },
  });
  await engine.start();
  // A start does not wait for so many.
  await until('it is loaded', () => engine.status().state === 'ready');
  await assertCurrent(engine);
});

test('a market that outgrows the memory of its process is not merged: the engine says how much is needed, and is off for good', async (t) => {
  const { write, createEngine, assertCurrent } = await engineStage(t);
  await write([home('a'), home('b')]);
  const { engine, gates, reported } = createEngine({ memory: neededMemory(5), maxTail: SHORT_TAIL });
  await engine.start();
  await write(['c', 'd', 'e'].map((key) => home(key)));
  await assertCurrent(engine);
  // Of the tail the fourth row is too many, of the market the sixth.
  await write([home('f')]);
  await until('it is off', () => engine.status().state === 'off');
  const { failure, rows } = engine.status();
  assert.match(
    failure ?? '',
    /^6 listings on the market need about 301 MB .* may use 301 MB: .*SEARCH_ENGINE=postgres/,
  );
  assert.deepEqual([engine.generation(), rows, gates.merge.came], [null, 0, 0]);
  assert.match(String(reported), /^TooLittleMemory: 6 listings/);
  await write([home('a', { status: 'CLOSED' })]);
  assert.equal(await engine.catchUp(60_000), true, 'nobody waits for it');
  assert.deepEqual([engine.status().state, gates.load.came], ['off', 1]);
});

test('a market that was read from a file needs as much memory', async (t) => {
  const { database, write, createEngine } = await engineStage(t);
  await write([home('a')]);
  const builder = createLocalBuilder(database);
  const { engine } = createEngine({
    memory: 1e6,
    builder: { ...builder, load: (_, signal) => builder.load(() => {}, signal) },
  });
  await engine.start();
  assert.deepEqual([engine.status().state, engine.generation()], ['off', null]);
});

test('entries of earlier releases have no version: the engine reads it', async (t) => {
  const { database, write, createEngine, assertCurrent } = await engineStage(t);
  await write([home('a')]);
  const { engine, fault, reported } = createEngine();
  await engine.start();
  fault.isAway = true;
  await until('the database is missed', () => reported.length > 0);
  await write([home('a', { listPrice: 1 }), home('b')]);
  await write([home('a', { listPrice: 2 })]);
  await database.write(
    (sql) =>
      sql`update change set after = (after::jsonb - 'version')::json, before = null where kind = 'updated'`,
  );
  fault.isAway = false;
  await assertCurrent(engine);
});

test('while an engine fills, it tells how far it is, and the start does not wait for a large market', async (t) => {
  const { write, createEngine } = await engineStage(t);
  await write([home('a'), home('b')]);
  const { engine, gates } = createEngine();
  gates.load.close();
  const started = engine.start();
  await until('it is being loaded', () => gates.load.came === 1);
  const { state, progress, lagMs } = engine.status();
  assert.deepEqual([state, progress?.rows, lagMs], ['filling', 0, null]);
  await write([home('c')]);
  gates.load.open();
  await started;
  assert.deepEqual([engine.status().state, engine.status().rows], ['ready', 3]);
});
