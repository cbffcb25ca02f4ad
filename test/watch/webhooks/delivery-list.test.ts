// Proves over HTTP how deliveries are listed and asked for once more, how secrets are rotated, and that nobody reaches those of others. R38.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Keyring, parseKeys } from '../../../src/lib/keyring.ts';
import {
  SECRETS_KEY,
  secretOf,
  webhookStage,
  webhooksOf,
  writeDelivery,
} from '../../support/watch/webhooks.ts';

const { service, clock, subscribe, send, create } = await webhookStage({ after });
const keyring = new Keyring(parseKeys(SECRETS_KEY));
const delivery = [{ type: 'webhook', url: 'https://a.example/hook' }];

interface DeliveryPage {
  readonly data: readonly { readonly id: string; readonly status: string }[];
  readonly page: { readonly limit: number; readonly hasMore: boolean; readonly nextCursor: string | null };
}

/** A watcher with deliveries of these statuses, the oldest first. */
async function delivered(statuses: readonly string[], webhookStatus = 'active') {
  clock.advance(60_000);
  const { key } = await subscribe('pro');
  const created = await create(key, delivery);
  const { id: watcherId } = created.watcher;
  await service.database.write(
    (sql) => sql`update webhook set status = ${webhookStatus}, due_at = null where watcher_id = ${watcherId}`,
  );
  const ids: string[] = [];
  for (const [at, status] of statuses.entries())
    ids.push(await writeDelivery(service, { watcherId, sequence: 10 + at, status, at: clock.now() }));
  const list = (query = '') =>
    service.json(`/v1/watchers/${watcherId}/deliveries${query}`, key) as Promise<DeliveryPage>;
  return { key, watcherId, ids, list, webhook: webhooksOf(created)[0] };
}

test('deliveries are listed with what the last attempt gave, the newest event first', async () => {
  const { list, ids, watcherId, webhook } = await delivered(['succeeded', 'failed']);
  const { data, page } = await list();
  assert.deepEqual(
    data.map(({ id }) => id),
    ids.toReversed(),
  );
  assert.deepEqual(data[0], {
    id: ids[1],
    object: 'delivery',
    webhookId: webhook?.id,
    eventId: 'evt_11',
    eventType: 'listing.updated',
    watcherId,
    attempt: 1,
    status: 'failed',
    httpStatus: 500,
    latencyMs: 12,
    response: 'oops',
    error: 'The answer was 500',
    at: new Date(clock.now()).toISOString(),
    nextAttemptAt: null,
  });
  assert.deepEqual(page, { limit: 20, hasMore: false, nextCursor: null });
});

test('paging with any size reads every delivery once, also of one status', async () => {
  const statuses = Array.from({ length: 11 }, (_, at) => (at % 3 === 0 ? 'failed' : 'succeeded'));
  const { list, ids } = await delivered(statuses);
  for (const [filter, expected] of [
    ['', ids.toReversed()],
    ['&status=failed', ids.filter((_, at) => at % 3 === 0).toReversed()],
  ] as const) {
    for (const limit of [1, 2, 3, 11]) {
      const read: string[] = [];
      let cursor = '';
      do {
        const { data, page } = await list(`?limit=${limit}${filter}${cursor}`);
        read.push(...data.map(({ id }) => id));
        cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
      } while (cursor !== '');
      assert.deepEqual(read, expected, `${filter} ${limit}`);
    }
  }
});

test('a cursor of another list, an unknown status and an unknown parameter are refused', async () => {
  const [one, two] = [await delivered(['failed', 'failed']), await delivered(['failed'])];
  const { page } = await one.list('?limit=1');
  const refused = async (query: string) => {
    const answer = await service.get(`/v1/watchers/${two.watcherId}/deliveries?${query}`, two.key);
    return `${answer.status} ${((await answer.json()) as { code: string }).code}`;
  };
  assert.equal(await refused(`cursor=${page.nextCursor}`), '400 INVALID_CURSOR');
  assert.equal(await refused('cursor=x'), '400 INVALID_CURSOR');
  assert.equal(await refused('status=lost'), '400 INVALID_PARAMETER');
  assert.equal(await refused('state=failed'), '400 INVALID_PARAMETER');
  assert.equal(await refused('limit=0'), '400 INVALID_PARAMETER');
});

test('a redelivery is written down for the dispatcher, and makes the webhook due', async () => {
  const { key, watcherId, ids } = await delivered(['parked']);
  const answer = await send('POST', `/${watcherId}/deliveries/${ids[0]}/redeliver`, { key });
  assert.deepEqual([answer.status, answer.watcher.id], [202, ids[0]], answer.text);
  const [row] = await service.database.read(
    (sql) => sql`
      select redeliver_at, due_at from webhook_delivery join webhook on no = webhook_no
      where webhook_delivery.watcher_id = ${watcherId}`,
  );
  const now = new Date(clock.now()).toISOString();
  assert.deepEqual(row, { redeliver_at: now, due_at: now });
});

test('nothing is sent once more to a webhook that is disabled or unverified, nor what is not there', async () => {
  for (const status of ['disabled', 'unverified']) {
    const { key, watcherId, ids } = await delivered(['failed'], status);
    const refused = await send('POST', `/${watcherId}/deliveries/${ids[0]}/redeliver`, { key });
    assert.deepEqual([refused.status, refused.code], [409, 'CONFLICT']);
    assert.match(refused.detail, new RegExp(`${status}.*Resume`));
    for (const id of ['dlv_unknown', 'x'.repeat(61)]) {
      const missing = await send('POST', `/${watcherId}/deliveries/${id}/redeliver`, { key });
      assert.deepEqual([missing.status, missing.code], [404, 'NOT_FOUND'], id);
    }
  }
});

