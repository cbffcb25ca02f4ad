// Proves over HTTP how webhooks are added, changed, removed, tested and resumed, and that each bad one is refused with its remedy.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { headSequence } from '../../../src/changes/change-store.ts';
import { untilMatched } from '../../support/watch/matching-oracle.ts';
import { secretOf, type WebhookRecord, webhookStage, webhooksOf } from '../../support/watch/webhooks.ts';

const stage = await webhookStage({ after });
const { service, clock, target, subscribe, answers, send, create } = stage;
const URL_A = 'https://a.example/hook';
const URL_B = 'https://b.example/hook';
const hook = (url: string, secret?: string) => ({ type: 'webhook', url, ...(secret && { secret }) });

/** A webhook as it is shown later. */
const without = ({ secret: _, ...webhook }: Partial<WebhookRecord> = {}) => webhook;

/** The private entries of a watcher, in their order. */
async function actionsOf(watcherId: string): Promise<string[]> {
  const rows = await service.database.read(
    (sql) => sql<{ action: string }[]>`
      select action from change where watcher_id = ${watcherId} order by batch_id, ordinal`,
  );
  return rows.map(({ action }) => action);
}

/** Sets what a dispatcher would write. */
const setState = (watcherId: string, status: string) =>
  service.database.write(
    (sql) => sql`
      update webhook set status = ${status}, attempt = 4, failures = 4, retry_at = now() + interval '1 hour',
        last_success_at = '2026-06-01T11:00:00.5Z' where watcher_id = ${watcherId}`,
  );

test('a webhook is made with its watcher, unverified, and its secret is shown once', async () => {
  const { key } = await subscribe('pro');
  const created = await create(key, [hook(URL_A), hook('https://B.example:8443/x?y=1', secretOf(24))]);
  assert.equal(created.status, 201, created.text);
  const [first, second] = webhooksOf(created);
  assert.match(first?.id ?? '', /^whk_[0-9a-f]{24}$/);
  assert.match(first?.secret ?? '', /^whsec_[A-Za-z0-9+/]{43}=$/);
  const { id, secret, ...rest } = second ?? {};
  assert.deepEqual(rest, {
    type: 'webhook',
    url: 'https://b.example:8443/x?y=1',
    status: 'unverified',
    lastSuccessAt: null,
  });
  assert.equal(secret, secretOf(24));
  const read = await send('GET', `/${created.watcher.id}`, { key });
  assert.deepEqual(webhooksOf(read), webhooksOf(created).map(without));
  assert.ok(!read.text.includes('whsec_'));
  assert.ok(!(await service.get('/v1/watchers', key).then((answer) => answer.text())).includes('whsec_'));
  assert.deepEqual(await actionsOf(created.watcher.id), ['created', 'tested'], 'it is tested at once');
  assert.equal(created.watcher.version, 1);
  const plain = await send('POST', '', { key, body: { target } });
  assert.deepEqual([webhooksOf(plain), await actionsOf(plain.watcher.id)], [[], ['created']]);
});

