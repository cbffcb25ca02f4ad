// Proves that differences of JSON values are found wherever they are, and nowhere else.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { runs } from '../../test/support/check/runs.ts';
import { differingMembers, differingNames, isSameJson } from './differences.ts';

const json = fc.jsonValue({ maxDepth: 3 });
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('two values are the same exactly if their JSON is', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      assert.equal(isSameJson(a, b), isDeepStrictEqual(plain(a), plain(b)));
      assert.ok(isSameJson(a, plain(a)) || Object.is(a, -0));
    }),
    runs(500, 3),
  );
});

test('the differing members of two objects, put into the later one, give the earlier one', () => {
  const object = fc.dictionary(fc.constantFrom('a', 'b', 'c'), json);
  fc.assert(
    fc.property(object, object, (before, after) => {
      const shared = Object.fromEntries(Object.entries(after).filter(([name]) => name in before));
      assert.deepEqual(plain({ ...shared, ...differingMembers(before, after) }), plain(before));
      for (const name of differingNames(before, after))
        assert.notDeepEqual(plain({ value: before[name] }), plain({ value: after[name] }));
    }),
    runs(500, 4),
  );
});
