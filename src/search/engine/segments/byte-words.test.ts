// Proves that words get one number each, in the order in which they come.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../../test/support/check/runs.ts';
import { ByteWords } from './byte-words.ts';

test('every word has its number, whatever stands beside it and however many there are', () => {
  const word = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.integer({ min: 0, max: 999 }).map((number) => `word${number}`),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 600 }), fc.nat({ max: 5 }), (words, shift) => {
      const [table, expected] = [new ByteWords(), new Map<string, number>()];
      for (const each of words) {
        const bytes = Buffer.from(`${'x'.repeat(shift)}${each}y`);
        if (!expected.has(each)) expected.set(each, expected.size);
        assert.equal(table.numberOf(bytes, shift, bytes.length - 1), expected.get(each));
      }
    }),
    runs(60, 3),
  );
});
