// Proves that processes that are killed while they copy photos fetch no address twice, and that all photos are there in the end.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../support/check/random.ts';
import { until } from '../support/check/until.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';
import { type Child, startProgram } from '../support/process/children.ts';
import type { ReaderOptions } from '../support/sources/reader-child.ts';
import { credentialsOf, SYSTEM, startVendor } from '../support/sources/vendor-server.ts';

const KILLS = 2;

test('two processes, one of which is killed twice, use each address once', async (t) => {
  const random = createRandom(7);
  const { database, url: databaseUrl } = await testDatabase(t);
  const server = await startVendor(t, 'mlsgrid', { size: 4, now: Date.now });
  const { requests, world, vendor } = server;
  // The vendor permits two requests a second, photos included.
  for (const { key } of [...world.market.visible()]) world.change(key, { PhotosCount: 2 });
  const options: ReaderOptions = {
    databaseUrl,
    url: `${server.url}/odata`,
    credentials: credentialsOf(server),
    lease: { duration: 600, renewal: 100 },
    profile: {
      name: 'mlsgrid',
      overrides: { originatingSystem: SYSTEM, media: { mode: 'copy' } },
    },
    photos: { folder: await temporaryFolder(t, 'photos'), port: Number(new URL(server.url).port) },
  };
  const start = (): Child => startProgram(t, 'sources/reader-child.ts', [JSON.stringify(options)]);
  const paths = () =>
    requests.flatMap(({ url }) => (url.pathname.startsWith('/media/') ? [url.pathname] : []));
  const children = [start(), start()];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const seen = paths().length + 1 + random.below(2);
    await until('some photos are fetched', () => paths().length >= seen);
    // Either one may be the one that copies.
    const [killed] = children.splice(random.below(2), 1);
    killed?.kill('SIGKILL');
    await killed?.ended;
    children.push(start());
  }
  const homes = [...world.market.visible()].filter(({ status }) => status !== 'Delete');
  const photos = homes.reduce((sum, { photos }) => sum + photos, 0);
  await until('all photos are copied', async () => {
    const [row] = await database.read(
      (sql) => sql<{ copies: number; due: number }[]>`
        select (select count(*)::int from photo_copy) as copies,
          (select count(*)::int from listing_media where due_at is not null) as due`,
    );
    return row?.copies === photos && row.due === 0;
  });
  assert.equal(new Set(paths()).size, paths().length);
  // What a process had fetched and not stored when it was killed comes again, from another address.
  assert.ok(paths().length <= photos + KILLS, `${paths().length} requests for ${photos} photos`);
  assert.equal(vendor.quota.refusals, 0);
});
