// Proof of what becomes of limits while the server that counts them is dead, silent, emptied or another one, and afterwards.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVERYTHING } from '../../../src/access/tiers/reach.ts';
import { until } from '../../support/check/until.ts';
import { type Closing, testDatabase } from '../../support/database/database.ts';
import {
  type CountingService,
  newKey,
  startCountingService,
  startThree,
  untilShared,
} from '../../support/limits/counting-services.ts';
import { type RedisServer, startRedis, withoutRedis } from '../../support/limits/redis-server.ts';

const skip = withoutRedis;
type Services = readonly [CountingService, CountingService, CountingService];

/** @param callLimit milliseconds for a call; default: as long as it takes */
async function setUp(t: Closing, callLimit?: number) {
  const database = await testDatabase(t);
  const redis = await startRedis(t);
  const services = await startThree(t, database, redis.url, callLimit);
  return { database, redis, services, key: await newKey(database, 'free') };
}

/** Sends so many requests to each service at once, and gives how many each admitted; any answer but 200 and 429 fails. */
async function flood(services: Services, key: string, counts: readonly [number, number, number]) {
  const admittedBy = async (service: CountingService, count: number): Promise<number> => {
    const answers = await Promise.all(Array.from({ length: count }, () => service.get('/v1/open', key)));
    for (const { status, headers } of answers)
      assert.ok(status === 200 || (status === 429 && headers.has('retry-after')), `status ${status}`);
    return answers.filter(({ status }) => status === 200).length;
  };
  return Promise.all(services.map((service, at) => admittedBy(service, counts[at] ?? 0)));
}

const untilDivided = (services: Services): Promise<void> =>
  until('all divide', () => services.every((each) => each.status().mode === 'divided'));

test('a dead server: each process admits its share less what it has admitted; found again, all of it counts', {
  skip,
}, async (t) => {
  const { redis, services, key } = await setUp(t);
  assert.deepEqual(await flood(services, key, [15, 3, 0]), [15, 3, 0]);
  await redis.kill();
  await untilDivided(services);
  assert.deepEqual(await flood(services, key, [30, 30, 30]), [5, 17, 20]);
  const epochs = services.map((each) => each.status().epoch);
  await redis.start();
  await untilShared(services);
  assert.ok(services.every((each, at) => each.status().epoch >= (epochs[at] ?? 0)));
  assert.deepEqual(await flood(services, key, [3, 3, 3]), [0, 0, 0], 'sixty were admitted in this minute');
  for (const { told } of services)
    assert.deepEqual(told.map(({ mode }) => mode).slice(-2), ['divided', 'shared'], 'both are told');
});

test('one process loses the server: all divide', { skip }, async (t) => {
  const { database, redis, services, key } = await setUp(t);
  assert.deepEqual(await flood(services, key, [0, 10, 10]), [0, 10, 10]);
  // A server of the same name that counts nothing of this.
  const id = await redis.command('client', 'list');
  assert.match(id, /addr=/);
  await redis.command('client', 'kill', 'type', 'normal');
  await until('a loss is noticed', async () => {
    await services[0].get('/v1/open', await newKey(database, 'free'));
    return services.every((each) => each.status().epoch > 1);
  });
  await untilShared(services);
  assert.deepEqual(
    await flood(services, key, [60, 0, 0]),
    [40, 0, 0],
    'what the others admitted is there again',
  );
});

test('a server that does not answer: requests are decided without it, then it counts again', {
  skip,
}, async (t) => {
  const { redis, services, key } = await setUp(t, 20);
  redis.pause();
  const counts = await flood(services, key, [30, 30, 30]);
  assert.deepEqual(counts, [20, 20, 20]);
  await untilDivided(services);
  redis.resume();
  await untilShared(services);
  assert.deepEqual(await flood(services, key, [3, 3, 3]), [0, 0, 0]);
});

test('an emptied server is a loss: what was admitted is written into it again', { skip }, async (t) => {
  const { redis, services, key } = await setUp(t);
  assert.deepEqual(await flood(services, key, [30, 0, 10]), [30, 0, 10]);
  const before = services[0].status().epoch;
  await redis.command('flushall');
  await until('the loss is noticed', () => services.every((each) => each.status().epoch > before));
  await untilShared(services);
  assert.deepEqual(await flood(services, key, [60, 0, 0]), [20, 0, 0]);
});

