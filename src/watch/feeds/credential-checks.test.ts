// Tests of the checks of credentials behind open streams.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../../test/support/service/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { CredentialChecks } from './credential-checks.ts';

const READ = { credentials: 'required', scope: 'listings:read', counts: 'month' } as const;
const WATCH = { ...READ, scope: 'watchers' } as const;

/** Checks over credentials that are refused as the test says, with what was verified. */
function createChecks() {
  const clock = manualClock(0);
  const verified: string[] = [];
  const refusals = new Map<string, unknown>();
  const checks = new CredentialChecks({
    clock,
    report: () => {},
    async verify({ authorization }, { scope = '' }) {
      const name = `${authorization} ${scope}`;
      verified.push(name);
      if (refusals.has(name)) throw refusals.get(name);
    },
  });
  const ended: string[] = [];
  const add = (authorization: string, access: typeof READ | typeof WATCH, name = authorization) => {
    const remove = checks.add({
      credential: { authorization, address: '192.0.2.1' },
      access,
      end() {
        ended.push(name);
        remove();
      },
    });
    return remove;
  };
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      clock.advance(1_000);
      await new Promise(setImmediate);
    }
  };
  return { verified, refusals, ended, add, pass, clock };
}

test('a credential is verified once for all its streams of one kind, and nobody is once they have ended', async () => {
  const { verified, add, pass, clock } = createChecks();
  const streams = [add('ann', READ), add('ann', READ), add('ann', WATCH), add('bob', READ)];
  await pass(4);
  assert.deepEqual(verified.toSorted(), ['ann listings:read', 'ann watchers', 'bob listings:read']);
  for (const remove of [...streams, ...streams]) remove();
  await pass(8);
  assert.equal(verified.length, 3);
  assert.equal(clock.waiting, 0, 'no timer stays');
});

test('streams end once their credential is refused for what they do, and no others', async () => {
  const { refusals, ended, add, pass } = createChecks();
  add('ann', READ, 'ann reads');
  add('ann', WATCH, 'ann watches');
  add('ann', WATCH, 'ann watches too');
  add('bob', WATCH);
  refusals.set('ann watchers', new Problem('INSUFFICIENT_SCOPE', 'The grant was narrowed.'));
  refusals.set('bob watchers', new Problem('DATABASE_UNAVAILABLE', 'Nobody can tell.'));
  await pass(5);
  assert.deepEqual(ended.toSorted(), ['ann watches', 'ann watches too']);
});
