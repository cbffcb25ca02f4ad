// Proof that clients who drip their requests are cut in time, and that honest ones are served meanwhile.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFuzzService } from '../support/fuzz/service.ts';
import { dripOn } from '../support/fuzz/slow-clients.ts';

test('two hundred connections that drip are cut by the time limits, and honest requests are answered all the while', async (t) => {
  const limits = {
    headersTimeoutMs: 800,
    requestTimeoutMs: 1_000,
    keepAliveTimeoutMs: 500,
    checkIntervalMs: 100,
  };
  const service = await startFuzzService(t, limits);
  const { uncut, honest, longest } = await dripOn({
    port: service.port,
    connections: 200,
    pause: 50,
    patience: 15_000,
  });
  t.diagnostic(`the last was cut after ${longest} ms`);
  assert.equal(uncut, 0);
  assert.deepEqual(Object.keys(honest), ['200']);
  assert.ok((honest[200] ?? 0) > 200, 'some were sent meanwhile');
});
