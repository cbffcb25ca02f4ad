// Proves that an operator sees what was sent to the webhooks of a watcher, whoever owns it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draft } from '../../support/catalogue/drafts.ts';
import { writer } from '../../support/catalogue/property-market.ts';
import { until } from '../../support/check/until.ts';
import { temporaryFolder } from '../../support/database/database.ts';
import { runCommand } from '../../support/process/cli.ts';
import { startService } from '../../support/service/service.ts';
import { sendWatcher, subscriber } from '../../support/watch/watchers.ts';
import { SECRETS_KEY, webhooksOf } from '../../support/watch/webhooks.ts';
import { ok, startReceiver } from '../../support/webhooks/receiver.ts';

interface DeliveryRecord {
  readonly eventType: string;
  readonly status: string;
  readonly httpStatus: number | null;
  readonly response: string | null;
}

test('an operator lists what was sent to the webhooks of any watcher, the newest first, as its owner does', async (t) => {
  const receiver = await startReceiver(t);
  const service = await startService(t, {
    environment: { SECRETS_KEY, WEBHOOK_ALLOW: `127.0.0.1:${receiver.port}` },
  });
  const { key } = await subscriber(service).subscribe('pro');
  const write = writer(service);
  const target = { type: 'listing', listingId: (await write(draft('one', { listPrice: 9 }))).get('one') };
  const folder = await temporaryFolder(t, 'deliveries');
  const environment = { DATABASE_URL: service.databaseUrl };
  const list = (...args: string[]) =>
    runCommand(['watchers', 'deliveries', ...args], { folder, environment });
  const create = (delivery: readonly object[]) =>
    sendWatcher(service, 'POST', '', { key, body: { target, delivery, events: ['listing.updated'] } });

  const silent = await create([]);
  const none = await list(silent.watcher.id);
  assert.deepEqual([none.code, none.stdout], [0, 'There is none.\n']);

  const created = await create([{ type: 'webhook', url: `${receiver.url}/hook?token=canary` }]);
  receiver.secrets.set('', webhooksOf(created)[0]?.secret ?? '');
  receiver.answer = (arrival, response) => {
    if (arrival.event.type === 'watcher.test') return ok(arrival, response);
    response.writeHead(500).end('out of order');
  };
  const { id } = created.watcher;
  const recorded = async (count: number) => {
    const rows = await service.database.read((sql) => sql`select from webhook_delivery`);
    return rows.length === count;
  };
  await until('the test is recorded', () => recorded(1));
  await write(draft('one', { listPrice: 8 }));
  await until('a failure is recorded', () => recorded(2));

  const table = await list(id);
  assert.equal(table.code, 0, table.stderr);
  const [head, newest, oldest, ...others] = table.stdout.trim().split('\n');
  assert.match(head ?? '', /^AT +STATUS +ATTEMPT +HTTP +EVENT +HOST +ERROR$/);
  const host = `127\\.0\\.0\\.1:${receiver.port}`;
  assert.match(
    newest ?? '',
    new RegExp(`^\\d{4}-\\S+Z +failed +1 +500 +listing\\.updated +${host} +The answer was 500$`),
  );
  assert.match(oldest ?? '', new RegExp(`^\\d{4}-\\S+Z +succeeded +1 +200 +watcher\\.test +${host}$`));
  assert.deepEqual(others, []);
  assert.ok(!table.stdout.includes('canary'), 'what stands in a path is not for operators');

  const owned: { data: readonly DeliveryRecord[] } = await service.json(`/v1/watchers/${id}/deliveries`, key);
  const { deliveries } = JSON.parse((await list(id, '--json')).stdout) as { deliveries: DeliveryRecord[] };
  assert.deepEqual(deliveries, owned.data);
  assert.equal(deliveries.length, 2);
  const failed = JSON.parse((await list(id, '--status', 'failed', '--json')).stdout) as {
    deliveries: DeliveryRecord[];
  };
  assert.deepEqual(
    failed.deliveries.map(({ eventType, httpStatus }) => [eventType, httpStatus]),
    [['listing.updated', 500]],
  );

  const unknown = await list('wat_none');
  assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
  assert.match(unknown.stderr, /no watcher wat_none.*freehold watchers list/);
  const misspelt = await list(id, '--status', 'lost');
  assert.notEqual(misspelt.code, 0);
  assert.match(misspelt.stderr, /pending, succeeded, failed, parked/);
});
