// Tests of reading ahead: the same items, one ahead, and nothing left running.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ahead } from './ahead.ts';

const never = new AbortController().signal;

test('every item comes in order, and the next is read while one is in hand', async () => {
  const read: number[] = [];
  async function* numbers() {
    for (const number of [1, 2, 3]) {
      read.push(number);
      yield number;
    }
  }
  const seen: [number, number][] = [];
  for await (const number of ahead(numbers, never)) {
    await new Promise(setImmediate);
    seen.push([number, read.length]);
  }
  assert.deepEqual(seen, [
    [1, 2],
    [2, 3],
    [3, 3],
  ]);
});

test('a failure comes after the items before it', async () => {
  async function* failing() {
    yield 1;
    throw new Error('broken');
  }
  const seen: number[] = [];
  await assert.rejects(async () => {
    for await (const number of ahead(failing, never)) seen.push(number);
  }, /broken/);
  assert.deepEqual(seen, [1]);
});

test('who stops early aborts what was being read ahead, and its reader ends', async () => {
  let ended = false;
  async function* slow(signal: AbortSignal) {
    try {
      yield 1;
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    } finally {
      ended = true;
    }
  }
  for await (const _ of ahead(slow, never)) break;
  assert.ok(ended);
});
