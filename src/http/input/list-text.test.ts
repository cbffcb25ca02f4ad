// Tests of lists in one text: items, quotes, and what is none.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { splitList } from './list-text.ts';

test('items are parted by commas, and those in quotes are whole', () => {
  for (const [text, items] of [
    ['a,b', ['a', 'b']],
    ['a,', ['a', '']],
    ['"Washington, D.C."', ['Washington, D.C.']],
    ['Arlington, "Washington, D.C." ,"a ""b"", c"', ['Arlington', 'Washington, D.C.', 'a "b", c']],
    ['"a",', ['a', '']],
    ['12" pipe,b', ['12" pipe', 'b']],
  ] as const)
    assert.deepEqual(splitList(text, ','), items, text);
});

test('a quote that does not end, or ends within an item, is none', () => {
  for (const text of ['"a,b', '"a"b', 'x,"a', '"a" b,c']) assert.equal(splitList(text, ','), null, text);
});

test('what is quoted comes back as it was', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (items) => {
      const text = items.map((item) => `"${item.replaceAll('"', '""')}"`).join();
      assert.deepEqual(splitList(text, ','), items);
    }),
  );
});
