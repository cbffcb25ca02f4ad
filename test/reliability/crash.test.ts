// Proof that sudden ends cost nothing: what was acknowledged stays, the service comes back by itself, and nothing stays behind.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Outcome, playRounds } from '../support/chaos/crash-rounds.ts';

/** Each kind of crash once; `npm run chaos` plays two hundred. */
const ROUNDS = 6;
const SEED = 20_260_105;

test('killed at any moment, service or database, nothing acknowledged is lost and the service comes back by itself', async (t) => {
  const outcomes: Outcome[] = [];
  const complaints: string[] = [];
  await playRounds(t, {
    rounds: ROUNDS,
    seed: SEED,
    tell: (outcome) => outcomes.push(outcome),
    complain: (what) => complaints.push(what),
  });
  const sum = (name: keyof Outcome) => outcomes.reduce((total, outcome) => total + Number(outcome[name]), 0);
  const worst = Math.max(...outcomes.map(({ seconds }) => seconds));
  t.diagnostic(
    `${sum('acknowledged')} batches acknowledged; healthy again after ${worst.toFixed(1)} s at worst`,
  );
  assert.deepEqual(complaints, []);
  assert.equal(outcomes.length, ROUNDS + 1);
  assert.ok(sum('acknowledged') > ROUNDS);
  for (const broken of [
    'lost',
    'missing',
    'extra',
    'torn',
    'lostKeys',
    'uncounted',
    'orphans',
    'wrong',
  ] as const) {
    assert.equal(sum(broken), 0, broken);
  }
});
