// Proves that a question gives the event loop back in time, whatever its estimates are worth.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pace } from './pace.ts';

test('a turn ends by its estimate, or by the clock where the estimate is too low', async () => {
  let now = 0;
  const pace = new Pace({ limits: { turn: 1_000, free: 1_000_000 }, monotonic: () => now });
  await pace.begin();
  assert.equal(pace.spend(999), false);
  assert.equal(pace.spend(1), true, 'estimated work of a whole turn');
  await pace.pause();
  now = 2.9;
  assert.equal(pace.spend(1), false);
  now = 3;
  assert.equal(pace.spend(1), true, 'three milliseconds by the clock');
  await pace.pause();
  now = 5.9;
  assert.equal(pace.spend(1), false, 'the next turn has its own time');
  pace.end();
});

test('time that passed before the first turn is not its own', async () => {
  let now = 0;
  const pace = new Pace({ monotonic: () => now });
  now = 100;
  await pace.begin();
  assert.equal(pace.spend(1), false);
  pace.end();
});
