// Proof that stopping a real process loses nothing under way, and that another on the same database takes over.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runDrain } from '../support/streams/drain.ts';

test('SIGTERM with 500 streams and 1,000 requests a second: all are answered, new ones go elsewhere, exit 0 in time', async (t) => {
  const result = await runDrain(t, {
    streams: 500,
    requests: 8,
    perSecond: 1_000,
    upstreamAnswers: true,
  });
  t.diagnostic(JSON.stringify(result));
  assert.deepEqual(result.streams, { live: 500 });
  assert.deepEqual(result.requests, { 200: 8 });
  assert.deepEqual(result.refused, { '503 SHUTTING_DOWN': 20 });
  assert.deepEqual(result.takenOver, { 200: 20 });
  assert.deepEqual(Object.keys(result.steady).sort(), ['200', 'taken over 200']);
  assert.equal(result.code, 0);
  assert.ok(result.seconds <= 15, `${result.seconds} s`);
});
