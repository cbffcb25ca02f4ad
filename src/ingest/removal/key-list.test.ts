// Proof that a list of keys has those that were added and no others, in bounded memory.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { KeyList } from './key-list.ts';

test('a list has the keys that were added, and says of each whether it is new', () => {
  const keys = fc.array(fc.string({ maxLength: 3 }), { maxLength: 400 });
  fc.assert(
    fc.property(keys, keys, (added, asked) => {
      const [list, model] = [new KeyList(), new Set<string>()];
      for (const key of added) {
        assert.equal(list.add(key), !model.has(key));
        model.add(key);
      }
      assert.equal(list.size, model.size);
      for (const key of [...added, ...asked]) assert.equal(list.has(key), model.has(key));
    }),
  );
});

test('a hundred thousand keys take at most 14 bytes each, and none of as many others is taken for one of them', () => {
  const list = new KeyList();
  const keys = Array.from({ length: 100_000 }, (_, at) => `MLS-${at}`);
  assert.ok(keys.every((key) => list.add(key)));
  assert.equal(list.size, keys.length);
  assert.ok(list.bytes <= 14 * keys.length, `${list.bytes / keys.length}`);
  assert.ok(keys.every((key) => list.has(key) && !list.add(key)));
  assert.ok(!keys.some((key) => list.has(`X${key}`)));
});
