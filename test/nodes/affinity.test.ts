// Proof that callers have their limits through a load balancer, whatever they call themselves, and how far a node that dies moves them.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { createLocalSubscriptions } from '../../src/access/providers/subscription-store.ts';
import { FAILURES_PER_MINUTE } from '../../src/access/tiers/tiers.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { withoutBalancer } from '../support/balancers/balancer.ts';
import { type ClockedNodes, startClockedNodes } from '../support/balancers/clocked-nodes.ts';
import { askRaw, type RawRequest } from '../support/balancers/raw-request.ts';
import { spellingsOf } from '../support/balancers/spellings.ts';

const skip = withoutBalancer('haproxy');
const MINUTE = 60_000;
/** Requests a minute of an account, and of an address without credentials. */
const [QUOTA, ANONYMOUS_QUOTA] = [10, 4];
const tiers = { pro: { minute: QUOTA, month: null }, anonymous: { minute: ANONYMOUS_QUOTA, month: 10_000 } };
const ACCOUNTS = 12;
/** Of all tests, which have accounts and addresses of their own. */
const started = skip === false ? await startClockedNodes({ after }, { tiers }) : null;
const findNodes = () => started ?? assert.fail(String(skip));
const PATH = '/v1/areas?limit=1';

async function createKeys({ database }: ClockedNodes, count: number): Promise<readonly string[]> {
  const subscriptions = createLocalSubscriptions(database, systemClock);
  const keys: string[] = [];
  while (keys.length < count) keys.push((await subscriptions.create({ plan: 'pro' })).key);
  return keys;
}

const withKey = (key: string): RawRequest => ({ path: PATH, headers: ['Authorization', `Bearer ${key}`] });
const from = (address: string, ...headers: readonly string[]): RawRequest => ({
  path: PATH,
  headers: ['X-Forwarded-For', address, ...headers],
});

/** How many of these requests, sent a few at a time, get each status; any but 200, 401 and 429 is a failure. */
async function send(
  port: number,
  requests: readonly RawRequest[],
): Promise<Readonly<Record<number, number>>> {
  const counts: Record<number, number> = { 200: 0, 401: 0, 429: 0 };
  for (let at = 0; at < requests.length; at += 10)
    await Promise.all(
      requests.slice(at, at + 10).map(async (request) => {
        const { status, body } = await askRaw(port, request);
        assert.ok(status in counts, `${status} ${body}`);
        counts[status] = (counts[status] ?? 0) + 1;
      }),
    );
  return counts;
}

/** More than an account may send, through the balancer; gives how many were admitted. */
async function flood({ balancer }: ClockedNodes, key: string): Promise<number> {
  const requests = Array.from({ length: 3 * QUOTA }, () => withKey(key));
  return (await send(balancer.port, requests))[200] ?? 0;
}

/** By account, how many of a flood were admitted. */
async function floodAll(nodes: ClockedNodes, keys: readonly string[]): Promise<readonly number[]> {
  const admitted: number[] = [];
  for (const key of keys) admitted.push(await flood(nodes, key));
  return admitted;
}

/** Of accounts whose minute is used up at one node: its number. */
async function homesOf({ ports }: ClockedNodes, keys: readonly string[]): Promise<readonly number[]> {
  const homes: number[] = [];
  for (const key of keys) {
    const statuses = await Promise.all(ports.map((port) => askRaw(port, withKey(key))));
    const refusing = statuses.flatMap(({ status }, at) => (status === 429 ? [at + 1] : []));
    assert.equal(refusing.length, 1, 'its minute is counted at one node');
    homes.push(refusing[0] ?? 0);
  }
  return homes;
}

test('an account has its requests a minute, however its key is spelt, from wherever it comes', {
  skip,
}, async () => {
  const nodes = findNodes();
  const keys = await createKeys(nodes, ACCOUNTS);
  for (const key of keys) {
    const spellings = spellingsOf(key);
    assert.equal(spellings.length, 9);
    const requests = [...spellings, ...spellings].map((value, at) => ({
      path: PATH,
      headers: ['Authorization', value],
      from: `127.0.0.${at + 1}`,
    }));
    assert.deepEqual(await send(nodes.balancer.port, requests), { 200: QUOTA, 401: 0, 429: 18 - QUOTA });
  }
  assert.deepEqual([...new Set(await homesOf(nodes, keys))].toSorted(), [1, 2, 3]);
  await nodes.advance(MINUTE);
  assert.deepEqual(await floodAll(nodes, keys), Array(ACCOUNTS).fill(QUOTA));
});

test('callers without a key have theirs by address, of IPv6 by network, and wrong keys of an address are bounded by a node each', {
  skip,
}, async () => {
  const nodes = findNodes();
  const { port } = nodes.balancer;
  for (let number = 1; number <= 9; number++) {
    const address = `198.51.100.${number}`;
    // What a client says of itself stands before what its proxy adds.
    const forged = Array.from({ length: 20 }, (_, at) => from(`203.0.113.${at}, ${address}`));
    const expected = { 200: ANONYMOUS_QUOTA, 401: 0, 429: 20 - ANONYMOUS_QUOTA };
    assert.deepEqual(await send(port, forged), expected);
    const network = Array.from({ length: 20 }, (_, at) => from(`2001:db8:${number}:1::${at + 1}`));
    assert.deepEqual(await send(port, network), expected);
  }
  const wrong = () => from('192.0.2.66', 'Authorization', `Bearer SERVICE-${randomUUID().toUpperCase()}`);
  const guesses = 5 * FAILURES_PER_MINUTE;
  const answers = await send(port, Array.from({ length: guesses }, wrong));
  assert.ok((answers[401] ?? 0) <= 3 * FAILURES_PER_MINUTE, JSON.stringify(answers));
  assert.ok((answers[429] ?? 0) >= guesses - 3 * FAILURES_PER_MINUTE, JSON.stringify(answers));
});

test('around a node that is killed and returns an account has three minutes at most, all others theirs, and then everybody', {
  skip,
}, async () => {
  const nodes = findNodes();
  const keys = await createKeys(nodes, ACCOUNTS);
  const sums = [...(await floodAll(nodes, keys))];
  const homes = await homesOf(nodes, keys);
  await nodes.advance(MINUTE);
  const add = async () => {
    for (const [at, admitted] of (await floodAll(nodes, keys)).entries())
      sums[at] = (sums[at] ?? 0) + admitted;
  };
  sums.fill(0);
  await add();
  assert.deepEqual(sums, Array(ACCOUNTS).fill(QUOTA));
  const killed = homes[0] ?? 0;
  await nodes.kill(killed);
  // Before the balancer knows of it, and after.
  await add();
  await nodes.used(...[1, 2, 3].filter((node) => node !== killed));
  await add();
  await nodes.restart(killed);
  await add();
  await add();
  for (const [at, home] of homes.entries())
    if (home === killed) assert.ok((sums[at] ?? 0) > QUOTA && (sums[at] ?? 0) <= 3 * QUOTA, String(sums));
    else assert.equal(sums[at], QUOTA);
  await nodes.advance(MINUTE);
  assert.deepEqual(await floodAll(nodes, keys), Array(ACCOUNTS).fill(QUOTA));
});
