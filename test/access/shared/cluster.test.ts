// Proof that limits are as exact in a cluster as in one server, and that a failed master and a moved slot are losses.

import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { probeServer } from '../../../src/access/limits/shared/probe-server.ts';
import { UnsuitableServer } from '../../../src/access/limits/shared/suitable-server.ts';
import { until } from '../../support/check/until.ts';
import { type TestDatabase, testDatabase } from '../../support/database/database.ts';
import {
  type CountingService,
  newKey,
  startThree,
  untilShared,
} from '../../support/limits/counting-services.ts';
import { limitsUserRule } from '../../support/limits/documented-rule.ts';
import { type RedisCluster, startCluster } from '../../support/limits/redis-cluster.ts';
import { withoutRedis } from '../../support/limits/redis-server.ts';

const skip = withoutRedis;
const QUOTA = 60;
const at = { after };
const PASSWORD = 'rosebud-2718';
const started = skip === false ? await startCluster(at) : null;
const findCluster = () => started ?? assert.fail(String(skip));

/** Three services that count in the cluster, as the user of docs/operations.md. */
async function setUp(t: TestContext) {
  const cluster = findCluster();
  const rule = limitsUserRule(PASSWORD, 'cluster');
  for (const server of [...cluster.masters, cluster.replica])
    await server.command('acl', 'setuser', 'freehold', 'reset', ...rule);
  const database = await testDatabase(t);
  const url = `redis://freehold:${PASSWORD}@127.0.0.1:${cluster.masters[0]?.port}`;
  const services = await startThree(t, database, url);
  return { cluster, services, key: await newKey(database, 'free'), database };
}

/** Sends so many requests at once, spread over the services; gives how many were admitted. */
async function admitted(services: readonly CountingService[], key: string, count: number): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, at) => services[at % services.length]?.get('/v1/open', key)),
  );
  for (const answer of answers) assert.match(String(answer?.status), /^(?:200|429)$/);
  return answers.filter((answer) => answer?.status === 200).length;
}

/** A mark of limits of these services that one of the masters has. */
async function findMark({ masters, ownerOf }: RedisCluster, { database }: TestDatabase, master: number) {
  const [state] = await database.read((sql) => sql`select installation from limits_state`);
  const marks = await masters[master]?.command('keys', `{${state?.installation}:*}:mark`);
  const [mark = ''] = marks?.split('\n') ?? [];
  assert.notEqual(mark, '', `master ${master} has no part of the limits`);
  assert.equal(await ownerOf(mark), master);
  return mark;
}

test('the parts of the limits are spread over the masters, and each account has its minute once', {
  skip,
}, async (t) => {
  const { database, cluster, services } = await setUp(t);
  for (const master of [0, 1, 2]) await findMark(cluster, database, master);
  const keys = await Promise.all(Array.from({ length: 6 }, () => newKey(database, 'free')));
  const counts = await Promise.all(keys.map((key) => admitted(services, key, QUOTA + 30)));
  assert.deepEqual(counts, Array(6).fill(QUOTA));
  assert.ok(services.every((each) => each.status().losses === 0));
  const [first, , third] = cluster.masters;
  await third?.command('config', 'set', 'maxmemory-policy', 'allkeys-lru');
  await assert.rejects(probeServer(first?.url ?? ''), UnsuitableServer, 'each master is looked at');
  await third?.command('config', 'set', 'maxmemory-policy', 'noeviction');
});

test('a slot that moves to another master is a loss: all divide until it has moved, and nobody gets another minute', {
  skip,
}, async (t) => {
  const { database, cluster, services, key } = await setUp(t);
  assert.equal(await admitted(services, key, 30), 30);
  const mark = await findMark(cluster, database, 1);
  const finish = await cluster.beginMove(mark, 2);
  assert.equal(await admitted(services, key, 3), 3, 'what has not moved yet is counted where it was');
  await cluster.masters[1]?.command('del', mark);
  await until('all have noticed', () => services.every((each) => each.status().epoch > 1));
  await finish();
  await untilShared(services, 2);
  assert.equal(await cluster.ownerOf(mark), 2);
  assert.equal(await admitted(services, key, QUOTA), 27);
});

test('a master that dies is a loss, even the one that LIMITS_URL names; its replica counts in its place', {
  skip,
}, async (t) => {
  const { cluster, services, key } = await setUp(t);
  assert.equal(await admitted(services, key, 30), 30);
  await cluster.masters[0]?.kill();
  await until('all have noticed', () => services.every((each) => each.status().epoch > 1));
  await untilShared(services, 2);
  assert.match(await cluster.replica.command('info', 'replication'), /role:master/);
  assert.equal(await admitted(services, key, QUOTA), 30);
});
