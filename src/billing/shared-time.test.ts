// Proves that no verdict looks younger than it is, whatever the clock of the database does while a process watches it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../test/support/check/runs.ts';
import { manualClock } from '../../test/support/service/clock.ts';
import { SharedTime } from './shared-time.ts';

/** A database's clock that can be moved, and processes that watch it. */
function setUp() {
  const clock = manualClock();
  const database = { offset: 1_000_000, ahead: 0 };
  const now = () => clock.monotonic() + database.offset + database.ahead;
  const watch = () =>
    new SharedTime({
      clock,
      moveOn: async (date) => {
        database.ahead += Math.max(0, Math.ceil(date - now()));
      },
    });
  /** Reads the time by a statement that takes so long before and after the database looks at its clock. */
  const read = (time: SharedTime, before = 0, after = 0) =>
    time.run(async () => {
      clock.advance(before);
      const value = { now: now() };
      clock.advance(after);
      return value;
    });
  return { clock, database, watch, read };
}

test('with a sound clock an age is exact but for the tolerance and the way of the statement', async () => {
  const { clock, watch, read } = setUp();
  const [one, other] = [watch(), watch()];
  const asked = Math.floor((await read(one)).now);
  const askedAt = clock.monotonic();
  clock.advance(400_000);
  assert.equal(SharedTime.monotonicOf(await read(other), asked), askedAt - 250);
});

test('a clock that is set back is moved on at once by who sees it, for everybody', async () => {
  const { clock, database, watch, read } = setUp();
  const [one, other] = [watch(), watch()];
  const asked = Math.floor((await read(one)).now);
  const askedAt = clock.monotonic();
  clock.advance(100_000);
  database.offset -= 90_000;
  assert.ok(SharedTime.monotonicOf(await read(one), asked) <= askedAt);
  assert.equal(database.ahead, 90_000);
  assert.ok(SharedTime.monotonicOf(await read(other), asked) <= askedAt, 'also for one that began later');
});

test('whatever the clock does and however long statements take, no question looks later than it was', async () => {
  const milliseconds = fc.integer({ min: 0, max: 30_000 });
  const step = fc.record({
    jump: fc.oneof(
      fc.constant(0),
      fc.integer({ min: -700_000, max: 700_000 }),
      fc.integer({ min: -300, max: 300 }),
    ),
    process: fc.nat(1),
    asks: fc.boolean(),
    before: milliseconds,
    after: milliseconds,
    pause: milliseconds,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { clock, database, watch, read } = setUp();
      const processes = [watch(), watch()];
      for (const each of processes) await read(each);
      const questions: { readonly date: number; readonly at: number }[] = [];
      for (const { jump, process, asks, before, after, pause } of steps) {
        database.offset += jump;
        // Both look at the time before anything is dated by a clock that was set back.
        for (const each of processes) await read(each);
        const seen = await read(processes[process] as SharedTime, before, after);
        if (asks) questions.push({ date: Math.floor(seen.value.now), at: clock.monotonic() });
        clock.advance(pause);
        const later = await read(processes[1 - process] as SharedTime, after, before);
        for (const { date, at } of questions) assert.ok(SharedTime.monotonicOf(later, date) <= at);
      }
    }),
    runs(300, 1818),
  );
});
