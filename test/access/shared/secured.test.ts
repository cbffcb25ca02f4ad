// Proof that processes count limits together over TLS, and as a user who may do no more than docs/operations.md says.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { RedisCounting } from '../../../src/access/limits/shared/redis-counting.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { temporaryFolder, testDatabase } from '../../support/database/database.ts';
import {
  type CountingService,
  newKey,
  startCountingService,
  startThree,
  untilShared,
} from '../../support/limits/counting-services.ts';
import { limitsUserRule } from '../../support/limits/documented-rule.ts';
import {
  type RedisServer,
  startRedis,
  startSecureRedis,
  withoutRedis,
} from '../../support/limits/redis-server.ts';
import { startCli } from '../../support/process/cli.ts';

const skip = withoutRedis;
const QUOTA = 60;

/** Sends ten requests more than a key may at once, spread over the services; gives how many were admitted. */
async function admitted(services: readonly CountingService[], key: string): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: QUOTA + 10 }, (_, at) => services[at % services.length]?.get('/v1/open', key)),
  );
  return answers.filter((answer) => answer?.status === 200).length;
}

test('over TLS limits are counted once the authority of the server is trusted, and not before', {
  skip,
}, async (t) => {
  const redis = await startSecureRedis(t);
  const database = await testDatabase(t);
  const early = await startCountingService(t, database, redis.secureUrl);
  assert.notEqual(early.status().mode, 'shared');
  assert.equal(early.status().reason, 'The counting server cannot be reached (SELF_SIGNED_CERT_IN_CHAIN)');
  assert.equal(await redis.command('dbsize'), '0');
  const before = getCACertificates('default');
  t.after(() => setDefaultCACertificates(before));
  setDefaultCACertificates([...before, redis.authority]);
  const services = [early, await startCountingService(t, database, redis.secureUrl)];
  await untilShared(services);
  assert.equal(await admitted(services, await newKey(database, 'free')), QUOTA);
  assert.notEqual(await redis.command('dbsize'), '0');
});

test('NODE_EXTRA_CA_CERTS names the authority of the server, and doctor says that it is missing', {
  skip,
}, async (t) => {
  const { secureUrl, authorityFile } = await startSecureRedis(t);
  const folder = await temporaryFolder(t, 'doctor');
  const examine = async (settings: Readonly<Record<string, string>>) => {
    const environment = { LIMITS_URL: secureUrl, ...settings };
    const { stdout } = await startCli(t, ['doctor', '--json'], { folder, environment }).ended;
    const { findings } = JSON.parse(stdout) as { findings: { name: string; detail: string }[] };
    return findings.find(({ name }) => name === 'limits')?.detail ?? assert.fail(stdout);
  };
  assert.match(await examine({}), /cannot be reached \(SELF_SIGNED_CERT_IN_CHAIN\)/);
  assert.match(await examine({ NODE_EXTRA_CA_CERTS: authorityFile }), /^Redis 7.* a round trip$/);
});

const PASSWORD = 'rosebud-2718';

const urlOf = ({ port }: RedisServer): string => `redis://freehold:${PASSWORD}@127.0.0.1:${port}`;

test('the user of docs/operations.md counts, loses and recovers limits', { skip }, async (t) => {
  const redis = await startRedis(t);
  await redis.command('acl', 'setuser', 'freehold', ...limitsUserRule(PASSWORD, 'server'));
  const database = await testDatabase(t);
  const services = await startThree(t, database, urlOf(redis));
  const key = await newKey(database, 'free');
  assert.equal(await admitted(services, key), QUOTA);
  const { epoch } = services[0].status();
  await redis.command('flushall');
  await untilShared(services, epoch + 1);
  assert.equal(await admitted(services, key), 0);
});

test('without any one of its commands or its keys it could not', { skip }, async (t) => {
  const redis = await startRedis(t);
  const rule = limitsUserRule(PASSWORD, 'server');
  await redis.command('acl', 'setuser', 'freehold', 'reset', ...rule);
  await exercise(t, redis);
  const refused: string[] = [];
  const permissions = rule.filter((word) => /^[+~]/.test(word));
  for (const permission of permissions) {
    const others = rule.filter((word) => word !== permission);
    await redis.command('acl', 'setuser', 'freehold', 'reset', ...others);
    await exercise(t, redis).catch(() => refused.push(permission));
  }
  assert.ok(permissions.length > 10);
  assert.deepEqual(refused, permissions);
});

/** All that a process does at the server, with scripts that it does not have yet. */
async function exercise(t: TestContext, redis: RedisServer): Promise<void> {
  await redis.command('flushall');
  await redis.command('script', 'flush');
  const server = new RedisCounting({
    url: urlOf(redis),
    monotonic: () => systemClock.monotonic(),
    callLimit: 20_000,
  });
  t.after(() => server.close());
  try {
    const marks = await server.open('installation:1', true);
    const place = { part: 3, mark: marks[3] ?? '', key: 'minute:account' };
    const request = { quota: 2, wanted: 3, window: 1_000, prefix: 'node/', first: 0 };
    assert.equal((await server.take(place, request)).granted, 2);
    await server.put(place, [{ name: 'node/2', left: 60_000 }]);
    await server.release(place, ['node/0']);
    await server.check('installation:1', marks);
  } finally {
    server.close();
  }
}
