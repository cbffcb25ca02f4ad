// Proves that a crowd shares the rounds of the event loop: each has its turn, and no round does more than it may.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Rounds } from './rounds.ts';

const MOST = 10;

test('in a round no turn begins after its work is done, and turns come in the order in which they were asked for', async () => {
  const rounds = new Rounds(MOST);
  const taken: { name: string; round: number }[] = [];
  let [round, isOver] = [0, false];
  const count = (): void => {
    round++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const work = async (name: string): Promise<void> => {
    for (let turn = 0; turn < 3; turn++) {
      await rounds.turn();
      taken.push({ name, round });
      rounds.spend(MOST / 2);
    }
  };
  await Promise.all([...'abcdefg'].map(work));
  isOver = true;
  assert.equal(taken.map(({ name }) => name).join(''), 'abcdefg'.repeat(3));
  const each = Map.groupBy(taken, (turn) => turn.round);
  assert.deepEqual(
    [...each.values()].filter(({ length }) => length > 2),
    [],
  );
});

test('a round is begun by the first work in it, and the next one is not', async () => {
  const rounds = new Rounds(MOST);
  assert.equal(rounds.isBegun, false);
  rounds.spend(1);
  assert.equal(rounds.isBegun, true);
  await rounds.turn();
  assert.equal(rounds.isBegun, false);
});
