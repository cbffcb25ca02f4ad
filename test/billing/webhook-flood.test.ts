// Proof that bad signatures cost little, however many come from an address, and harm no other address.

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { mock, test } from 'node:test';
import { readMetric } from '../support/billing/read-metric.ts';
import {
  deliver,
  OLD_POLAR_SECRET,
  POLAR_SECRET,
  POLAR_SETTINGS,
  type SignedEvent,
  signPolar,
} from '../support/billing/signed-events.ts';
import { makeInBatches } from '../support/check/batches.ts';
import { startService } from '../support/service/service.ts';

const FLOOD = 10_000;
/** Bad signatures of an address in a minute, and the keys that two secrets may stand for. */
const [PER_MINUTE, KEYS] = [60, 3];

test('10,000 bad signatures of one address cost 60 checks, and others are served meanwhile', async (t) => {
  const service = await startService(t, {
    environment: {
      ...POLAR_SETTINGS,
      POLAR_WEBHOOK_SECRET: `${POLAR_SECRET},${OLD_POLAR_SECRET}`,
      TRUSTED_PROXIES: '127.0.0.1',
    },
  });
  const original = crypto.createHmac;
  let hmacs = 0;
  const keys = [
    POLAR_SECRET,
    OLD_POLAR_SECRET,
    Buffer.from(POLAR_SECRET.slice('whsec_'.length), 'base64'),
  ].map((key) => Buffer.from(key).toString('hex'));
  mock.method(crypto, 'createHmac', (...args: Parameters<typeof original>) => {
    // Connections to the database make some too.
    if (keys.includes(Buffer.from(args[1] as string).toString('hex'))) hmacs += 1;
    return original(...args);
  });
  syncBuiltinESMExports();
  t.after(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
  });
  const sign = () => signPolar('{"type":"a"}', { at: service.clock.now() });
  const bad = (event: SignedEvent): SignedEvent => ({ ...event, body: '{"type":"b"}' });
  const from = (address: string, event: SignedEvent) =>
    deliver(service, event, { headers: { 'x-forwarded-for': address } });
  const event = bad(sign());
  const statuses: Record<string, number> = {};
  await makeInBatches(FLOOD, async () => {
    const answer = await from('203.0.113.7', event);
    const wait = Number(answer.headers.get('retry-after'));
    const { code } = (await answer.json()) as { readonly code: string };
    const seen = `${answer.status} ${code} ${wait > 0 && wait <= 60}`;
    statuses[seen] = (statuses[seen] ?? 0) + 1;
  });
  assert.deepEqual(statuses, {
    '400 INVALID_SIGNATURE false': PER_MINUTE,
    '429 RATE_LIMITED true': FLOOD - PER_MINUTE,
  });
  assert.equal(hmacs, PER_MINUTE * KEYS);
  assert.equal(
    await readMetric(service, 'freehold_billing_refused_webhooks_total', { reason: 'throttled' }),
    FLOOD - PER_MINUTE,
  );
  const good = sign();
  assert.equal((await from('203.0.113.7', good)).status, 429);
  assert.equal(hmacs, PER_MINUTE * KEYS, 'not even for a good one');
  assert.equal((await from('203.0.113.8', good)).status, 200);
  service.clock.advance(60_000);
  for (let count = 0; count < 2 * PER_MINUTE; count += 1)
    assert.equal((await from('203.0.113.7', sign())).status, 200, 'good ones do not count');
  for (let count = 0; count < PER_MINUTE; count += 1)
    assert.equal((await from(`2001:db8::${count}`, bad(sign()))).status, 400);
  assert.equal((await from('2001:db8::ffff', bad(sign()))).status, 429, 'one /64 counts as one');
});
