// Proves which answers count as the same: all but such as differ in more than the last digits of a number.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/check/runs.ts';
import { isSameAnswer } from './same-answer.ts';

const answer = fc.jsonValue({ maxDepth: 3 });
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('an answer is the same as its copy, in maps of any order too', () => {
  fc.assert(
    fc.property(answer, fc.uniqueArray(fc.string()), (value, keys) => {
      assert.ok(isSameAnswer(value, plain(value)));
      const pairs = keys.map((key) => [key, value] as const);
      assert.ok(isSameAnswer(new Map(pairs), new Map(pairs.toReversed())));
    }),
    runs(200, 5),
  );
});

test('an answer with one more, one less, or another value is another one', () => {
  const one = {
    total: 3,
    hits: [
      ['a', [1]],
      ['b', [null]],
    ],
    counts: new Map([['x', [{ value: 1, count: 2 }]]]),
  };
  const others: unknown[] = [
    { ...one, total: 4 },
    { ...one, total: '3' },
    { ...one, more: true },
    { ...one, hits: one.hits.toReversed() },
    { ...one, hits: one.hits.slice(1) },
    {
      ...one,
      hits: [
        ['a', [1]],
        ['b', [0]],
      ],
    },
    { ...one, counts: new Map([['x', [{ value: 1, count: 3 }]]]) },
    { ...one, counts: new Map() },
    null,
    [],
  ];
  for (const other of others) assert.ok(!isSameAnswer(one, other), JSON.stringify(other));
});

test('a list that goes on is another one', () => {
  assert.equal(isSameAnswer([1], [1, 2]), false);
  assert.equal(isSameAnswer([1, 2], [1]), false);
});

test('numbers differ by more than a thousand millionth', () => {
  assert.ok(isSameAnswer(0.1 + 0.2, 0.3) && isSameAnswer(1e15, 1e15 + 1) && isSameAnswer(0, -0));
  for (const [a, b] of [
    [1, 2],
    [0, 1e-12],
    [1e6, 1e6 + 0.01],
    [Number.NaN, 1],
  ] as const)
    assert.ok(!isSameAnswer(a, b), `${a} and ${b}`);
});
