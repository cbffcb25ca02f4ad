// Tests of what is recorded of agents' questions: bounded, without secrets, and without whole addresses.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AgentQuery, networkOf, QueryBuffer, recordedArguments } from './agent-query.ts';

test('arguments are recorded without keys, in few bytes', () => {
  const key = 'SERVICE-01234567-89AB-CDEF-0123-456789ABCDEF';
  const text = recordedArguments({
    q: `my key is ${key}`,
    secret: 'plain',
    nested: { apiKey: 'x' },
    city: 'Aldern',
  });
  assert.ok(!text.includes(key) && !text.includes('plain') && !text.includes('"x"'), text);
  assert.match(text, /"city":"Aldern"/);
  assert.equal(recordedArguments(undefined), '{}');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 9_000 }), (long) => {
      const recorded = recordedArguments({ q: long });
      assert.ok(Buffer.byteLength(recorded) <= 4_096);
      assert.ok(!recorded.includes('\0'));
    }),
    { numRuns: 100, seed: 44, examples: [['ß'.repeat(9_000)]] },
  );
});

test('of an address its network alone is recorded', () => {
  assert.equal(networkOf('192.0.2.77'), '192.0.2.0/24');
  assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1::/48');
});

test('what has no room is counted, and what could not be written waits with the rest', () => {
  const buffer = new QueryBuffer(2);
  const query = (tool: string): AgentQuery => ({
    at: 0,
    account: 'sub:a',
    client: '',
    address: '192.0.2.0/24',
    tool,
    arguments: '{}',
    outcome: 'ok',
  });
  for (const tool of ['one', 'two', 'three']) buffer.add(query(tool));
  assert.equal(buffer.dropped, 1);
  const taken = buffer.take();
  buffer.add(query('four'));
  buffer.restore(taken);
  assert.deepEqual(
    buffer.take().map(({ tool }) => tool),
    ['one', 'two'],
  );
  assert.equal(buffer.dropped, 2);
});
