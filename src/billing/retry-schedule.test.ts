// Proof of the pauses between tries: they grow, are drawn, and never exceed an hour.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pauseAfter } from './retry-schedule.ts';

test('the first try follows within a second, each pause is at most twice the one before, and none is over an hour', () => {
  assert.deepEqual([pauseAfter(1, 0), pauseAfter(1, 1), pauseAfter(2, 1)], [500, 1_000, 2_000]);
  assert.equal(pauseAfter(1_000_000, 1), 3_600_000);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failures, random) => {
        const pause = pauseAfter(failures, random);
        assert.ok(pause >= 500 && pause <= 3_600_000);
        const next = pauseAfter(failures + 1, random);
        assert.ok(next >= pause && next <= 2 * pause + 1);
      },
    ),
  );
});
