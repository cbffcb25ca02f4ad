// Proof that no chain of table, memory, lists, late answers and clocks lets a key in 600 s after its end, or revives an older answer.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { active, memoryService } from '../support/billing/memory-service.ts';
import { type MirrorWorld, mirrorWorld } from '../support/billing/mirror-world.ts';
import { createRandom } from '../support/check/random.ts';
import { runs } from '../support/check/runs.ts';
import { testDatabase } from '../support/database/database.ts';

const { database } = await testDatabase({ after });
const service = memoryService();
const world = await mirrorWorld({ after }, { database, service });
const { signal } = new AbortController();

/** Uses keys without waiting for the service; `waits` where it would. */
async function useAll(process: number, keys: readonly string[]): Promise<string[]> {
  const used = keys.map((key) => world.processes[process]?.use(key) ?? 'nobody');
  await world.settle();
  const turn = new Promise<string>((resolve) => setImmediate(resolve, 'waits'));
  return Promise.all(used.map((each) => Promise.race([each, turn])));
}

async function use(process: number, key: string): Promise<string> {
  const [said = 'nobody'] = await useAll(process, [key]);
  return said;
}

async function startTwo(): Promise<void> {
  service.mode = 'answer';
  for (const number of [0, 1]) world.start(number);
}

test('a key is let in for at most 600.0 s after its end, however its status went from one process to the next', async () => {
  const random = createRandom(18);
  let longest = 0;
  for (let round = 0; round < 40; round++) {
    await startTwo();
    const { key, reference } = service.subscribe('pro');
    assert.equal(await use(0, key), 'in');
    // It ends right after it was asked about, and nobody hears of it: the worst moment.
    service.change(reference, { state: 'expired' });
    service.mode = random.pick(['fail', 'freeze'] as const);
    const endedAt = world.passed;
    const firstRead = random.pick([
      479_000,
      479_749,
      480_001,
      550_000,
      599_000,
      599_749,
      random.below(600_000),
    ]);
    await world.pass(firstRead);
    assert.equal(await use(1, key), 'in', `${firstRead}`);
    if (random.chance(0.5)) world.start(0);
    while (world.passed - endedAt < 600_100) {
      for (const process of [0, 1]) {
        if ((await use(process, key)) === 'in') longest = Math.max(longest, world.passed - endedAt);
      }
      const left = 600_000 - (world.passed - endedAt);
      await world.pass(
        left > 1 ? Math.max(1, Math.min(left - 1, 1 + random.below(20_000))) : 1 + random.below(50),
      );
    }
  }
  assert.ok(longest <= 600_000, `${longest} ms`);
  assert.ok(longest >= 599_500, `the worst case was not reached: ${longest} ms`);
});

test('without the service no good key is refused, and those whose row is young wait for nothing', async () => {
  await startTwo();
  const keys = Array.from({ length: 200 }, () => service.subscribe('business').key);
  assert.deepEqual([...new Set(await useAll(0, keys))], ['in']);
  for (const mode of ['freeze', 'fail', 'wait'] as const) {
    service.mode = mode;
    world.start(1);
    for (const passed of [0, 300_000, 180_500, 100_000]) {
      await world.pass(passed);
      for (const process of [0, 1]) {
        assert.deepEqual([...new Set(await useAll(process, keys))], ['in'], `${mode} for ${passed}`);
      }
    }
    await world.pass(20_000);
    const answers = Promise.all(keys.map((key) => world.processes[1]?.use(key)));
    for (let turn = 0; turn < 4; turn++) await world.pass(5_000);
    assert.deepEqual([...new Set(await answers)], ['SUBSCRIPTIONS_UNAVAILABLE'], mode);
    service.mode = 'answer';
    service.waiting.length = 0;
    await world.pass(15_000);
    assert.deepEqual([...new Set(await useAll(0, keys))], ['in']);
  }
});

/** How the clock of the database goes while time passes. */
const PACES = ['sound', 'stands', 'slow', 'fast', 'back', 'ahead'] as const;

function passedOnDatabase(pace: (typeof PACES)[number], by: number, jump: number): number {
  if (pace === 'stands') return 0;
  if (pace === 'slow') return Math.floor(by / 3);
  if (pace === 'fast') return by * 2;
  return by + { sound: 0, back: -jump, ahead: jump }[pace];
}

test('whoever restarts and however the clock of the database jumps, nobody is let in 600.0 s after the end and what that clock lost', async () => {
  const step = fc.record({
    by: fc.oneof(fc.integer({ min: 1, max: 9_000 }), fc.constantFrom(10_000, 60_000, 110_000)),
    pace: fc.constantFrom(...PACES),
    jump: fc.integer({ min: 1, max: 500_000 }),
    restarts: fc.constantFrom(null, null, 0, 1),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
      await startTwo();
      const { key, reference } = service.subscribe('pro');
      assert.equal(await use(0, key), 'in');
      service.change(reference, { state: 'expired' });
      service.mode = 'fail';
      const endedAt = world.passed;
      let lost = 0;
      const last = { by: 20_000, pace: 'sound', jump: 0, restarts: null } as const;
      for (const { by, pace, jump, restarts } of [...steps, ...Array.from({ length: 34 }, () => last)]) {
        const onDatabase = passedOnDatabase(pace, by, jump);
        lost += Math.max(0, by - onDatabase);
        await world.pass(by, onDatabase);
        if (restarts !== null) world.start(restarts);
        for (const process of [0, 1]) {
          const said = await use(process, key);
          const since = world.passed - endedAt;
          assert.ok(
            said !== 'in' || since <= 600_000 + lost,
            `let in ${since} ms after the end, ${lost} lost`,
          );
        }
        if (world.passed - endedAt > 700_000 + lost) break;
      }
    }),
    runs(25, 1821),
  );
});

