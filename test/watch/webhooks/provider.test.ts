// Proof that deliveries do not depend on the provider of subscriptions.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draft } from '../../support/catalogue/drafts.ts';
import { writer } from '../../support/catalogue/property-market.ts';
import { until } from '../../support/check/until.ts';
import { startService } from '../../support/service/service.ts';
import { stubProvider } from '../../support/service/stub-provider.ts';
import { sendWatcher } from '../../support/watch/watchers.ts';
import { SECRETS_KEY } from '../../support/watch/webhooks.ts';
import { startReceiver } from '../../support/webhooks/receiver.ts';

/** Milliseconds after which keys are no longer good without the provider. */
const OUTAGE = 900_000;

test('without the provider of subscriptions deliveries go on, and nothing is lost', async (t) => {
  const receiver = await startReceiver(t);
  const provider = stubProvider();
  const service = await startService(t, {
    environment: { SECRETS_KEY, WEBHOOK_ALLOW: `127.0.0.1:${receiver.port}` },
    overrides: { provider },
  });
  const write = writer(service);
  const listingId = (await write(draft('one', { listPrice: 100_000 }))).get('one') ?? '';
  const key = provider.subscribe('pro');
  const created = await sendWatcher(service, 'POST', '', {
    key,
    body: { target: { type: 'listing', listingId }, delivery: [{ type: 'webhook', url: receiver.url }] },
  });
  assert.equal(created.status, 201, created.text);
  const { delivery } = JSON.parse(created.text) as { delivery: { secret: string }[] };
  receiver.secrets.set('', delivery[0]?.secret ?? '');
  /** Pauses pass at once. */
  const delivered = (what: string, isComplete: () => boolean) =>
    until(what, async () => {
      const [row] = await service.database.read(
        (sql) => sql<{ at: string | null }[]>`select due_at as at from webhook where claim is null`,
      );
      const pause = Date.parse(row?.at ?? '') - service.clock.now();
      if (pause > 0) service.clock.advance(pause);
      return isComplete();
    });
  const count = () => new Set(receiver.arrivals.map(({ event }) => event.sequence)).size;
  await delivered('the test has arrived', () => count() === 1);
  provider.mode = 'fail';
  service.clock.advance(OUTAGE);
  assert.equal((await service.get('/v1/watchers', key)).status, 503);
  for (const listPrice of [90_000, 80_000, 70_000]) await write(draft('one', { listPrice }));
  await delivered('what happens meanwhile has arrived', () => count() === 4);
  provider.mode = 'answer';
  service.clock.advance(OUTAGE);
  await write(draft('one', { listPrice: 60_000 }));
  await delivered('what happens afterwards has arrived', () => count() === 5);
  const { data }: { data: { id: string }[] } = await service.json(
    `/v1/watchers/${created.watcher.id}/events`,
    key,
  );
  await delivered('all of the log has arrived', () =>
    data.every(({ id }) => receiver.arrivals.some((arrival) => arrival.id === id)),
  );
});
