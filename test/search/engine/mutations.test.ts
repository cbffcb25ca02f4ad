// Proves that the faults which are written into the engine can still be written.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { MUTATIONS } from '../../support/engine/mutations.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

test('what a fault replaces stands once in its file, and the test that has to notice it is there', () => {
  for (const { file, from, to, test } of MUTATIONS) {
    const pieces = readFileSync(join(ROOT, 'src/search/engine', file), 'utf8').split(from);
    assert.equal(pieces.length, 2, `${file} has this once: ${from}`);
    assert.notEqual(from, to);
    assert.ok(existsSync(join(ROOT, test)), test);
  }
});
