// Proof of what is decided without the server while it is only slow, and at once after a loss, in a simulated world.

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
  const send = async (node: CountingNode, count: number, quota = QUOTA, time = 900): Promise<number> => {
    const before = admitted.length;
    for (let each = 0; each < count; each++) void node.request(`account ${quota}`, quota);
    await world.run(time);
    return admitted.length - before;
  };
  return { world, server: parts.server, one, other, send, slowCalls: () => slow };
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

test('slots that were leased before a loss are not used after it', async () => {
  const quota = 300;
  const { server, one, other, send } = await setUp();
  for (const { boardLink } of [one, other]) Object.assign(boardLink, { delay: 5, loss: 0 });
  let admitted = 0;
  for (let round = 0; round < 6; round++) admitted += await send(one, 4, quota, 20);
  admitted += await send(one, 1, quota, 20);
  assert.equal(admitted, 25);
  server.empty();
  admitted += await send(other, 1, quota, 300);
  for (const { limiter } of [one, other]) {
    const { epoch, step } = limiter.status();
    assert.deepEqual([epoch, step], [2, 'shared'], 'within the time of a lease');
  }
  admitted += await send(one, 3, quota, 20);
  for (let round = 0; round < 4; round++) {
    admitted += await send(other, quota, quota);
    admitted += await send(one, quota, quota);
  }
  assert.equal(admitted, quota);
});
