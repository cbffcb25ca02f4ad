// Proves that the cache of pictures stays within its bytes, outlives its process, and never gives a file that was not finished.

import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../../test/support/check/until.ts';
import { temporaryFolder } from '../../../test/support/database/database.ts';
import { PictureCache } from './picture-cache.ts';

const fail = (error: unknown): never => assert.fail(String(error));

test('files used last stay within the bytes, and a process after a crash has them, but none that was not finished', async (t) => {
  const folder = await temporaryFolder(t, 'cache');
  const cache = new PictureCache(folder, 100, fail);
  for (const name of ['a.320.webp', 'b.320.webp']) await cache.put(name, Buffer.alloc(40, name));
  assert.ok(await cache.get('a.320.webp'));
  await cache.put('c.320.webp', Buffer.alloc(40, 'c'));
  assert.equal(await cache.get('b.320.webp'), null);
  assert.equal(cache.bytes, 80);
  await until('the file goes, too', async () => !(await readdir(folder)).includes('b.320.webp'));
  await writeFile(join(folder, 'd.320.webp.1-0.new'), 'half');
  const later = new PictureCache(folder, 100, fail);
  assert.deepEqual(await later.get('a.320.webp'), Buffer.alloc(40, 'a.320.webp'));
  assert.deepEqual([...(await later.names())].sort(), ['a.320.webp', 'c.320.webp']);
  assert.deepEqual((await readdir(folder)).sort(), ['a.320.webp', 'c.320.webp']);
  const smaller = new PictureCache(folder, 50, fail);
  assert.equal((await smaller.names()).length, 1);
});
