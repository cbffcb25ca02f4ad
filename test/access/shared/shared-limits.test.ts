// Proof that processes which count limits together are as exact as one: minutes, streams, feeds, and refused credentials.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { TIERS } from '../../../src/access/tiers/tiers.ts';
import { testDatabase } from '../../support/database/database.ts';
import { type CountingService, newKey, startThree } from '../../support/limits/counting-services.ts';
import { startRedis, withoutRedis } from '../../support/limits/redis-server.ts';

const at = { after };
const skip = withoutRedis;
const database = await testDatabase(at);
const services = skip === false ? await startThree(at, database, (await startRedis(at)).url) : [];

/** The service that the number falls to. */
const serviceOf = (number: number): CountingService =>
  services[number % services.length] ?? assert.fail('no service');

/** Sends so many requests at once, spread over the services, and counts the answers by status. */
async function flood(count: number, authorization: string): Promise<Record<number, number>> {
  const statuses = new Map<number, number>();
  const one = async (number: number): Promise<void> => {
    const { status } = await serviceOf(number).get('/v1/open', authorization);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  await Promise.all(Array.from({ length: count }, (_, number) => one(number)));
  return Object.fromEntries(statuses);
}

test('a minute is one minute of all processes, whatever the spread', { skip }, async () => {
  const keys = await Promise.all(Array.from({ length: 4 }, () => newKey(database, 'free')));
  const counts = await Promise.all(keys.map((key) => flood(90, key)));
  assert.deepEqual(counts, Array(4).fill({ 200: 60, 429: 30 }));
});

test('slots that are leased in advance are never too many, and hardly any is lost', { skip }, async () => {
  const key = await newKey(database, 'pro');
  const { 200: admitted = 0, 429: refused = 0 } = await flood(500, key);
  assert.equal(admitted + refused, 500);
  const { minute } = TIERS.pro;
  assert.ok(minute !== null && admitted <= minute && admitted >= 0.97 * minute, `${admitted} admitted`);
});

test('what one process admits, the headers of another count', { skip }, async () => {
  const key = await newKey(database, 'free');
  for (const number of [0, 1, 2]) {
    const { headers } = await serviceOf(number).get('/v1/open', key);
    assert.equal(headers.get('x-ratelimit-remaining'), String(59 - number));
  }
});
