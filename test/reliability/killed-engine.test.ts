// Proves that a process killed while it loads, follows or rebuilds its search engine costs the next one no change.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUNDS, stageKilledEngine } from '../support/engine/killed-engine.ts';

/** One of a start, of a file that is being written, and of a rebuild; CHAOS_RUNS: so many times all of them. */
const REPEATED = Number(process.env.CHAOS_RUNS ?? 0);
const FEW = ROUNDS.filter(
  ({ step, hasFile }) => (step === 'writing' && !hasFile) || (step === 'merged' && hasFile),
);
const rounds = REPEATED === 0 ? FEW : Array.from({ length: REPEATED }, () => ROUNDS).flat();

test('killed at any step of a load or a rebuild, the next process has every change that was acknowledged', async (t) => {
  const { play } = await stageKilledEngine(t);
  let changes = 0;
  for (const round of rounds) changes += await play(round);
  t.diagnostic(`${rounds.length} kills, ${changes} changes acknowledged`);
  assert.ok(changes > rounds.length);
});
