// Proof that a wait which ends in vain fails, and says what it waited for.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { poll, until } from './until.ts';

test('a wait that outlasts its timeout fails, and names what it waited for', async () => {
  const vain = /Waited 20 ms in vain: the moon is green/;
  await assert.rejects(
    until('the moon is green', () => false, 20),
    vain,
  );
  await assert.rejects(
    poll('the moon is green', async () => undefined, 20),
    vain,
  );
});

test('a wait ends with the first value that comes, and with the error of a look that fails', async () => {
  const values = [undefined, undefined, 'third'].values();
  assert.equal(await poll('a value', () => values.next().value), 'third');
  const answers = [false, false, true, false].values();
  await until('an answer is yes', async () => answers.next().value === true);
  assert.equal(answers.next().value, false, 'nobody looks again');
  await assert.rejects(
    until('nothing', () => {
      throw new Error('broken');
    }),
    /broken/,
  );
});
