// Tests of the error vocabulary.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nullIfUnavailable, Problem } from './problem.ts';

test('an answer that is unavailable for now is null, and a fault is thrown', async () => {
  assert.equal(await nullIfUnavailable(Promise.resolve('answer')), 'answer');
  const unavailable = new Problem('DATABASE_UNAVAILABLE', 'The database cannot answer.');
  assert.equal(await nullIfUnavailable(Promise.reject(unavailable)), null);
  await assert.rejects(nullIfUnavailable(Promise.reject(new TypeError('a fault'))), TypeError);
  await assert.rejects(nullIfUnavailable(Promise.reject(new Problem('NOT_FOUND', 'None.'))), Problem);
});
