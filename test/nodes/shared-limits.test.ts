// Proof that callers have their limits once over all nodes that share a limiter, whichever they reach, and whichever of them is killed.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createLocalSubscriptions } from '../../src/access/providers/subscription-store.ts';
import { FAILURES_PER_MINUTE } from '../../src/access/tiers/tiers.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { withoutBalancer } from '../support/balancers/balancer.ts';
import { type ClockedNodes, startClockedNodes } from '../support/balancers/clocked-nodes.ts';
import { askRaw } from '../support/balancers/raw-request.ts';
import { until } from '../support/check/until.ts';
import { startRedis, withoutRedis } from '../support/limits/redis-server.ts';

const skip = withoutBalancer('haproxy') || withoutRedis;
const QUOTA = 10;
const PATH = '/v1/areas?limit=1';
const tiers = { pro: { minute: QUOTA, month: null } };
const at = { after };
const started =
  skip === false
    ? await startClockedNodes(at, { tiers, environment: { LIMITS_URL: (await startRedis(at)).url } })
    : null;
const findNodes = () => started ?? assert.fail(String(skip));

async function newKey({ database }: ClockedNodes): Promise<string> {
  return (await createLocalSubscriptions(database, systemClock).create({ plan: 'pro' })).key;
}

/** Sends so many requests to each of these ports, and counts the answers by status. */
async function send(ports: readonly number[], count: number, headers: readonly string[]) {
  const counts: Record<number, number> = {};
  await Promise.all(
    ports.flatMap((port) =>
      Array.from({ length: count }, async () => {
        const { status } = await askRaw(port, { path: PATH, headers });
        counts[status] = (counts[status] ?? 0) + 1;
      }),
    ),
  );
  return counts;
}

test('an account that reaches each node has its minute once', { skip }, async () => {
  const nodes = findNodes();
  const headers = ['Authorization', `Bearer ${await newKey(nodes)}`];
  assert.deepEqual(await send(nodes.ports, QUOTA, headers), { 200: QUOTA, 429: 2 * QUOTA });
});

test('wrong keys of one address are counted once', { skip }, async () => {
  const { ports } = findNodes();
  const headers = ['X-Forwarded-For', '198.51.100.7', 'Authorization', 'Bearer nonsense'];
  const { 401: refused = 0, 429: throttled = 0 } = await send(ports, 30, headers);
  assert.deepEqual([refused, throttled], [FAILURES_PER_MINUTE, 90 - FAILURES_PER_MINUTE]);
});

test('a node that is killed and returns gives nobody another minute', { skip }, async () => {
  const nodes = findNodes();
  const headers = ['Authorization', `Bearer ${await newKey(nodes)}`];
  const balancer = [nodes.balancer.port];
  assert.deepEqual(await send(balancer, QUOTA, headers), { 200: QUOTA });
  for (const node of [1, 2, 3]) {
    await nodes.kill(node);
    await nodes.used(...[1, 2, 3].filter((each) => each !== node));
    assert.deepEqual(await send(balancer, 3, headers), { 429: 3 });
    await nodes.restart(node);
  }
  await until('the nodes count together again', async () => {
    const answers = await Promise.all(nodes.ports.map((port) => askRaw(port, { path: PATH, headers })));
    return answers.every(({ status }) => status === 429);
  });
});
