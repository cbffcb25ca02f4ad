// Proof that nothing that can be sent to the MCP endpoint crashes, blocks or pollutes the service, or is answered as our failure.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fuzzMcp } from '../support/fuzz/run.ts';
import { startFuzzService } from '../support/fuzz/service.ts';

const LIMITS = { headersTimeoutMs: 600, requestTimeoutMs: 800, keepAliveTimeoutMs: 500, checkIntervalMs: 50 };
const service = await startFuzzService({ after }, LIMITS);
const before = await service.fared();

/** The longest that one turn of the event loop may take, in milliseconds of its own processor time. */
const LONGEST_TURN = 50;

test('R37: two thousand bent messages are answered in words or cut, and leave nothing behind', async (t) => {
  const warmUp = await fuzzMcp(service, { cases: 300, seed: 1, patience: 20_000 });
  assert.deepEqual(warmUp.wrong, []);
  await service.fared();
  const { statuses, wrong } = await fuzzMcp(service, { cases: 2_000, seed: 20_261_123, patience: 20_000 });
  assert.deepEqual(wrong, []);
  for (const status of [200, 202, 400, 403]) assert.ok(statuses[status], JSON.stringify(statuses));
  const { longestTurn, longestDelay, prototypes, errors } = await service.fared();
  t.diagnostic(JSON.stringify({ statuses, longestTurn, longestDelay }));
  assert.equal(prototypes, before.prototypes);
  assert.deepEqual(errors, []);
  assert.ok(longestTurn < LONGEST_TURN, `${longestTurn} ms in one turn`);
});
