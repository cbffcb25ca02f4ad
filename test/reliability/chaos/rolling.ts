// Long run of nodes that end one after another behind HAProxy, first announced, then killed, under load.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutBalancer } from '../../support/balancers/balancer.ts';
import { runUpgrade } from '../../support/balancers/upgrade-run.ts';

const CLIENTS = 12;
const FEEDS = 12;
const PASSED = ['create 201', 'read 200', 'search 200', 'stream 200 cached,live,done'];
const skip = withoutBalancer('haproxy');

/** Outcomes other than those of requests that passed. */
const failuresOf = (outcomes: Readonly<Record<string, number>>) =>
  Object.entries(outcomes).filter(([outcome]) => !PASSED.includes(outcome));

test('fifteen nodes are replaced one after another: no request fails, no write is repeated, no event is lost', {
  skip,
}, async (t) => {
  const signals = Array<'SIGTERM'>(15).fill('SIGTERM');
  const result = await runUpgrade(t, { signals, clients: CLIENTS, feeds: FEEDS });
  t.diagnostic(JSON.stringify(result));
  assert.deepEqual(failuresOf(result.outcomes), []);
  assert.ok(result.codes.every((code) => code === 0));
  assert.deepEqual([result.lostWatchers, result.unknownWatchers], [0, 0]);
  assert.ok(result.feeds.every(({ isWhole, refusals }) => isWhole && refusals.length === 0));
});

test('nine nodes are killed: only what they were about fails, nothing that was acknowledged or happened is lost', {
  skip,
}, async (t) => {
  const signals = Array<'SIGKILL'>(9).fill('SIGKILL');
  const result = await runUpgrade(t, { signals, clients: CLIENTS, feeds: FEEDS });
  t.diagnostic(JSON.stringify(result));
  const failures = failuresOf(result.outcomes);
  const failed = failures.reduce((sum, [, count]) => sum + count, 0);
  // Each client has one request under way.
  assert.ok(failed <= signals.length * CLIENTS, JSON.stringify(failures));
  assert.equal(failures.filter(([outcome]) => outcome.startsWith('read')).length, 0);
  assert.equal(result.lostWatchers, 0);
  assert.ok(result.unknownWatchers <= failed, 'of a write whose answer was lost nobody knows');
  assert.ok(result.feeds.every(({ isWhole, refusals }) => isWhole && refusals.length === 0));
});
