// Tests of problems as results of tools.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalidParameter, Problem } from '../../lib/problem.ts';
import { problemResult } from './problem-result.ts';

const options = { publicUrl: 'https://homes.example', requestId: 'req_1' };

test('a bad argument is a result that names it, the remedy, and what was probably meant', () => {
  const result = problemResult(invalidParameter('beds', 'is not known', 'bedrooms'), options);
  assert.equal(result.isError, true);
  assert.deepEqual(result.content, [
    { type: 'text', text: 'The parameter beds is not known. Did you mean bedrooms?' },
  ]);
  assert.deepEqual(result.structuredContent, {
    type: 'https://homes.example/docs/errors#INVALID_PARAMETER',
    title: 'Invalid parameter',
    status: 400,
    detail: 'The parameter beds is not known. Did you mean bedrooms?',
    code: 'INVALID_PARAMETER',
    requestId: 'req_1',
    errors: [{ parameter: 'beds', detail: 'is not known', suggestion: 'bedrooms' }],
  });
});

test('a reached limit says in words and in a member how many seconds to wait', () => {
  const problem = new Problem('RATE_LIMITED', 'At most 60 requests a minute.', {
    headers: { 'retry-after': '7' },
  });
  const { content, structuredContent } = problemResult(problem, options);
  assert.match(JSON.stringify(content), /Wait 7 s/);
  assert.equal(structuredContent?.retryAfterSeconds, 7);
});
