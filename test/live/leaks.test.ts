// Proof that clients who vanish from streams leave nothing behind, and that those who do not read are cut.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { FAULTS } from '../support/sources/upstream.ts';
import { abandon, holdSlowReaders, measureUsage, requireNothingLeft } from '../support/streams/leaks.ts';
import { KILOBYTES, LARGE_LISTING, startStreams, WIDE_LISTING } from '../support/streams/service.ts';

const service = await startStreams({ after });

test('2,000 abandoned streams leave no socket, timer, place, fetch or memory', async (t) => {
  service.upstream.faults.entity = FAULTS.hang;
  await abandon(service, 300);
  const before = await measureUsage(service);
  await abandon(service, 2_000);
  t.diagnostic(`before ${JSON.stringify(before)}`);
  t.diagnostic(`after ${JSON.stringify(await requireNothingLeft(service, before, 10))}`);
  delete service.upstream.faults.entity;
});

for (const [key, count] of [
  [WIDE_LISTING, 500],
  [LARGE_LISTING, 20],
] as const) {
  test(`${count} clients that do not read a ${key} listing cost bounded memory, hinder nobody, and are cut`, async (t) => {
    const before = await measureUsage(service);
    const slow = await holdSlowReaders(service, key, count);
    t.diagnostic(JSON.stringify(slow));
    // Of short events the kernel may take all: then the stream ends without its reader.
    if (key === LARGE_LISTING) assert.equal(slow.waiting, count);
    const each = (slow.megabytes * 1024) / count;
    assert.ok(each <= 2 * KILOBYTES[key], `${each} KB each`);
    assert.deepEqual([slow.other, slow.left], ['cached,live,done', 0]);
    await requireNothingLeft(service, before, 10);
  });
}