const REFUSED: readonly (readonly [entry: unknown, pointer: string, detail: RegExp])[] = [
  [hook('nonsense'), '/delivery/0/url', /absolute URL such as https/],
  [hook('ftp://a.example/'), '/delivery/0/url', /absolute URL such as https/],
  [hook('https://user:word@a.example/'), '/delivery/0/url', /credentials/],
  [hook('https://a.example/#top'), '/delivery/0/url', /fragment/],
  [hook(`https://a.example/${'x'.repeat(2_000)}`), '/delivery/0/url', /2000/],
  [hook('http://a.example/'), '/delivery/0/url', /must begin with https/],
  [hook('https://nowhere.example/'), '/delivery/0/url', /without an address/],
  [hook('https://private.example/'), '/delivery/0/url', /not on the public Internet.*WEBHOOK_ALLOW/],
  [hook('https://mixed.example/'), '/delivery/0/url', /not on the public Internet/],
  [hook('https://10.0.0.1/'), '/delivery/0/url', /not on the public Internet/],
  [hook('https://localhost/'), '/delivery/0/url', /not on the public Internet/],
  [hook('https://169.254.169.254/latest'), '/delivery/0/url', /not on the public Internet/],
  [hook(URL_A, secretOf(23)), '/delivery/0/secret', /24 to 64 random bytes/],
  [hook(URL_A, secretOf(65)), '/delivery/0/secret', /24 to 64 random bytes/],
  [hook(URL_A, 'whsec_'), '/delivery/0/secret', /whsec_ and/],
  [hook(URL_A, secretOf(32).slice(6)), '/delivery/0/secret', /whsec_ and/],
  [hook(URL_A, `whsec_${'ä'.repeat(40)}`), '/delivery/0/secret', /whsec_ and/],
  [hook(URL_A, `${secretOf(30)}!`), '/delivery/0/secret', /whsec_ and/],
  [{ ...hook(URL_A), id: 'whk_1' }, '/delivery/0', /id/],
  [{ url: URL_A }, '/delivery/0', /type/],
  [{ ...hook(URL_A), type: 'email' }, '/delivery/0/type', /webhook/],
  [{ type: 'webhook' }, '/delivery/0', /url/],
  [{ ...hook(URL_A), url: 7 }, '/delivery/0/url', /string/],
  ['x', '/delivery/0', /object/],
];

test('each bad webhook is answered by 400, with a pointer to the member and the remedy, and nothing is made', async () => {
  answers.set('nowhere.example', null);
  answers.set('private.example', ['192.168.1.5']);
  answers.set('mixed.example', ['93.184.216.34', '127.0.0.1']);
  for (const [entry, pointer, detail] of REFUSED) {
    const { key } = await subscribe('pro');
    const answer = await create(key, [entry]);
    const said = JSON.stringify(entry).slice(0, 80);
    assert.deepEqual([answer.status, answer.code], [400, 'INVALID_BODY'], `${said} ${answer.text}`);
    assert.ok(answer.errors[0]?.pointer?.startsWith(pointer), `${said}: ${answer.errors[0]?.pointer}`);
    assert.match(`${answer.errors[0]?.pointer} ${answer.errors[0]?.detail}`, detail, said);
    assert.deepEqual(await service.json('/v1/watchers', key).then(({ data }) => data), []);
  }
});

test('more than three webhooks, the same URL twice and a list that is none are refused', async () => {
  const { key } = await subscribe('pro');
  const four = await create(
    key,
    ['a', 'b', 'c', 'd'].map((name) => hook(`https://${name}.example/`)),
  );
  assert.deepEqual([four.status, four.errors[0]?.pointer], [400, '/delivery']);
  assert.match(four.detail, /3/);
  const twice = await create(key, [hook(URL_A), hook('https://A.example/hook')]);
  assert.deepEqual([twice.status, twice.errors[0]?.pointer], [400, '/delivery/1/url']);
  for (const delivery of [null, {}, 'https://a.example/', 3]) {
    const answer = await send('POST', '', { key, body: { target, delivery } });
    assert.deepEqual(
      [answer.status, answer.errors[0]?.pointer],
      [400, '/delivery'],
      JSON.stringify(delivery),
    );
  }
});

