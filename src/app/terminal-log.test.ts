// Proves that a person at a terminal can read the log.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terminalLine } from './terminal-log.ts';

const time = '2026-01-05T12:03:04.000Z';

test('a request is one line: what, outcome, time taken, who', () => {
  const entry = {
    level: 'info',
    time,
    method: 'GET',
    url: '/v1/areas?q',
    status: 200,
    ms: 2.6,
    tier: 'pro',
    msg: 'answered',
  };
  assert.equal(terminalLine(JSON.stringify(entry), false), '12:03:04  GET /v1/areas?q  200  3 ms  pro');
});

test('a failure tells its code and its cause, in colour where there is any', () => {
  const entry = { level: 'error', time, msg: 'Failed', err: { message: 'no route to host' } };
  assert.equal(terminalLine(JSON.stringify(entry), false), '12:03:04  Failed  no route to host');
  assert.ok(
    terminalLine(JSON.stringify(entry), true).endsWith('\u001b[31mFailed  no route to host\u001b[0m'),
  );
});
