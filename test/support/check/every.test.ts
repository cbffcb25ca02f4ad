// Tests of statements about every member.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertEvery, isEvery } from './every.ts';

test('of an empty list nothing is true of every member', () => {
  const holds = () => true;
  assert.equal(isEvery([], holds), false);
  assert.throws(() => assertEvery([], holds, 'a row'), /a row: there is none/);
});

test('one member that is otherwise is enough, and is named', () => {
  const isSmall = (member: number) => member < 3;
  assert.deepEqual([isEvery([1, 2], isSmall), isEvery([1, 5], isSmall)], [true, false]);
  assertEvery([1, 2], isSmall);
  assert.throws(() => assertEvery([1, 5], isSmall, 'a row'), /a row: number 1, 5/);
});