test('a server that has evicted counts is a loss, and is not used before it may evict nothing', {
  skip,
}, async (t) => {
  const { redis, services, key } = await setUp(t);
  assert.deepEqual(await flood(services, key, [30, 0, 10]), [30, 0, 10]);
  // Marks stay: only what expires is evicted.
  await redis.command('config', 'set', 'maxmemory-policy', 'volatile-ttl');
  await redis.command('config', 'set', 'maxmemory', '1');
  await until('counts are evicted', async () =>
    /evicted_keys:[1-9]/.test(await redis.command('info', 'stats')),
  );
  await redis.command('config', 'set', 'maxmemory', '0');
  await until('all divide, and who has noticed it gives the policy as the reason', () => {
    const statuses = services.map((each) => each.status());
    const isDivided = statuses.every(({ mode, epoch }) => mode === 'divided' && epoch > 1);
    return isDivided && statuses.some(({ reason }) => /maxmemory-policy volatile-ttl/.test(reason ?? ''));
  });
  await redis.command('config', 'set', 'maxmemory-policy', 'noeviction');
  await untilShared(services, 2);
  assert.deepEqual(await flood(services, key, [60, 0, 0]), [20, 0, 0]);
});

test('a server that starts with what it saved some time ago is a loss too', { skip }, async (t) => {
  const { redis, services, key } = await setUp(t);
  const before = services[0].status().epoch;
  await saveAndStartAgain(redis, async () => {
    assert.deepEqual(await flood(services, key, [20, 20, 0]), [20, 20, 0], 'after it has saved');
  });
  await until('the loss is noticed', () => services.every((each) => each.status().epoch > before));
  await untilShared(services);
  assert.deepEqual(await flood(services, key, [60, 0, 0]), [20, 0, 0]);
});

async function saveAndStartAgain(redis: RedisServer, meanwhile: () => Promise<void>): Promise<void> {
  await redis.command('save');
  await meanwhile();
  await redis.kill();
  await redis.start();
}

test('a process that starts while the server is lost admits nothing, and says so', { skip }, async (t) => {
  const { database, redis, services, key } = await setUp(t);
  await redis.kill();
  await untilDivided(services);
  const fourth = await startCountingService(t, database, redis.url);
  assert.equal(fourth.status().mode, 'waiting');
  const refused = await fourth.get('/v1/open', key);
  assert.equal(refused.status, 503);
  assert.ok(refused.headers.has('retry-after'));
  await until('it is counted', () => services.every((each) => each.status().nodes === 4));
  assert.deepEqual(await flood(services, key, [30, 30, 30]), [15, 15, 15]);
  await redis.start();
  await untilShared([...services, fourth]);
  assert.equal((await fourth.get('/v1/open', key)).status, 200);
});

test('streams are those of all processes, and those that are open survive a loss', { skip }, async (t) => {
  const { redis, services } = await setUp(t);
  const caller = streamer();
  const open = (at: 0 | 1 | 2) => services[at].access.rateLimiter.streams.open(caller);
  const releases = await Promise.all(([0, 0, 0, 1, 1, 1, 2, 2, 2, 2] as const).map(open));
  await assert.rejects(open(0), { code: 'TOO_MANY_STREAMS' });
  releases[0]?.();
  const taken = await until('a place is free', async () => (await open(2).catch(() => null)) !== null);
  assert.equal(taken, undefined);
  await redis.command('flushall');
  const before = services[0].status().epoch;
  await until('the loss is noticed', () =>
    services.every((each) => each.status().epoch > before || each.status().mode === 'divided'),
  );
  await untilShared(services);
  assert.equal(await services[1].access.rateLimiter.streams.count(caller), 10);
  await assert.rejects(open(1), { code: 'TOO_MANY_STREAMS' });
  for (const release of releases) release();
  await until('one is left', async () => (await services[0].access.rateLimiter.streams.count(caller)) === 1);
});

function streamer() {
  return {
    kind: 'key',
    tier: 'pro',
    account: 'sub:streamer',
    subscription: 'streamer',
    owner: null,
    grant: null,
    scopes: null,
    reach: EVERYTHING,
  } as const;
}
