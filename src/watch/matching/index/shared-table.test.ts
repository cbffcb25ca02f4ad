// Proves that equal values are made once for all who use them, and again only after the last of these has gone.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedTable } from './shared-table.ts';

test('a value is made once, and stays until each of its users has gone', () => {
  const table = new SharedTable<{ readonly key: string; readonly made: number }>();
  let made = 0;
  const add = (key: string) => table.add(key, () => ({ key, made: ++made }));
  const first = add('a');
  assert.equal(add('a'), first);
  assert.notEqual(add('b'), first);
  table.remove(first);
  assert.equal(add('a'), first);
  table.remove(first);
  table.remove(first);
  assert.deepEqual(add('a'), { key: 'a', made: 3 });
});
