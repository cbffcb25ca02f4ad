// Proves that a conditional read saves exactly what the client already has.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditional, isKnown, isUnmodified, weakEtag } from './etag.ts';

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

test('a tag that a compressing proxy has marked is still known', () => {
  const etag = weakEtag('prp_1', 7);
  for (const mark of ['-gzip', '--gzip', ';gzip', '-br', ';br', '-zstd', '-deflate'])
    assert.ok(isKnown(`"x", W/"prp_1.7${mark}"`, etag), mark);
  assert.ok(isKnown('"a-gzip"', '"a-gzip"'), 'a tag of ours may end so');
  assert.ok(!isKnown('"a"', '"a-gzip"'));
  assert.ok(!isKnown('"prp_1.7-lzma"', etag));
});

test('a date confirms only the very copy that it is of, once no other can have the same date', () => {
  const modified = 'Sat, 28 Nov 2026 10:00:00 GMT';
  const settled = Date.parse(modified) + 2_000;
  const since = { 'if-modified-since': modified };
  assert.ok(isUnmodified(since, modified, settled));
  assert.ok(!isUnmodified(since, modified, settled - 1));
  assert.ok(!isUnmodified({ ...since, 'if-none-match': '"other"' }, modified, settled));
  assert.ok(!isUnmodified({ 'if-modified-since': 'Sat, 28 Nov 2026 10:00:01 GMT' }, modified, settled));
  assert.ok(!isUnmodified(since, undefined, settled));
  const reply = { json: { a: 1 }, headers: { 'last-modified': modified } };
  assert.equal(conditional(since, '"a"', reply, settled).status, 304);
  assert.equal(conditional(since, '"a"', reply).status, undefined, 'no date counts where no moment is given');
});
