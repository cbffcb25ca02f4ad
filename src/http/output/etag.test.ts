// Proves that a conditional read saves exactly what the client already has.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditional, isKnown, weakEtag } from './etag.ts';

test('tags are compared weakly, in lists, and a star knows everything', () => {
  const etag = weakEtag('prp_1', 7);
  assert.equal(etag, 'W/"prp_1.7"');
  for (const known of [etag, '"prp_1.7"', `"a", ${etag}`, '"x,y","prp_1.7"', '*', ' * '])
    assert.ok(isKnown(known, etag), known);
  for (const other of [undefined, '', '"prp_1.8"', 'prp_1.7', 'W/"prp_1.7', '"*"'])
    assert.ok(!isKnown(other, etag));
});

test('a 304 keeps the headers and loses the body', () => {
  const reply = { json: { a: 1 }, headers: { 'cache-control': 'private' } };
  const headers = { 'cache-control': 'private', etag: '"a"' };
  assert.deepEqual(conditional({ 'if-none-match': '"a"' }, '"a"', reply), { status: 304, headers });
  assert.deepEqual(conditional({ 'if-none-match': '"b"' }, '"a"', reply), { json: { a: 1 }, headers });
});
