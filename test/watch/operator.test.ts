// Proves that an operator can see, pause, move and replay the watchers of every owner beside a running service.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { draft } from '../support/catalogue/drafts.ts';
import { writer } from '../support/catalogue/property-market.ts';
import { until } from '../support/check/until.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { runCommand } from '../support/process/cli.ts';
import { startService } from '../support/service/service.ts';
import { untilMatched } from '../support/watch/matching-oracle.ts';
import { sendWatcher, subscriber } from '../support/watch/watchers.ts';

const service = await startService({ after });
const { subscribe } = subscriber(service);
const write = writer(service);
const ids = await write(draft('one', { listPrice: 100_000 }));
const target = { type: 'listing', listingId: ids.get('one') ?? '' };
const folder = await temporaryFolder({ after }, 'operator');
const environment = { DATABASE_URL: service.databaseUrl };

async function command(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return runCommand(['watchers', ...args], { folder, environment });
}
async function json<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await command(...args, '--json');
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as T;
}
const create = async (key: string) =>
  (await sendWatcher(service, 'POST', '', { key, body: { target, name: 'The house' } })).watcher;
const createForPrices = async (key: string) =>
  (await sendWatcher(service, 'POST', '', { key, body: { target, events: ['listing.price_decreased'] } }))
    .watcher;
const read = async (key: string, id: string) => sendWatcher(service, 'GET', `/${id}`, { key });
const entries = async (id: string) =>
  (
    await service.database.read(
      (sql) => sql<{ action: string; owner: string }[]>`
        select action, after ->> 'owner' as owner from change join change_batch on change_batch.id = batch_id
        where watcher_id = ${id} order by first_sequence + ordinal`,
    )
  ).map(({ action, owner }) => `${action} ${owner}`);

/** What a watcher, or all of an owner, was told: types and listings. */
async function told(key: string, id: string): Promise<string[]> {
  return readTold(key, `/v1/watchers/${id}/events?limit=100`);
}
const toldTo = (key: string) => readTold(key, '/v1/events?limit=100');

async function readTold(key: string, path: string): Promise<string[]> {
  await untilMatched(service.database);
  const { data } = (await service.json(path, key)) as {
    data: { type: string; data: { object?: { id: string } } }[];
  };
  return data.map(({ type, data: { object } }) => (object === undefined ? type : `${type} ${object.id}`));
}

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
      insert into provider_subscription (provider, reference, state, customer, tier, checked_at, question)
      values ('stripe', 'sub_Force', 'active', 'cus_1', 'pro', now(), 1), ('stripe', 'sub_Over', 'expired', null, null, now(), 2)`,
  );
  const stripe = {
    SUBSCRIPTIONS: 'stripe',
    STRIPE_SECRET_KEY: 'rk_test_0123456789abcdef',
    STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef',
  };
  const move = (to: string) =>
    runCommand(['watchers', 'move', `sub:${old.id}`, to], {
      folder,
      environment: { ...environment, ...stripe },
    });
  assert.match((await move('sub_Over')).stderr, /no subscription sub_Over/);
  assert.equal((await move('sub_Force')).stdout, '1 moved to cus:cus_1\n');
  assert.equal((await read(old.key, id)).code, 'WATCHER_NOT_FOUND');
});

test('a replay tells what matches now once more, as events of their own, to the owner alone, and changes nothing else', async () => {
  const { key } = await subscribe('pro');
  const other = await subscribe('pro');
  const body = {
    target: { type: 'search', listingType: 'sale', query: { city: ['Replayed'] } },
    events: ['search.match_added'],
  };
  const { watcher } = await sendWatcher(service, 'POST', '', { key, body });
  const { watcher: foreign } = await sendWatcher(service, 'POST', '', { key: other.key, body });
  const home = { address: { ...draft('x').address, city: 'Replayed' } };
  const near = await write(
    draft('near', { ...home, listPrice: 1 }),
    draft('gone', { ...home, listPrice: 2 }),
  );
  await write(draft('gone', { ...home, status: 'CLOSED', closePrice: 2 }));
  assert.deepEqual(await told(key, watcher.id), [
    `search.match_added ${near.get('near')}`,
    `search.match_added ${near.get('gone')}`,
  ]);
  const before = await read(key, watcher.id);
  await json('replay', watcher.id);
  assert.deepEqual((await told(key, watcher.id)).slice(2), [`search.match_added ${near.get('near')}`]);
  await json('replay', watcher.id);
  assert.deepEqual((await told(key, watcher.id)).slice(3), [`search.match_added ${near.get('near')}`]);
  assert.deepEqual((await read(key, watcher.id)).watcher, before.watcher);
  assert.equal((await told(other.key, foreign.id)).length, 2, 'nobody else is told');
});

test('a watcher that an operator pauses is told so and nothing else, and cannot be replayed, and is told again once it is resumed', async () => {
  const { key } = await subscribe('pro');
  const { id } = await createForPrices(key);
  await write(draft('one', { listPrice: 90_000 }));
  const first = await told(key, id);
  assert.deepEqual(first, [`listing.price_decreased ${target.listingId}`]);
  await command('pause', id);
  const paused = [...first, 'watcher.paused'];
  await write(draft('one', { listPrice: 80_000 }));
  assert.deepEqual(await told(key, id), paused);
  const refused = await command('replay', id);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /is paused: only an active watcher/);
  assert.equal(refused.stdout, '', 'nothing is said to be done');
  assert.equal((await command('replay', id, '--json')).stdout, '');
  assert.deepEqual(await told(key, id), paused);
  await sendWatcher(service, 'POST', `/${id}/resume`, { key });
  await write(draft('one', { listPrice: 70_000 }));
  assert.deepEqual(await told(key, id), [...paused, ...first]);
});

test('what happens after a move is told to the new owner; what was told before stays with the old one', async () => {
  const [old, replacement] = [await subscribe('pro'), await subscribe('pro')];
  const { id } = await createForPrices(old.key);
  await write(draft('one', { listPrice: 60_000 }));
  const first = await toldTo(old.key);
  assert.equal(first.length, 1);
  await json('move', old.id, replacement.id);
  await write(draft('one', { listPrice: 50_000 }));
  assert.deepEqual(await toldTo(replacement.key), [`listing.price_decreased ${target.listingId}`]);
  assert.deepEqual(await toldTo(old.key), first);
  assert.equal((await read(replacement.key, id)).watcher.status, 'active');
});
