// Proves how many webhooks are added, changed and tested in a minute, and that only those count which the service tries.

import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { PROBLEMS } from '../../../src/lib/problem.ts';
import { webhookStage } from '../../support/watch/webhooks.ts';

const { service, clock, target, subscribe, send, create } = await webhookStage({ after });
const URL_A = 'https://a.example/hook';
const hook = (url: string) => ({ type: 'webhook', url });

/** Each test has a minute of its own. */
beforeEach(() => clock.advance(60_000));

test('an owner adds, changes and tests 10 webhooks a minute, and then waits as long as the answer says', async () => {
  const { key } = await subscribe('internal');
  const ids: string[] = [];
  for (let number = 0; number < 9; number++)
    ids.push((await create(key, [hook(`https://h${number}.example/`)])).watcher.id);
  assert.equal((await send('POST', `/${ids[0]}/test`, { key })).status, 202);
  const change = { key, body: { delivery: [hook('https://new.example/')] } };
  const test = { key };
  for (const [method, path, request] of [
    ['POST', '', { key, body: { target, delivery: [hook(URL_A)] } }],
    ['PATCH', `/${ids[1]}`, change],
    ['POST', `/${ids[1]}/test`, test],
  ] as const) {
    const refused = await send(method, path, request);
    assert.deepEqual([refused.status, refused.code], [PROBLEMS.RATE_LIMITED[0], 'RATE_LIMITED'], path);
    const wait = Number(refused.headers.get('retry-after'));
    assert.ok(wait > 0 && wait <= 60, `${wait}`);
  }
  const same = { key, body: { delivery: [hook('https://h1.example/')] } };
  assert.equal((await send('PATCH', `/${ids[1]}`, same)).status, 200, 'no URL is new');
  clock.advance(60_000);
  assert.equal((await send('PATCH', `/${ids[1]}`, change)).status, 200);
});

test('redeliveries count like tests', async () => {
  const { key } = await subscribe('internal');
  const { watcher } = await create(key, [hook('https://again.example/')]);
  await service.database.write(
    (sql) => sql`
      with active as (update webhook set status = 'active' where watcher_id = ${watcher.id} returning no, watcher_id)
      insert into webhook_delivery (day, id, webhook_no, watcher_id, sequence, type, ordinal, event_id, status, attempt, at)
      select ${new Date(clock.now())}::timestamptz::date, 'dlv_again', no, watcher_id, 1, 'listing.updated', 0, 'evt_again',
        'succeeded', 1, ${new Date(clock.now())} from active`,
  );
  const again = () => send('POST', `/${watcher.id}/deliveries/dlv_again/redeliver`, { key });
  for (let number = 1; number < 10; number++) assert.equal((await again()).status, 202, `${number}`);
  const refused = await again();
  assert.deepEqual([refused.status, refused.code], [PROBLEMS.RATE_LIMITED[0], 'RATE_LIMITED']);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
});

test('what is refused for another reason than its webhooks does not count as one of the ten', async () => {
  const { key } = await subscribe('pro');
  const delivery = [hook(URL_A), hook('https://b.example/')];
  const first = await create(key, [hook(URL_A)], { 'idempotency-key': 'k' });
  const path = `/${first.watcher.id}`;
  const nowhere = { type: 'listing', listingId: 'lst_none' };
  const stale = { 'if-match': '"another"' };
  for (let turn = 0; turn < 10; turn++) {
    const refusals = [
      await send('POST', '', { key, body: { target: nowhere, delivery } }),
      await create(key, delivery, { 'idempotency-key': 'k' }),
      await send('PATCH', path, { key, body: { delivery }, headers: stale }),
    ];
    assert.deepEqual(
      refusals.map(({ code }) => code),
      ['INVALID_BODY', 'IDEMPOTENCY_KEY_REUSED', 'PRECONDITION_FAILED'],
      `turn ${turn}`,
    );
  }
  for (let made = 1; made < 10; made++)
    assert.equal((await create(key, [hook(URL_A)])).status, 201, `${made}`);
  const refused = await create(key, [hook(URL_A)]);
  assert.equal(refused.code, 'RATE_LIMITED');
});

test('of several webhooks at once all count or none', async () => {
  const { key } = await subscribe('pro');
  for (let made = 0; made < 8; made++) await create(key, [hook(URL_A)]);
  const three = ['a', 'b', 'c'].map((name) => hook(`https://${name}.example/`));
  assert.equal((await create(key, three)).code, 'RATE_LIMITED');
  assert.equal((await create(key, three.slice(1))).status, 201);
});

test('a creation that the plan does not allow counts neither', async () => {
  const { key } = await subscribe('free');
  const made = await create(key, [hook(URL_A)]);
  for (let turn = 0; turn < 10; turn++)
    assert.equal((await create(key, [hook(URL_A)])).code, 'TIER_RESTRICTED', `turn ${turn}`);
  await send('DELETE', `/${made.watcher.id}`, { key });
  assert.equal((await create(key, [hook(URL_A)])).status, 201);
});

test('resuming tries a URL that has never answered, and so counts as a test of it', async () => {
  const { key } = await subscribe('pro');
  const { watcher } = await create(key, [hook(URL_A)]);
  const resume = () => send('POST', `/${watcher.id}/resume`, { key });
  for (let turn = 1; turn < 10; turn++) assert.equal((await resume()).status, 200, `turn ${turn}`);
  const refused = await resume();
  assert.equal(refused.code, 'RATE_LIMITED');
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  await service.database.write(
    (sql) =>
      sql`update webhook set last_success_at = ${new Date(clock.now())} where watcher_id = ${watcher.id}`,
  );
  assert.equal((await resume()).status, 200, 'one that has answered is resumed at any time');
});

test('a host is tested 60 times a minute, whoever asks', async () => {
  const statuses: number[] = [];
  for (let owner = 0; owner < 7; owner++) {
    const { key } = await subscribe('pro');
    for (let number = 0; number < 9; number++)
      statuses.push((await create(key, [hook(`https://victim.example/${owner}/${number}`)])).status);
  }
  assert.deepEqual(statuses, [...Array(60).fill(201), 429, 429, 429]);
});
