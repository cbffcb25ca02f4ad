// Proves that docs/reliability.md speaks of tests that exist, and names none of its promises twice.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const text = readFileSync(join(root, 'docs/reliability.md'), 'utf8');

test('every program that docs/reliability.md names as a proof is there', () => {
  const named = [...text.matchAll(/`((?:test|bench)\/[^`]+\.ts)`/g)].map(([, path = '']) => path);
  assert.ok(named.length > 30);
  assert.deepEqual(
    named.filter((path) => !existsSync(join(root, path))),
    [],
  );
});

test('every promise has one row', () => {
  const promises = [...text.matchAll(/^\| (R\d+(?:, R\d+)*) \|/gm)].flatMap(([, ids = '']) =>
    ids.split(', '),
  );
  assert.equal(new Set(promises).size, promises.length);
  assert.ok(promises.length > 20);
});