test('a change replaces the list: a URL that stays keeps its webhook, a new one is verified, a missing one is gone', async () => {
  const { key } = await subscribe('pro');
  const created = await create(key, [hook(URL_A), hook(URL_B)]);
  const [a, b] = webhooksOf(created);
  const path = `/${created.watcher.id}`;
  await setState(created.watcher.id, 'active');
  const list = [hook('https://c.example/'), hook(URL_B)];
  const changed = await send('PATCH', path, { key, body: { delivery: list } });
  assert.equal(changed.status, 200, changed.text);
  const [c, kept] = webhooksOf(changed);
  assert.deepEqual(kept, {
    ...without(b),
    status: 'active',
    lastSuccessAt: '2026-06-01T11:00:00.500Z',
  });
  assert.match(c?.secret ?? '', /^whsec_/);
  assert.notEqual(c?.id, a?.id);
  assert.equal(changed.watcher.version, 2);
  assert.deepEqual((await actionsOf(created.watcher.id)).slice(2), ['updated', 'tested']);
  const again = await send('PATCH', path, { key, body: { delivery: list } });
  assert.deepEqual([again.watcher.version, again.text.includes('whsec_')], [2, false], 'nothing differs');
  const swapped = await send('PATCH', path, { key, body: { delivery: list.toReversed() } });
  assert.deepEqual(
    webhooksOf(swapped).map(({ id }) => id),
    [b?.id, c?.id],
  );
  assert.equal(swapped.watcher.version, 3);
  const named = await send('PATCH', path, { key, body: { name: 'A' } });
  assert.equal(webhooksOf(named).length, 2, 'a change that does not speak of webhooks leaves them');
  const none = await send('PATCH', path, { key, body: { delivery: [] } });
  assert.deepEqual(webhooksOf(none), []);
});

test('a webhook that is named by its id gets another URL, and keeps its secret and its place in the log', async () => {
  const { key } = await subscribe('pro');
  const created = await create(key, [hook(URL_A)]);
  const [before] = webhooksOf(created);
  const path = `/${created.watcher.id}`;
  const read = () =>
    service.database.read(
      (sql) => sql`
        select id, secret, position_sequence, status, claim, is_inner, host from webhook where watcher_id = ${created.watcher.id}`,
    );
  await service.database.write(
    (sql) => sql`
      update webhook set position_sequence = 77, status = 'failing', claim = 'held', claimed_until = now()
      where watcher_id = ${created.watcher.id}`,
  );
  const [old] = await read();
  const delivery = [{ ...hook(URL_B), id: before?.id }];
  const moved = await send('PATCH', path, { key, body: { delivery } });
  assert.equal(moved.status, 200, moved.text);
  assert.deepEqual(webhooksOf(moved), [
    { id: before?.id, type: 'webhook', url: URL_B, status: 'unverified', lastSuccessAt: null },
  ]);
  assert.deepEqual([...(await read())], [{ ...old, status: 'unverified', claim: null, host: 'b.example' }]);
  const unknown = await send('PATCH', path, {
    key,
    body: { delivery: [{ ...hook(URL_A), id: 'whk_none' }] },
  });
  assert.deepEqual([unknown.status, unknown.errors[0]?.pointer], [400, '/delivery/0/id']);
  const exchanged = [{ ...hook(URL_A), id: before?.id }, hook(URL_B)];
  const both = await send('PATCH', path, { key, body: { delivery: exchanged } });
  assert.equal(both.status, 200, both.text);
  assert.equal(webhooksOf(both)[0]?.id, before?.id);
  assert.match(webhooksOf(both)[1]?.secret ?? '', /^whsec_/, 'its former URL is free for a new one');
});

test('a change cannot replace a secret, but may repeat it', async () => {
  const { key } = await subscribe('pro');
  const { watcher } = await create(key, [hook(URL_A, secretOf(32))]);
  const change = (secret: string) =>
    send('PATCH', `/${watcher.id}`, { key, body: { delivery: [hook(URL_A, secret)] } });
  assert.equal((await change(secretOf(32))).status, 200);
  const refused = await change(secretOf(32, 8));
  assert.deepEqual([refused.status, refused.errors[0]?.pointer], [400, '/delivery/0/secret']);
  assert.match(refused.detail, /rotate-secret/);
});

