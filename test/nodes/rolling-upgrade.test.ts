// Proof that three nodes behind a load balancer are replaced one after another without a failed request or a lost event.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutBalancer } from '../support/balancers/balancer.ts';
import { runUpgrade } from '../support/balancers/upgrade-run.ts';

test('each of three nodes gets SIGTERM and is replaced under load: no request fails, no write is repeated, feeds resume without loss', {
  skip: withoutBalancer('haproxy'),
}, async (t) => {
  const signals = ['SIGTERM', 'SIGTERM', 'SIGTERM'] as const;
  const { outcomes, codes, feeds, lostWatchers, unknownWatchers } = await runUpgrade(t, {
    signals,
    clients: 6,
    feeds: 6,
  });
  t.diagnostic(JSON.stringify({ outcomes, feeds }));
  assert.deepEqual(Object.keys(outcomes).toSorted(), [
    'create 201',
    'read 200',
    'search 200',
    'stream 200 cached,live,done',
  ]);
  assert.deepEqual(codes, [0, 0, 0]);
  assert.deepEqual([lostWatchers, unknownWatchers], [0, 0]);
  for (const { isWhole, refusals } of feeds) {
    assert.ok(isWhole);
    assert.deepEqual(refusals, []);
  }
  // Each feed was at one of the nodes that were replaced.
  assert.ok(feeds.every(({ streams }) => streams > 1));
});
