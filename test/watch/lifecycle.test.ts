// Proves how watchers follow the subscriptions of their owner, their own end, and the end of a grant.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { draft } from '../support/catalogue/drafts.ts';
import { writer } from '../support/catalogue/property-market.ts';
import { until } from '../support/check/until.ts';
import { revoke, signIn } from '../support/oauth/oauth.ts';
import { manualClock } from '../support/service/clock.ts';
import { startSecondService } from '../support/service/second-service.ts';
import { startService } from '../support/service/service.ts';
import { stubProvider } from '../support/service/stub-provider.ts';
import { sendWatcher, type WatcherRecord } from '../support/watch/watchers.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** For which a process admits a key by the plan that it knows: another process may have seen the change sooner. */
const STATUS_LIFETIME = 10 * MINUTE;
const provider = stubProvider();
const clock = manualClock(Date.UTC(2026, 5, 1, 12));
const service = await startService({ after }, { clock, overrides: { provider } });
await startSecondService({ after }, service, { provider });
const ids = await writer(service)(draft('one', { listPrice: 100_000 }));
const target = { type: 'listing', listingId: ids.get('one') ?? '' };

const send = (method: string, path: string, key: string, body?: object) =>
  sendWatcher(service, method, path, { key, body });

async function create(key: string, number: number, more: object = {}): Promise<WatcherRecord[]> {
  const created: WatcherRecord[] = [];
  for (let made = 0; made < number; made++) {
    const { watcher, status, text } = await send('POST', '', key, { target, ...more });
    assert.equal(status, 201, text);
    created.push(watcher);
  }
  return created;
}

/** The statuses of an owner's watchers, the oldest first. */
async function statusesOf(owner: string): Promise<string[]> {
  const rows = await service.database.read(
    (sql) => sql<{ status: string; reason: string | null }[]>`
      select status, status_reason as reason from watcher where owner = ${owner} order by no`,
  );
  return rows.map(({ status, reason }) => (reason === null ? status : `${status} ${reason}`));
}

/** Moves time on, a minute at a time as it does, until the statuses are these. */
async function untilStatuses(owner: string, expected: readonly string[]): Promise<void> {
  let statuses: readonly string[] = [];
  await until(`${owner} has ${expected.join()}`, async () => {
    clock.advance(MINUTE);
    statuses = await statusesOf(owner);
    return JSON.stringify(statuses) === JSON.stringify(expected);
  }).catch((error: Error) => assert.fail(`${error.message}; it has ${statuses.join()}`));
}

const actionsOf = async (id: string): Promise<string[]> =>
  (
    await service.database.read(
      (sql) => sql<{ action: string }[]>`
        select action || coalesce(' ' || (after ->> 'statusReason'), '') as action
        from change join change_batch on change_batch.id = batch_id
        where watcher_id = ${id} order by first_sequence + ordinal`,
    )
  ).map(({ action }) => action);

const subscriptionOf = (key: string): string => `sub_${key.slice(-12).toLowerCase()}`;
const active = (tier: 'free' | 'pro' | 'business', key: string, customer: string | null = null) =>
  ({ state: 'active', subscription: subscriptionOf(key), customer, tier, endsAt: null }) as const;

test('a lower plan pauses the newest watchers and says so, a higher one resumes them; pauses of the owner stay', async () => {
  const key = provider.subscribe('pro');
  const owner = `sub:${subscriptionOf(key)}`;
  const [oldest, second, third] = await create(key, 3);
  await send('POST', `/${second?.id}/pause`, key);
  provider.change(key, active('free', key));
  await untilStatuses(owner, ['active', 'paused owner', 'paused over_limit']);
  clock.advance(STATUS_LIFETIME);
  const refused = await send('POST', `/${third?.id}/resume`, key);
  assert.deepEqual([refused.status, refused.code], [403, 'TIER_RESTRICTED']);
  assert.match(refused.detail, /1 watcher/);
  assert.equal((await send('POST', '', key, { target })).code, 'TIER_RESTRICTED');
  provider.change(key, active('pro', key));
  await untilStatuses(owner, ['active', 'paused owner', 'active']);
  assert.deepEqual(await actionsOf(third?.id ?? ''), ['created', 'paused over_limit', 'resumed']);
  const [limit] = await service.database.read(
    (sql) =>
      sql<{ events: number }[]>`select events_per_hour as events from watcher where id = ${oldest?.id ?? ''}`,
  );
  assert.equal(limit?.events, 1_000, 'the hourly number of events follows the plan');
});

test('a watcher beyond the limit resumes once one that counts is deleted', async () => {
  const key = provider.subscribe('pro');
  const owner = `sub:${subscriptionOf(key)}`;
  const [oldest] = await create(key, 2);
  provider.change(key, active('free', key));
  await untilStatuses(owner, ['active', 'paused over_limit']);
  await send('DELETE', `/${oldest?.id}`, key);
  await untilStatuses(owner, ['active']);
});

