// Tests of problems as results of tools.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalidParameter, Problem } from '../../lib/problem.ts';
import { problemResult } from './problem-result.ts';

const options = { publicUrl: 'https://homes.example', requestId: 'req_1' };

test('a bad argument is a result that names it, the remedy, and what was probably meant', () => {
  const result = problemResult(invalidParameter('beds', 'is not known', 'bedrooms'), options);
  assert.equal(result.isError, true);
  const text =
    'The parameter beds is not known. Did you mean bedrooms?\ncode: INVALID_PARAMETER · requestId: req_1';
  assert.deepEqual(result.content, [{ type: 'text', text }]);
  assert.equal(result.outcome, 'INVALID_PARAMETER');
  // Clients hold it against the output schema, which describes answers.
  assert.ok(!('structuredContent' in result));
});

test('of several faults each one is told with its remedy, of parameters and of members', () => {
  const errors = [
    { parameter: 'beds', detail: 'is not known', suggestion: 'bedrooms' },
    { pointer: '/target/listingId', detail: 'names no listing' },
    { parameter: 'limit', detail: 'must be at least 1' },
  ];
  const { content } = problemResult(new Problem('INVALID_PARAMETER', 'In short.', { errors }), options);
  assert.deepEqual(content[0]?.text.split('\n').slice(0, 3), [
    'The parameter beds is not known. Did you mean bedrooms?',
    'The member target/listingId names no listing.',
    'The parameter limit must be at least 1.',
  ]);
});

test('a reached limit says how many seconds to wait', () => {
  const problem = new Problem('RATE_LIMITED', 'At most 60 requests a minute.', {
    headers: { 'retry-after': '7' },
  });
  const { content } = problemResult(problem, options);
  assert.match(content[0]?.text ?? '', /^code: RATE_LIMITED · retryAfterSeconds: 7 · /m);
});
