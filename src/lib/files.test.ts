// Tests of files and folders that may not exist.

import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFolder, readIfExists, statIfExists } from './files.ts';

test('a file that does not exist is undefined, and any other trouble with it is thrown', async () => {
  assert.equal(await readIfExists(join(tmpdir(), 'none', 'of', 'it')), undefined);
  assert.equal(await statIfExists(join(import.meta.filename, 'below a file')), undefined);
  assert.match((await readIfExists(import.meta.filename)) ?? '', /^\/\/ Tests/);
  await assert.rejects(readIfExists(import.meta.dirname), { code: 'EISDIR' });
});

test('a folder is created with those above it, once, and where none can be the error is thrown', async (t) => {
  const base = await mkdtemp(join(tmpdir(), 'freehold-files-'));
  t.after(() => rm(base, { recursive: true }));
  const folder = join(base, 'one', 'two');
  assert.deepEqual((await Promise.all([0, 1].map(() => createFolder(folder, 0o700)))).toSorted(), [
    false,
    true,
  ]);
  assert.equal(await createFolder(folder, 0o700), false);
  for (const each of [folder, join(base, 'one')]) assert.equal((await stat(each)).mode & 0o777, 0o700);
  const file = import.meta.filename;
  await assert.rejects(createFolder(file, 0o700), { code: 'EEXIST' });
  await assert.rejects(createFolder(join(file, 'below', 'a file'), 0o700), { code: 'ENOTDIR' });
  if (process.platform === 'linux')
    await assert.rejects(createFolder('/proc/nothing/below', 0o700), { code: 'ENOENT' });
});