test('the end of the last subscription pauses all, its return resumes them; each is told once in two processes', async () => {
  const key = provider.subscribe('pro');
  const owner = `sub:${subscriptionOf(key)}`;
  const [first] = await create(key, 3);
  provider.change(key, { state: 'expired' });
  await untilStatuses(owner, Array(3).fill('paused subscription_ended'));
  provider.change(key, active('pro', key));
  await untilStatuses(owner, Array(3).fill('active'));
  assert.deepEqual(await actionsOf(first?.id ?? ''), ['created', 'paused subscription_ended', 'resumed']);
});

test('a customer that replaces its key keeps its watchers, also when the old subscription has ended first', async () => {
  const old = provider.subscribe('pro', undefined, 'acme');
  await create(old, 2);
  provider.change(old, { state: 'unknown' });
  await untilStatuses('cus:acme', Array(2).fill('paused subscription_ended'));
  const replacement = provider.subscribe('pro', undefined, 'acme');
  const { watcher } = await send('GET', '', replacement);
  assert.equal((watcher as unknown as { data: unknown[] }).data.length, 2);
  await untilStatuses('cus:acme', ['active', 'active']);
});

test('the highest plan in force sets the limit of an owner with several subscriptions', async () => {
  const [low, high] = [
    provider.subscribe('free', undefined, 'both'),
    provider.subscribe('pro', undefined, 'both'),
  ];
  await create(high, 2);
  await create(low, 1);
  clock.advance(20 * MINUTE);
  provider.change(high, { state: 'expired' });
  await untilStatuses('cus:both', ['active', 'paused over_limit', 'paused over_limit']);
});

test('a provider that is unavailable holds everything, for as long as it is', async () => {
  const key = provider.subscribe('pro');
  const owner = `sub:${subscriptionOf(key)}`;
  await create(key, 2);
  provider.mode = 'fail';
  for (let minute = 0; minute < 60; minute++) {
    clock.advance(MINUTE);
    assert.deepEqual(await statusesOf(owner), ['active', 'active']);
  }
  provider.mode = 'answer';
  provider.change(key, { state: 'expired' });
  await untilStatuses(owner, Array(2).fill('paused subscription_ended'));
});

test('a watcher expires at its time, is told once, cannot be changed any more, and is deleted when its events are', async () => {
  const key = provider.subscribe('pro');
  const owner = `sub:${subscriptionOf(key)}`;
  const expiresAt = new Date(clock.now() + 90 * MINUTE).toISOString();
  const [watcher] = await create(key, 1, { expiresAt });
  const path = `/${watcher?.id}`;
  clock.advance(80 * MINUTE);
  assert.equal((await send('GET', path, key)).watcher.status, 'active');
  await untilStatuses(owner, ['expired']);
  assert.deepEqual(await actionsOf(watcher?.id ?? ''), ['created', 'expired']);
  for (const [method, below, body] of [
    ['PATCH', '', { name: 'A' }],
    ['POST', '/pause', undefined],
    ['POST', '/resume', undefined],
  ] as const) {
    const refused = await send(method, `${path}${below}`, key, body);
    assert.deepEqual([refused.status, refused.code], [409, 'CONFLICT']);
  }
  const { watchers }: { watchers: object } = await service.json('/v1/usage', key);
  assert.deepEqual(watchers, { limit: 25, used: 0 });
  clock.advance(29 * DAY);
  assert.equal((await send('GET', path, key)).watcher.status, 'expired');
  clock.advance(2 * DAY);
  await untilStatuses(owner, []);
});

async function isWatched(owner: string): Promise<boolean | undefined> {
  const id = Number(owner.slice('grant:'.length));
  const [row] = await service.database.read(
    (sql) => sql<{ watched: boolean }[]>`select watched from oauth_grant where id = ${id}`,
  );
  return row?.watched;
}

test('the end of a grant without a key expires its watchers, and no other grant of the address loses any', async () => {
  const session = await signIn(service);
  const [watcher] = await create(session.accessToken, 1);
  const [{ owner = '' } = {}] = await service.database.read(
    (sql) => sql<{ owner: string }[]>`select owner from watcher where id = ${watcher?.id ?? ''}`,
  );
  assert.match(owner, /^grant:/);
  clock.advance(30 * MINUTE);
  assert.deepEqual(await statusesOf(owner), ['active']);
  assert.equal(await isWatched(owner), true, 'it is not unused');
  await revoke(service, session.refreshToken, 'desktop-app');
  await untilStatuses(owner, ['expired']);
  const later = await signIn(service);
  const [another] = await create(later.accessToken, 1);
  const grants = await service.database.read(
    (sql) => sql<{ id: number }[]>`select id from oauth_grant where watched`,
  );
  const next = `grant:${grants.at(-1)?.id}`;
  assert.equal(await isWatched(next), true);
  await send('DELETE', `/${another?.id}`, later.accessToken);
  assert.equal(await isWatched(next), false, 'its last watcher is deleted');
});
