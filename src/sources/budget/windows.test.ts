// Proof of the windows: replayed against a list of every request, none has more than it may, at any moment.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Claim, type SlotUse, slotAt, usable, usedIn, waitFor } from './windows.ts';

const LIVE: Claim = { isLive: true, reservesLive: true, suspends: false };
const START = Date.parse('2026-03-01T00:00:00Z');

test('no stretch of a window ever has more requests than the limit, and nobody waits in vain', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(1, 7, 60, 3_600),
      fc.integer({ min: 1, max: 12 }),
      fc.array(fc.integer({ min: 0, max: 4_000 }), { minLength: 1, maxLength: 60 }),
      (seconds, requests, gaps) => {
        const window = { seconds, requests };
        const uses = new Map<number, SlotUse>();
        const sent: number[] = [];
        let now = START;
        for (const gap of gaps) {
          now += (gap * seconds) / 60;
          const wait = waitFor(window, [...uses.values()], now, LIVE);
          // What it says is enough, and is no longer than the window with its margin.
          assert.ok(wait <= seconds * 1_000 * 1.25 + 300, String(wait));
          now += wait;
          assert.equal(waitFor(window, [...uses.values()], now, LIVE), 0);
          const slot = slotAt(seconds, now);
          uses.set(slot, { slot, requests: (uses.get(slot)?.requests ?? 0) + 1, bytes: 0 });
          sent.push(now);
          const late = sent.filter((at) => at > now - seconds * 1_000);
          assert.ok(late.length <= requests, `${late.length} of ${requests}`);
        }
      },
    ),
  );
});

test('bytes count like requests', () => {
  const window = { seconds: 60, bytes: 1_000 };
  const at = (age: number, bytes: number) => ({ slot: slotAt(60, START - age), requests: 1, bytes });
  assert.equal(waitFor(window, [at(0, 999)], START, LIVE), 0);
  assert.ok(waitFor(window, [at(0, 1_000)], START, LIVE) > 59_000);
  assert.equal(waitFor(window, [at(70_000, 5_000), at(0, 1)], START, LIVE), 0);
  assert.deepEqual(usedIn(60, [at(70_000, 5_000), at(0, 1)], START), { requests: 1, bytes: 1 });
});

test('a tenth is for people who wait, and a tenth is left alone where exceeding ends the access', () => {
  const bulk = { ...LIVE, isLive: false };
  assert.deepEqual(
    [
      usable(100, 3_600, LIVE),
      usable(100, 3_600, bulk),
      usable(100, 3_600, { ...bulk, reservesLive: false }),
    ],
    [100, 90, 100],
  );
  assert.equal(usable(100, 3_600, { ...bulk, suspends: true }), 81);
  assert.equal(usable(2, 1, { ...bulk, suspends: true }), 2);
  assert.equal(usable(1, 3_600, { ...bulk, suspends: true }), 1);
});
