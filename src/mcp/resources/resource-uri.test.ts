// Tests of the URIs of resources.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseResourceUri } from './resource-uri.ts';

test('a URI names a thing of one kind by its id, and nothing else is a URI of a resource', () => {
  assert.deepEqual(parseResourceUri('listing://lst_1'), { kind: 'listing', id: 'lst_1' });
  assert.deepEqual(parseResourceUri('area://us-ny%20x'), { kind: 'area', id: 'us-ny x' });
  for (const uri of [
    '',
    'listing://',
    'listing:lst_1',
    'http://lst_1',
    'area://a/b',
    'area://%ff',
    'Area://a',
  ])
    assert.equal(parseResourceUri(uri), null, uri);
});
