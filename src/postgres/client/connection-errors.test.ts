// Proof of what counts as a failure of the database, and what does not.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Problem } from '../../lib/problem.ts';
import { isBrokenConnection, translateError } from './connection-errors.ts';

const absent = join(tmpdir(), 'freehold-no-such-folder', 'file');

test('a file that cannot be written is never told as a database that cannot answer', async () => {
  const error = await writeFile(absent, '').catch((met: unknown) => met);
  assert.equal((error as NodeJS.ErrnoException).code, 'ENOENT');
  assert.equal(translateError(error), error);
  assert.equal(isBrokenConnection(error), false);
});

test('a socket that is not there is a database that cannot answer', async () => {
  const error = await new Promise((resolve) => connect(absent).on('error', resolve));
  assert.equal((error as NodeJS.ErrnoException).code, 'ENOENT');
  const told = translateError(error);
  assert.ok(told instanceof Problem && told.code === 'DATABASE_UNAVAILABLE');
  assert.equal(isBrokenConnection(error), true);
});