test('a webhook that is added later starts with what comes then, one that is made with its watcher at its beginning', async () => {
  const { key } = await subscribe('pro');
  const { watcher } = await create(key, [hook(URL_A)]);
  const { database } = service;
  const head = await database.read(headSequence);
  await untilMatched(database);
  await send('PATCH', `/${watcher.id}`, { key, body: { delivery: [hook(URL_A), hook(URL_B)] } });
  const rows = await database.read(
    (sql) => sql`select position_sequence as at from webhook where watcher_id = ${watcher.id} order by place`,
  );
  assert.deepEqual(
    rows.map(({ at }) => at),
    [0, head + 1],
  );
});

test('a watcher with webhooks is read anew however its ETag stands, since their states change without a version', async () => {
  const { key } = await subscribe('pro');
  const created = await create(key, [hook(URL_A)]);
  await setState(created.watcher.id, 'failing');
  const headers = { 'if-none-match': created.headers.get('etag') ?? '' };
  const read = await send('GET', `/${created.watcher.id}`, { key, headers });
  assert.deepEqual([read.status, webhooksOf(read)[0]?.status], [200, 'failing']);
});

test('a test is asked for in the log, and refused where no webhook could get it', async () => {
  const { key } = await subscribe('pro');
  const { watcher } = await create(key, [hook(URL_A)]);
  const sent = await send('POST', `/${watcher.id}/test`, { key });
  assert.deepEqual([sent.status, sent.watcher.id], [202, watcher.id], sent.text);
  assert.deepEqual(await actionsOf(watcher.id), ['created', 'tested', 'tested']);
  await setState(watcher.id, 'disabled');
  const refused = await send('POST', `/${watcher.id}/test`, { key });
  assert.deepEqual([refused.status, refused.code], [409, 'CONFLICT']);
  assert.match(refused.detail, /Resume/);
  const none = (await send('POST', '', { key, body: { target } })).watcher;
  for (const action of ['test', 'rotate-secret']) {
    const without = await send('POST', `/${none.id}/${action}`, { key });
    assert.deepEqual([without.status, without.code], [409, 'CONFLICT'], action);
    assert.match(without.detail, /no webhook/);
  }
});

test('resuming ends the pause of failing webhooks, and lets disabled ones prove their URL again', async () => {
  const { key } = await subscribe('pro');
  const { watcher } = await create(key, [hook(URL_A)]);
  const state = () =>
    service.database.read(
      (sql) => sql`
        select status, attempt, failures, retry_at, due_at is not null as due from webhook where watcher_id = ${watcher.id}`,
    );
  const rested = { attempt: 0, failures: 0, retry_at: null, due: true };
  await setState(watcher.id, 'failing');
  const resumed = await send('POST', `/${watcher.id}/resume`, { key });
  assert.equal(resumed.status, 200, resumed.text);
  assert.deepEqual([...(await state())], [{ ...rested, status: 'failing' }]);
  assert.deepEqual(await actionsOf(watcher.id), ['created', 'tested'], 'no test of what was proved');
  await setState(watcher.id, 'disabled');
  await service.database.write(
    (sql) =>
      sql`update watcher set status = 'disabled', status_reason = 'delivery_failed' where id = ${watcher.id}`,
  );
  clock.advance(1_000);
  const revived = await send('POST', `/${watcher.id}/resume`, { key });
  assert.deepEqual([revived.watcher.status, webhooksOf(revived)[0]?.status], ['active', 'unverified']);
  assert.deepEqual([...(await state())], [{ ...rested, status: 'unverified' }]);
  assert.deepEqual((await actionsOf(watcher.id)).slice(2), ['resumed', 'tested']);
});

test('an expired watcher has no tests and no rotations', async () => {
  clock.advance(60_000);
  const { key } = await subscribe('pro');
  const { watcher } = await create(key, [hook(URL_A)]);
  await service.database.write((sql) => sql`update watcher set status = 'expired' where id = ${watcher.id}`);
  for (const action of ['test', 'rotate-secret']) {
    const refused = await send('POST', `/${watcher.id}/${action}`, { key });
    assert.deepEqual([refused.status, refused.code], [409, 'CONFLICT'], action);
  }
});