/** What may happen, and how often. */
const happening = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('use'), process: fc.nat(1), key: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fresh'), process: fc.nat(1), key: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('change'), key: fc.nat(2), to: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('renew'), process: fc.nat(1), key: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('mode'), to: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('answer'), which: fc.nat(3), fails: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart'), process: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('list'), process: fc.nat(1) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('jump'), by: fc.integer({ min: -700_000, max: 700_000 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('pass'),
      by: fc.oneof(fc.integer({ min: 1, max: 4_900 }), fc.constantFrom(30_000, 120_000, 479_000, 599_000)),
      slowly: fc.boolean(),
    }),
  },
);
type Happening = typeof happening extends fc.Arbitrary<infer Each> ? Each : never;

interface Subscriber {
  readonly reference: string;
  key: string;
}

test('any order of questions, renewals, lists, restarts, late answers and clocks ends in what the service says last', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 5, maxLength: 45 }), async (happenings) => {
      await startTwo();
      const subscribers = [0, 1, 2].map((): Subscriber => service.subscribe('pro'));
      const running: Promise<unknown>[] = [];
      for (const each of happenings) await happen(each, subscribers, running);
      service.mode = 'wait';
      for (const { reference } of subscribers) {
        for (const { mirror } of world.processes) running.push(mirror.renew(reference).catch(() => {}));
      }
      await world.settle();
      for (const { reference } of subscribers) {
        const isActive = service.statusOf(reference)?.state === 'active';
        service.change(reference, isActive ? { state: 'expired' } : active(reference));
      }
      // Answers that come last are the oldest.
      const late = service.waiting.splice(0).toReversed();
      service.mode = 'answer';
      for (const { reference } of subscribers) await world.processes[0]?.mirror.renew(reference);
      for (const { answer } of late) answer();
      for (let turn = 0; turn < 4; turn++) await world.pass(5_000);
      await Promise.allSettled(running);
      for (const { reference } of subscribers) {
        for (const { mirror } of world.processes) {
          const { age: _, ...status } = await mirror.refresh(reference, { signal });
          assert.deepEqual(status, service.statusOf(reference));
        }
      }
    }),
    runs(40, 1824),
  );
});

async function happen(
  each: Happening,
  subscribers: readonly Subscriber[],
  running: Promise<unknown>[],
): Promise<void> {
  const process = world.processes[
    'process' in each ? (each.process ?? 0) : 0
  ] as MirrorWorld['processes'][number];
  const subscriber = subscribers['key' in each ? (each.key ?? 0) : 0] as Subscriber;
  const { reference, key } = subscriber;
  if (each.kind === 'use') running.push(process.use(key));
  if (each.kind === 'fresh') running.push(process.keys.verifyFresh(key).catch(() => {}));
  if (each.kind === 'renew') running.push(process.mirror.renew(reference).catch(() => {}));
  if (each.kind === 'list') running.push(list(process));
  if (each.kind === 'restart') world.start(world.processes.indexOf(process));
  if ('to' in each && each.kind === 'mode')
    service.mode = (['answer', 'wait', 'fail'] as const)[each.to ?? 0] ?? 'answer';
  if ('to' in each && each.kind === 'change') change(subscriber, each.to ?? 0);
  if ('which' in each && service.waiting.length > 0) {
    const [waiting] = service.waiting.splice((each.which ?? 0) % service.waiting.length, 1);
    if (each.fails) waiting?.fail();
    else waiting?.answer();
  }
  if (each.kind === 'jump' && 'by' in each) {
    await world.pass(0, each.by ?? 0);
  }
  if ('slowly' in each)
    await world.pass(each.by ?? 0, each.slowly ? Math.floor((each.by ?? 0) / 3) : each.by);
  await world.settle();
}

function change(subscriber: Subscriber, to: number): void {
  const { reference } = subscriber;
  if (to === 3) subscriber.key = service.rekey(reference);
  const statuses = [active(reference, 'pro'), active(reference, 'business'), { state: 'expired' as const }];
  const status = statuses[to];
  if (status !== undefined) service.change(reference, status);
}

async function list({ mirror }: MirrorWorld['processes'][number]): Promise<void> {
  try {
    const request = await mirror.number();
    await service.listAll((page) => mirror.save(page, request), signal);
  } catch {
    // A list that fails changes nothing.
  }
}
