// Proof of what is decided without the server while it is only slow, in a simulated world.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoardModel } from '../../support/simulation/board-model.ts';
import { CountingModel } from '../../support/simulation/counting-model.ts';
import { CountingNode } from '../../support/simulation/counting-node.ts';
import { World } from '../../support/simulation/world.ts';

const QUOTA = 10;

/** Two processes that count together, and who was admitted by which. */
async function setUp() {
  const world = new World(1);
  const admitted: string[] = [];
  let slow = 0;
  const parts = {
    world,
    server: new CountingModel(world),
    board: new BoardModel(world),
    onAdmitted: (_account: string, node: string) => void admitted.push(node),
    onSlow: () => void slow++,
  };
  const [one, other] = [new CountingNode('one', parts), new CountingNode('other', parts)];
  for (const node of [one, other]) void node.start();
  await world.run(80_000);
  for (const { limiter } of [one, other]) assert.equal(limiter.status().mode, 'shared');
  /** How many of so many requests at once are admitted. */
  const send = async (node: CountingNode, count: number): Promise<number> => {
    const before = admitted.length;
    for (let each = 0; each < count; each++) void node.request('account', QUOTA);
    await world.run(900);
    return admitted.length - before;
  };
  return { world, one, other, send, slowCalls: () => slow };
}

test('a process admits no more than its share, nor than was free when the server answered last', async () => {
  const { one, other, send, slowCalls } = await setUp();
  assert.equal(await send(other, 6), 6);
  assert.equal(await send(one, 3), 3, 'of its share it has two left, and one is free');
  one.link.state = 'blackhole';
  assert.equal(await send(one, 3), 1);
  assert.equal(slowCalls(), 1);
  assert.equal(one.limiter.status().mode, 'shared', 'one slow call is no loss');
});

test('what the server has counted although its answer came too late is counted once', async () => {
  const { world, one, other, send, slowCalls } = await setUp();
  one.link.delay = 200;
  assert.equal(await send(one, 2), 2);
  assert.ok(slowCalls() > 0);
  one.link.delay = 3;
  await world.run(1_000);
  assert.equal(await send(other, QUOTA), QUOTA - 2);
});
