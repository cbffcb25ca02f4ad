// Proof that `cached` waits for nothing slow: neither for a silent upstream, nor longer than its own few queries.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { until } from '../support/check/until.ts';
import { FAULTS } from '../support/sources/upstream.ts';
import { request } from '../support/streams/clients.ts';
import { startStreams } from '../support/streams/service.ts';

const service = await startStreams({ after });
const { clock, upstream } = service;

test('cached comes without any time passing while the upstream is silent; its error comes with the deadline', async () => {
  await service.stream('a');
  upstream.faults.entity = FAULTS.hang;
  const from = clock.monotonic();
  const requests = upstream.listingRequests.length;
  const reader = await request(service.url, `/v1/listing/${service.id('a')}`, service.keys.pro);
  await until('the first event arrives', () => reader.text().includes('event: cached'));
  assert.equal(clock.monotonic(), from);
  await upstream.untilRequested(requests + 1);
  assert.ok(!/event: (?:error|live)/.test(reader.text()));
  clock.advance(7_999);
  await service.measure('freehold_http_streams');
  assert.ok(!reader.text().includes('event: error'));
  clock.advance(1);
  await reader.closed;
  assert.match(reader.text(), /event: cached[\s\S]*event: error[\s\S]*"timeout"[\s\S]*event: done/);
});
