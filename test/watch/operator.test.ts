// Proves that an operator can see, pause, move and replay the watchers of every owner beside a running service.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { draft } from '../support/catalogue/drafts.ts';
import { writer } from '../support/catalogue/property-market.ts';
import { until } from '../support/check/until.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { runCli } from '../support/process/cli.ts';
import { startService } from '../support/service/service.ts';
import { sendWatcher, subscriber } from '../support/watch/watchers.ts';

const service = await startService({ after });
const { subscribe } = subscriber(service);
const ids = await writer(service)(draft('one', { listPrice: 100_000 }));
const target = { type: 'listing', listingId: ids.get('one') ?? '' };
const folder = await temporaryFolder({ after }, 'operator');
const environment = { DATABASE_URL: service.databaseUrl };

async function command(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return runCli({ after }, ['watchers', ...args], { folder, environment });
}
async function json<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await command(...args, '--json');
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as T;
}
const create = async (key: string) =>
  (await sendWatcher(service, 'POST', '', { key, body: { target, name: 'The house' } })).watcher;
const read = async (key: string, id: string) => sendWatcher(service, 'GET', `/${id}`, { key });
const entries = async (id: string) =>
  (
    await service.database.read(
      (sql) => sql<{ action: string; owner: string }[]>`
        select action, after ->> 'owner' as owner from change join change_batch on change_batch.id = batch_id
        where watcher_id = ${id} order by first_sequence + ordinal`,
    )
  ).map(({ action, owner }) => `${action} ${owner}`);

interface Listed {
  readonly id: string;
  readonly owner: string;
  readonly status: string;
}

test('an operator lists, shows and pauses the watchers of every owner, and the owner can resume', async () => {
  const { id: subscription, key } = await subscribe('pro', 'acme');
  const watcher = await create(key);
  const { watchers } = await json<{ watchers: Listed[] }>('list', '--owner', subscription);
  assert.deepEqual(
    watchers.map(({ id, owner, status }) => [id, owner, status]),
    [[watcher.id, 'cus:acme', 'active']],
  );
  const table = await command('list', '--status', 'active');
  assert.match(
    table.stdout,
    new RegExp(`${watcher.id} +active +instant +cus:acme +${target.listingId} .*The house`),
  );
  const shown = JSON.parse((await command('show', watcher.id)).stdout) as object;
  assert.deepEqual(shown, { ...watcher, owner: 'cus:acme', subscription, grant: null });
  assert.match((await command('pause', watcher.id)).stdout, /paused \(owner\)/);
  assert.equal((await read(key, watcher.id)).watcher.status, 'paused');
  assert.equal(
    (await sendWatcher(service, 'POST', `/${watcher.id}/resume`, { key })).watcher.status,
    'active',
  );
  const missing = await command('show', 'wat_none');
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /no watcher wat_none.*freehold watchers list/);
});

test('watchers move from a subscription to another: the new owner has them, the old one no longer', async () => {
  const [old, replacement] = [await subscribe('pro'), await subscribe('free')];
  const [first, second] = [await create(old.key), await create(old.key)];
  const moved = await json<object>('move', old.id, replacement.id);
  assert.deepEqual(moved, { moved: 2, owner: `sub:${replacement.id}` });
  assert.equal((await read(old.key, first?.id ?? '')).code, 'WATCHER_NOT_FOUND');
  assert.equal((await read(replacement.key, first?.id ?? '')).watcher.name, 'The house');
  assert.deepEqual(await entries(first?.id ?? ''), [
    `created sub:${old.id}`,
    `updated sub:${replacement.id}`,
  ]);
  await until('the plan of the new owner sets the limit', async () => {
    service.clock.advance(60_000);
    return (await read(replacement.key, second?.id ?? '')).watcher.statusReason === 'over_limit';
  });
  const refused = await command('move', old.id, 'sub_unknown');
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /no subscription sub_unknown/);
});

test('with a payment service watchers move to a subscription that it told to be in force, and to no other', async () => {
  const old = await subscribe('pro');
  const { id } = await create(old.key);
  await service.database.write(
    (sql) => sql`
      insert into subscription_verdict (provider, reference, state, customer, tier, asked_at, since, question)
      values ('stripe', 'sub_Force', 'active', 'cus_1', 'pro', now(), now(), 1), ('stripe', 'sub_Over', 'expired', null, null, now(), now(), 2)`,
  );
  const stripe = {
    ...{ SUBSCRIPTIONS: 'stripe', STRIPE_SECRET_KEY: 'rk_test_0123456789abcdef' },
    STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
  };
  const move = (to: string) =>
    runCli({ after }, ['watchers', 'move', `sub:${old.id}`, to], {
      folder,
      environment: { ...environment, ...stripe },
    });
  assert.match((await move('sub_Over')).stderr, /no subscription sub_Over/);
  assert.equal((await move('sub_Force')).stdout, '1 moved to cus:cus_1\n');
  assert.equal((await read(old.key, id)).code, 'WATCHER_NOT_FOUND');
});

test('a replay is an entry of the log for an active watcher, and refused for another', async () => {
  const { id: subscription, key } = await subscribe('pro');
  const { id } = await create(key);
  await json('replay', id);
  assert.deepEqual(await entries(id), [`created sub:${subscription}`, `replayed sub:${subscription}`]);
  await command('pause', id);
  const refused = await command('replay', id);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /is paused: only an active watcher/);
  assert.equal(refused.stdout, '', 'nothing is said to be done');
  assert.equal((await command('replay', id, '--json')).stdout, '');
});
