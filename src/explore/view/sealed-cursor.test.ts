// Proves that nobody but this service makes cursors of views: whatever is changed in one, it is refused.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../../lib/problem.ts';
import { openCursor, sealCursor } from './sealed-cursor.ts';

const key = randomBytes(32);
const searchCursor = fc.stringMatching(/^[\w-]{1,60}$/);
const position = fc.record({ rowsBefore: fc.nat(), searchCursor });
const isRefused = (cursor: string, by = key): boolean => {
  try {
    openCursor(by, cursor);
    return false;
  } catch (error) {
    return error instanceof Problem && error.code === 'INVALID_CURSOR';
  }
};

test('a cursor that was sealed leads to its position, in every process with the key', () => {
  fc.assert(
    fc.property(position, (at) => {
      assert.deepEqual(openCursor(Buffer.from(key), sealCursor(key, at)), { ...at });
      assert.ok(isRefused(sealCursor(key, at), randomBytes(32)));
    }),
  );
});

test('a cursor with any character changed, left out or added is refused', () => {
  fc.assert(
    fc.property(
      position,
      fc.nat(),
      fc.stringMatching(/^[\w.-]{0,2}$/),
      fc.nat(1),
      (at, place, text, left) => {
        const cursor = sealCursor(key, at);
        const index = place % (cursor.length + 1);
        const altered = cursor.slice(0, index) + text + cursor.slice(index + left);
        fc.pre(altered !== cursor);
        assert.ok(isRefused(altered), altered);
      },
    ),
  );
});

test('the seal of one position is none of another, however the two are written', () => {
  fc.assert(
    fc.property(position, position, (one, other) => {
      fc.pre(one.rowsBefore !== other.rowsBefore || one.searchCursor !== other.searchCursor);
      const seal = sealCursor(key, one).split('.').at(-1);
      assert.ok(isRefused(`${other.rowsBefore}.${other.searchCursor}.${seal}`));
      assert.ok(isRefused(`0${sealCursor(key, one)}`));
    }),
  );
});

test('a cursor of a search, and any other text, is refused', () => {
  fc.assert(fc.property(fc.oneof(searchCursor, fc.string()), (text) => assert.ok(isRefused(text))));
});
