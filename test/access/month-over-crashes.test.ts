// Proof that a month is never overdrawn over two real processes, however they die, and little of it is lost with them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spendMonth } from '../support/guard/month.ts';

test('a month that two processes spend while they are killed is never overdrawn, and loses a block with each at most', async (t) => {
  const result = await spendMonth(t, { month: 1_000, rounds: 2, seed: 35 });
  const { month, admitted, used, kills, block, unknown } = result;
  t.diagnostic(JSON.stringify(result));
  assert.ok(admitted <= month, `${admitted} of ${month}`);
  assert.equal(used, month, 'nothing was given back twice, and what was left has been spent');
  assert.ok(month - admitted <= kills * block + unknown, `${month - admitted} were lost`);
});
