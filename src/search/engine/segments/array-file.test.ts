// Proves that a file gives back what was written, and nothing at all once a byte of it is damaged.

import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../../test/support/check/runs.ts';
import { temporaryFolder } from '../../../../test/support/database/database.ts';
import { type ArrayTree, readArrays, writeArrays } from './array-file.ts';

const TREE = {
  sequence: 2 ** 52,
  format: 'one',
  none: new Uint8Array(),
  shorts: Uint16Array.of(65_535, 1),
  parts: {
    floats: Float32Array.of(0.5, Number.NaN, -0),
    doubles: Float64Array.of(0.1, 1e300),
    array: Uint32Array.of(1, 2 ** 32 - 1),
    members: Uint8Array.of(1, 2, 3).subarray(1),
  },
};

test('what is written is read again, as memory that threads share', async (t) => {
  const path = join(await temporaryFolder(t, 'columns'), 'columns');
  assert.equal(await readArrays(path), null);
  await writeArrays(path, { former: 1 });
  await writeFile(`${path}.draft`, 'what a crash left');
  await writeArrays(path, TREE);
  const read = (await readArrays(path)) as typeof TREE;
  assert.deepEqual(read, TREE);
  assert.ok(read.parts.doubles.buffer instanceof SharedArrayBuffer);
  assert.deepEqual(await readdir(join(path, '..')), ['columns']);
});

test('a file that is cut short or damaged anywhere is as good as none', async (t) => {
  const path = join(await temporaryFolder(t, 'columns'), 'columns');
  await writeArrays(path, TREE as ArrayTree);
  const whole = await readFile(path);
  const damage = fc.record({
    at: fc.nat({ max: whole.length - 1 }),
    bits: fc.integer({ min: 1, max: 255 }),
    isCut: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(damage, async ({ at, bits, isCut }) => {
      const damaged = Buffer.from(isCut ? whole.subarray(0, at) : whole);
      if (!isCut) damaged[at] = (damaged[at] ?? 0) ^ bits;
      await writeFile(path, damaged);
      assert.equal(await readArrays(path), null);
    }),
    runs(200, 8),
  );
});