test('R38: for others every new route is as if watcher and delivery were not there', async () => {
  const ours = await delivered(['failed']);
  const theirs = await delivered(['failed']);
  const routes = [
    ['POST', '/test'],
    ['POST', '/rotate-secret'],
    ['GET', '/deliveries'],
    ['POST', `/deliveries/${ours.ids[0]}/redeliver`],
    ['PATCH', ''],
  ] as const;
  for (const [method, path] of routes) {
    const body = method === 'PATCH' ? { delivery: [] } : undefined;
    const foreign = await send(method, `/${ours.watcherId}${path}`, { key: theirs.key, body });
    const unknown = await send(method, `/wat_unknown${path}`, { key: theirs.key, body });
    assert.deepEqual([foreign.status, foreign.code], [404, 'WATCHER_NOT_FOUND'], path);
    const { requestId: _, ...problem } = JSON.parse(foreign.text);
    const { requestId: __, ...same } = JSON.parse(unknown.text);
    assert.deepEqual(problem, same, 'the same words');
  }
  const crossed = await send('POST', `/${theirs.watcherId}/deliveries/${ours.ids[0]}/redeliver`, {
    key: theirs.key,
  });
  assert.deepEqual([crossed.status, crossed.code], [404, 'NOT_FOUND'], 'the delivery of another watcher');
  const stolen = { delivery: [{ ...delivery[0], id: ours.webhook?.id }] };
  const taken = await send('PATCH', `/${theirs.watcherId}`, { key: theirs.key, body: stolen });
  assert.deepEqual([taken.status, taken.errors[0]?.pointer], [400, '/delivery/0/id']);
  const rotated = { webhookId: ours.webhook?.id };
  const foreign = await send('POST', `/${theirs.watcherId}/rotate-secret`, {
    key: theirs.key,
    body: rotated,
  });
  assert.deepEqual([foreign.status, foreign.errors[0]?.pointer], [400, '/webhookId']);
  const [row] = await service.database.read(
    (sql) => sql`
      select redeliver_at, previous_secret from webhook_delivery join webhook on no = webhook_no
      where webhook_delivery.watcher_id = ${ours.watcherId}`,
  );
  assert.deepEqual(row, { redeliver_at: null, previous_secret: null }, 'nothing was touched');
});

test('a rotation shows the new secret once, and the former one signs for 24 more hours', async () => {
  const { key, watcherId, webhook } = await delivered([]);
  const secrets = async () => {
    const [row] = await service.database.read(
      (sql) => sql<{ secret: Buffer; previous: Buffer; until: string }[]>`
        select secret, previous_secret as previous, previous_secret_until as until from webhook where watcher_id = ${watcherId}`,
    );
    assert.ok(row !== undefined);
    const open = (sealed: Buffer) => `whsec_${keyring.open(sealed, watcherId).toString('base64')}`;
    return { secret: open(row.secret), previous: open(row.previous), until: row.until };
  };
  const rotated = await send('POST', `/${watcherId}/rotate-secret`, { key });
  assert.equal(rotated.status, 200, rotated.text);
  const answer = JSON.parse(rotated.text);
  const until = new Date(clock.now() + 86_400_000).toISOString();
  assert.deepEqual(answer, {
    id: webhook?.id,
    type: 'webhook',
    url: delivery[0]?.url,
    status: 'active',
    lastSuccessAt: null,
    secret: answer.secret,
    previousSecretExpiresAt: until,
  });
  assert.deepEqual(await secrets(), { secret: answer.secret, previous: webhook?.secret, until });
  clock.advance(1_000);
  const own = await send('POST', `/${watcherId}/rotate-secret`, { key, body: { secret: secretOf(64) } });
  assert.equal(JSON.parse(own.text).secret, secretOf(64));
  assert.equal((await secrets()).previous, answer.secret, 'the one before that signs no more');
  assert.ok(!(await send('GET', `/${watcherId}`, { key })).text.includes('whsec_'));
});

test('a rotation says which webhook it means, where there are several, and refuses bad secrets', async () => {
  const { key, watcherId } = await delivered([]);
  const rotate = (body: unknown) => send('POST', `/${watcherId}/rotate-secret`, { key, body });
  for (const [body, pointer] of [
    [{ secret: secretOf(23) }, '/secret'],
    [{ secret: 'x' }, '/secret'],
    [{ webhookId: 'whk_x' }, '/webhookId'],
    [{ colour: 'red' }, '/colour'],
    [[], ''],
  ] as const) {
    const refused = await rotate(body);
    assert.deepEqual([refused.status, refused.errors[0]?.pointer], [400, pointer], JSON.stringify(body));
  }
  const two = [...delivery, { type: 'webhook', url: 'https://b.example/hook' }];
  const changed = await send('PATCH', `/${watcherId}`, { key, body: { delivery: two } });
  const second = webhooksOf(changed)[1];
  const refused = await rotate({});
  assert.deepEqual([refused.status, refused.errors[0]?.pointer], [400, '/webhookId']);
  const rotated = await rotate({ webhookId: second?.id });
  assert.deepEqual([rotated.status, JSON.parse(rotated.text).url], [200, 'https://b.example/hook']);
});
