// Tests of files that may not exist.

import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readIfExists, statIfExists } from './files.ts';

test('a file that does not exist is undefined, and any other trouble with it is thrown', async () => {
  assert.equal(await readIfExists(join(tmpdir(), 'none', 'of', 'it')), undefined);
  assert.equal(await statIfExists(join(import.meta.filename, 'below a file')), undefined);
  assert.match((await readIfExists(import.meta.filename)) ?? '', /^\/\/ Tests/);
  await assert.rejects(readIfExists(import.meta.dirname), { code: 'EISDIR' });
});
