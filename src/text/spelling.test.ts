// Tests of spelling: words met in a sorted list are those that a whole table of steps for each word meets.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Spelling } from './spelling.ts';

/** Steps between two words by the whole table: put in, leave out, put in place, exchange neighbours. */
function steps(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  const at = (i: number, j: number): number => table[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const ways = [at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1])];
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) ways.push(at(i - 2, j - 2) + 1);
      (table[i] ?? [])[j] = Math.min(...ways);
    }
  return at(a.length, b.length);
}

const beginnings = (word: string): string[] =>
  Array.from({ length: word.length + 1 }, (_, length) => word.slice(0, length));

test('a word is met whole or by a beginning, with as few steps as there are, and no other word is', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é'), minLength: 1, maxLength: 9 });
  const most = fc.integer({ min: 0, max: 2 });
  fc.assert(
    fc.property(fc.uniqueArray(word, { maxLength: 60 }), word, most, (unsorted, asked, limit) => {
      const words = unsorted.sort();
      const expected = words.flatMap((each, at) => {
        const whole = steps(asked, each);
        if (whole <= limit) return [{ at, steps: whole, whole: true }];
        const beginning = Math.min(...beginnings(each).map((part) => steps(asked, part)));
        return beginning <= limit ? [{ at, steps: beginning, whole: false }] : [];
      });
      assert.deepEqual([...new Spelling(words).near(asked, limit)], expected);
    }),
    { numRuns: 300, seed: 41 },
  );
});

test('a list of no words meets nothing', () => {
  assert.deepEqual([...new Spelling([]).near('abcd', 2)], []);
});
