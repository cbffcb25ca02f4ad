// Proof that limits are read from headers as sources write them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readQuotas } from './quota-headers.ts';

const MINUTE = { seconds: 60, limit: 'Minute-Quota-Limit', remaining: 'Minute-Quota-Left' };

test('numbers are read in whatever form they come, and nonsense is no limit', () => {
  const read = (limit?: string | string[], remaining?: string) =>
    readQuotas([MINUTE], { 'minute-quota-limit': limit, 'minute-quota-left': remaining });
  assert.deepEqual(read('200.0', '17'), [{ seconds: 60, limit: 200, remaining: 17 }]);
  assert.deepEqual(read(' 200 '), [{ seconds: 60, limit: 200, remaining: null }]);
  assert.deepEqual(read(undefined, '0'), [{ seconds: 60, limit: null, remaining: 0 }]);
  for (const nonsense of ['', '-1', '0', 'unlimited', '1e9', ['1', '2'], '9'.repeat(30)])
    assert.deepEqual(read(nonsense), [], String(nonsense));
});
