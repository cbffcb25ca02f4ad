// Proves that photos with addresses that serve once are copied, each fetched once, and that no address is stored or logged.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../support/check/until.ts';
import { startVendorService } from '../support/sources/vendor-service.ts';

test('listings come first; their photos follow, each address is used once, and what is stored or logged has none', async (t) => {
  const vendor = await startVendorService(t, 'mlsgrid', {
    size: 8,
    overrides: { media: { mode: 'copy' } },
    settings: ({ url }) => ({ MEDIA_ALLOW: `127.0.0.1:${new URL(url).port}` }),
  });
  const { service, requests, world } = vendor;
  const { database, clock } = service;
  const fetched = () => requests.filter(({ url }) => url.pathname.startsWith('/media/'));
  const asked = () => requests.filter(({ url }) => url.searchParams.get('$expand') === 'Media');
  const open = async () => {
    const [row] = await database.read(
      (sql) => sql<{ due: number; shown: number }[]>`
        select (select count(*)::int from listing_media where due_at is not null) as due,
          (select count(*)::int from photo_copy) as shown`,
    );
    return row ?? { due: -1, shown: -1 };
  };
  const homes = [...world.market.visible()].filter(({ status }) => status !== 'Delete');
  const photos = homes.reduce((sum, home) => sum + home.photos, 0);
  let looks = 0;
  await until('all photos are copied', async () => {
    if (looks++ % 10 === 0) clock.advance(1_000);
    return (await open()).due === 0;
  });
  assert.equal((await open()).shown, photos);
  const paths = fetched().map(({ url }) => url.pathname);
  assert.equal(new Set(paths).size, paths.length);
  assert.equal(new Set(paths.map((path) => path.replace(/.*images/, ''))).size, paths.length);
  assert.equal(asked().length, homes.length);
  for (const { headers } of fetched()) assert.equal(headers.authorization, undefined);
  // Loads and changes never request photos.
  for (const { url } of asked()) assert.match(url.searchParams.get('$filter') ?? '', /ListingId eq/);
  const home = homes.find((each) => each.photos > 1);
  const shown = (await service.json(
    `/v1/property/${vendor.id(home?.key ?? '')}?include=photos`,
    service.keys.free,
  )) as {
    photos: { url: string }[];
  };
  assert.ok(shown.photos.length > 0);
  assert.equal((await fetch(shown.photos[0]?.url ?? '')).headers.get('content-type'), 'image/jpeg');
  // Only what changed is requested again, and of that only what is new.
  world.change(home?.key ?? '', { PhotosCount: (home?.photos ?? 0) + 1 });
  const before = { fetched: fetched().length, asked: asked().length };
  await vendor.untilRead('the new photo is copied', () => fetched().length > before.fetched);
  await until('it is shown', async () => (await open()).due === 0);
  assert.equal(asked().length, before.asked + 1);
  const text = await database.read(
    (sql) => sql`
    select string_agg(pictures::text, '') as media, (select string_agg(record::text, '') from listing) as records from listing_media`,
  );
  assert.ok(!/token=|\/media\//.test(JSON.stringify(text)));
  assert.ok(!/token=|\/media\//.test(vendor.logged()));
});
