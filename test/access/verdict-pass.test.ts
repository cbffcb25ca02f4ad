// Proof that passes keep every verdict young, by one process at a time, and refuse nobody that they missed.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ProviderUnavailable } from '../../src/access/tiers/provider.ts';
import { PASS_ABOVE, startVerdictPass } from '../../src/billing/verdict-pass.ts';
import { VerdictTable } from '../../src/billing/verdict-table.ts';
import { WorkLease } from '../../src/postgres/client/work-lease.ts';
import { active, type MemoryService, memoryService } from '../support/billing/memory-service.ts';
import { hearChanges } from '../support/billing/verdict-processes.ts';
import { until } from '../support/check/until.ts';
import { atEnd, type Closing, testDatabase } from '../support/database/database.ts';
import { type ManualClock, manualClock } from '../support/service/clock.ts';

const { database } = await testDatabase({ after });

interface Passing {
  readonly clock: ManualClock;
  readonly table: VerdictTable;
  /** Passes that were complete. */
  readonly passes: number[];
  readonly reported: unknown[];
  /** Moves the clock in small steps, and lets what falls due happen. */
  pass(milliseconds: number): Promise<void>;
}

function start(t: Closing, service: MemoryService): Passing {
  const clock = manualClock();
  const table = new VerdictTable({ database, clock, service: service.name, endGrants: async () => {} });
  const [passes, reported]: [number[], unknown[]] = [[], []];
  let rounds = 0;
  const pass = startVerdictPass({
    table,
    service,
    clock,
    lease: new WorkLease(database, `verdicts of ${service.name}`),
    report: (error) => reported.push(error),
    onPass: (milliseconds) => passes.push(milliseconds),
    onCount: () => rounds++,
  });
  atEnd(t, () => pass.stop());
  return {
    clock,
    table,
    passes,
    reported,
    async pass(milliseconds) {
      // One timer waits between two rounds, none or several while a round is under way.
      const isIdle = () => clock.waiting === 1 || service.waiting.length > 0;
      for (let passed = 0; passed < milliseconds; passed += 10_000) {
        await until('a round is over', isIdle);
        if (service.waiting.length > 0) return;
        const before = rounds;
        clock.advance(10_000);
        await until('a round is over', () => rounds > before && isIdle());
      }
    },
  };
}

/** A service with so many subscriptions. */
function crowd(count: number, name: 'polar' | 'stripe' = 'polar'): MemoryService {
  const service = memoryService(name);
  for (let each = 0; each < count; each++) service.subscribe('pro');
  return service;
}

const lists = ({ questions }: MemoryService) => questions.filter((each) => each === 'all').length;

test('with few keys no pass is made', async (t) => {
  const service = crowd(PASS_ABOVE.polar);
  const { pass } = start(t, service);
  await pass(600_000);
  assert.equal(lists(service), 0);
});

test('with many keys passes follow each other so that no verdict grows as old as 480 s', async (t) => {
  const service = crowd(PASS_ABOVE.polar + 1);
  const { pass, passes, table } = start(t, service);
  await until('a pass is complete', () => passes.length === 1);
  let oldest = 0;
  for (let minute = 0; minute < 30; minute++) {
    await pass(60_000);
    const counts = await table.count();
    assert.equal(counts.active, PASS_ABOVE.polar + 1);
    oldest = Math.max(oldest, counts.oldest);
  }
  assert.ok(oldest < 480_000, `${oldest}`);
  assert.ok(oldest > 360_000, `passes come no more often than they must: ${oldest}`);
});

test('of two processes one makes the passes, and the other takes over when it stops', async (t) => {
  const service = crowd(PASS_ABOVE.stripe + 1, 'stripe');
  const endings: (() => Promise<void>)[] = [];
  const first = start({ after: (end) => void endings.push(end) }, service);
  await until('a pass is complete', () => first.passes.length === 1);
  const second = start(t, service);
  await second.pass(600_000);
  assert.equal(second.passes.length, 0);
  for (const end of endings) await end();
  await second.pass(20_000);
  await until('the other one makes it', () => second.passes.length > 0);
});

test('a pass tells of changes only, leaves what it misses, and overwrites no answer to a later question', async (t) => {
  const service = crowd(PASS_ABOVE.polar + 1);
  const [changed, missed, renewed] = [1, 2, 3].map(() => service.subscribe('pro').reference) as [
    string,
    string,
    string,
  ];
  const { pass, passes, table } = start(t, service);
  await until('a pass is complete', () => passes.length === 1);
  const heard = await hearChanges(t, database);
  const { listAll } = service;
  service.mode = 'wait';
  service.listAll = async function* (signal) {
    for await (const batch of listAll(signal)) yield batch.filter(({ reference }) => reference !== missed);
  };
  await pass(430_000);
  assert.equal(service.waiting.length, 1, 'the next pass has begun');
  const later = await table.begin();
  const verdict = { reference: renewed, keyHash: null, status: active(renewed, 'business') };
  await table.save([verdict], later, { announcesNew: false });
  service.change(changed, { state: 'expired' });
  service.waiting.shift()?.answer();
  await until('it is complete', () => passes.length === 2);
  await pass(430_000);
  service.waiting.shift()?.answer();
  await until('it is complete', () => passes.length === 3);
  const statusOf = async (reference: string) => (await table.read({ reference })).known?.verdict.status;
  assert.deepEqual(await statusOf(changed), { state: 'expired' });
  assert.deepEqual(await statusOf(missed), active(missed));
  assert.deepEqual(await statusOf(renewed), active(renewed));
  await until('the changes were told', () => heard.includes(changed));
  assert.deepEqual(heard, [renewed, changed, renewed]);
});

test('a pass that fails half-way keeps what it found, is reported, and is made again', async (t) => {
  const service = crowd(PASS_ABOVE.polar + 1);
  const { listAll } = service;
  let failing = true;
  service.listAll = async function* (signal) {
    for await (const batch of listAll(signal)) {
      yield batch;
      if (failing) throw new ProviderUnavailable(new Error('fails on demand'));
    }
  };
  await database.write((sql) => sql`delete from subscription_verdict`);
  const { pass, passes, reported, table } = start(t, service);
  await until('it has failed', () => reported.length === 1);
  assert.equal((await table.count()).active, 100);
  failing = false;
  await pass(40_000);
  await until('the next one is complete', () => passes.length === 1);
  assert.equal((await table.count()).active, PASS_ABOVE.polar + 1);
});
