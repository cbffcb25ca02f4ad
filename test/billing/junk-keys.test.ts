// Proof of what a flood of junk costs a payment service, over all processes, and that known keys feel nothing of it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type CallBudget, createCallBudget, type Urgency } from '../../src/billing/call-budget.ts';
import { memoryService } from '../support/billing/memory-service.ts';
import { mirrorWorld } from '../support/billing/mirror-world.ts';
import { busiest } from '../support/check/busiest.ts';
import { testDatabase } from '../support/database/database.ts';
import { keyNumber } from '../support/service/stub-provider.ts';

const { database } = await testDatabase({ after });
const service = memoryService('polar');
const world = await mirrorWorld({ after }, { database, service });
const { signal } = new AbortController();

/** When each call of any process was sent. */
const sentAt: number[] = [];
const budgets: CallBudget[] = [1, 2].map(() =>
  createCallBudget({ database: world.database, clock: world.clock, service: 'polar' }),
);

async function call(urgency: Urgency): Promise<void> {
  await budgets[sentAt.length % 2]?.reserve(urgency, signal);
  sentAt.push(world.passed);
}

// As at Polar: a question about a known key takes three calls.
const { find, findKey } = service;
service.find = async (reference, left) => {
  for (let each = 0; each < 3; each++) await call('known');
  return find(reference, left);
};
service.findKey = async (key, left) => {
  await call('unknown');
  return findKey(key, left);
};

test('10,000 junk keys cost a share of the calls, and keys that are known are let in meanwhile', async () => {
  for (const number of [0, 1]) world.start(number);
  const known = Array.from({ length: 50 }, () => service.subscribe('pro').key);
  for (const key of known) assert.equal(await world.processes[0]?.use(key), 'in');
  sentAt.length = 0;
  await world.pass(120_000);
  const answers = new Map<string, number>();
  for (let junk = 0; junk < 10_000; junk += 500) {
    const tried = Array.from({ length: 500 }, (_, at) =>
      world.processes[at % 2]?.use(keyNumber(0xbad0000 + junk + at)),
    );
    for (const said of await Promise.all(tried)) answers.set(said ?? '', (answers.get(said ?? '') ?? 0) + 1);
    for (const key of known.slice(0, 10)) {
      for (const process of world.processes) assert.equal(await process.use(key), 'in');
    }
    await world.pass(3_000);
  }
  assert.deepEqual([...answers.keys()].toSorted(), ['INVALID_API_KEY', 'SUBSCRIPTIONS_UNAVAILABLE']);
  assert.equal(busiest(sentAt, 60_000), 245);
  assert.equal(answers.get('INVALID_API_KEY'), sentAt.length);
});
