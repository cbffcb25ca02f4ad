// Proves that photos come in the sizes that their URLs name, without metadata but the copyright; that hostile files end nothing; and that sizes go with their listing.

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import sharp from 'sharp';
import { until } from '../support/check/until.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { png, startImageHost } from '../support/media/image-host.ts';
import { COPYRIGHT, photograph, secretsIn } from '../support/media/photographs.ts';
import { createSender, record } from '../support/push/sender.ts';
import { startService } from '../support/service/service.ts';

const data = await temporaryFolder({ after }, 'data');
const host = await startImageHost({ after });
const service = await startService(
  { after },
  {
    environment: { MEDIA: 'proxy', MEDIA_AVIF: 'on', DATA_DIR: data, MEDIA_ALLOW: `127.0.0.1:${host.port}` },
  },
);
const crm = await createSender(service, 'crm');

interface Photo {
  readonly url: string;
  readonly thumbnailUrl: string;
}

function put(key: string, paths: readonly string[], change: object = {}) {
  const address = { full: `${key.length} ${key} Street, Calder` };
  return crm.put(key, record({ photos: paths.map((path) => `${host.url}${path}`), address, ...change }));
}

async function push(key: string, paths: readonly string[]): Promise<readonly Photo[]> {
  const answer = await put(key, paths);
  const id = (answer.json as { readonly id?: string }).id;
  const home = await service.json(`/v1/property/${id}?include=photos`, service.keys.internal);
  return (home as { photos: Photo[] }).photos;
}

const read = async (url: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(url, { headers });
  return { answer, file: Buffer.from(await answer.arrayBuffer()) };
};

const sized = (photo: Photo | undefined, name: string): string =>
  (photo?.thumbnailUrl ?? '').replace('320.webp', name);

test('each size is no wider than it says, never larger than the photo, turned upright, and says nothing but whose it is', async () => {
  // Stored 1600 by 800, taken with the camera turned.
  host.paths.set('/photo.jpg', await photograph('jpeg', 1_600, 800));
  host.paths.set('/strip.png', await photograph('png', 4_000, 200));
  const [photo, strip] = await push('turned', ['/photo.jpg', '/strip.png']);
  assert.match(photo?.thumbnailUrl ?? '', /^http.*\/v1\/photos\/lst_\w+\/[0-9a-f]{32}\/320\.webp$/);
  for (const [name, width, height] of [
    ['320.webp', 320, 640],
    ['640.webp', 640, 1_280],
    ['1280.webp', 800, 1_600],
    ['320.avif', 320, 640],
  ] as const) {
    const { answer, file } = await read(sized(photo, name));
    assert.equal(answer.status, 200, name);
    assert.equal(answer.headers.get('content-type'), `image/${name.slice(-4)}`);
    assert.equal(answer.headers.get('cache-control'), 'private, max-age=31536000, immutable');
    const { width: w, height: h, orientation = 1, exif, xmp } = await sharp(file).metadata();
    assert.deepEqual([w, h, orientation], [width, height, 1], name);
    assert.ok(exif?.includes(COPYRIGHT), name);
    assert.deepEqual([secretsIn(file), xmp], [[], undefined], name);
    const again = await read(sized(photo, name), { 'if-none-match': answer.headers.get('etag') ?? '' });
    assert.equal(again.answer.status, 304);
  }
  const tall = await sharp((await read(sized(strip, '320.webp'))).file).metadata();
  assert.deepEqual([tall.width, tall.height], [48, 960]);
  const { file } = await read(photo?.url ?? '');
  assert.deepEqual(secretsIn(file), []);
  assert.deepEqual((await sharp(file).metadata()).width, 1_600);
  for (const name of ['321.webp', '320.jpeg', '0320.webp', '320.webp.1', 'original.webp'])
    assert.equal((await read(sized(photo, name))).answer.status, 404, name);
  assert.deepEqual([host.requested.filter((path) => path === '/photo.jpg').length], [1]);
});

test('records, searches and the explorer name sizes; photos of other servers stay as they are', async () => {
  const linked = await createSender(service, 'linked', { media: 'link' });
  await linked.put(
    'a',
    record({ photos: ['https://images.example.com/1.jpg'], address: { full: '1 Far Road, Calder' } }),
  );
  const found = (await service.json('/v1/search/sales', service.keys.internal)) as {
    data: { photos: Photo[] }[];
  };
  const thumbnails = found.data.flatMap(({ photos }) => photos.map(({ thumbnailUrl }) => thumbnailUrl));
  assert.ok(thumbnails.includes(null as never) && thumbnails.some((url) => url?.endsWith('/320.webp')));
  const page = await (await service.get('/explore?bbox=-90,39,-89,40')).text();
  assert.match(
    page,
    /src="v1\/photos\/[^"]*\/320\.webp" srcset="[^"]*\/640\.webp 640w, [^"]*\/1280\.webp 1280w" sizes="148px"/,
  );
  assert.match(page, /src="https:\/\/images\.example\.com\/1\.jpg" alt/);
});

test('a photo of a listing that is withheld or gone is gone in each size at once, and its files within the hour', async () => {
  host.paths.set('/own.png', png(500, 400));
  const [photo] = await push('shown', ['/own.png']);
  const urls = ['320.webp', '640.webp'].map((name) => sized(photo, name));
  for (const url of urls) assert.equal((await read(url)).answer.status, 200);
  const { answer } = await read(urls[0] ?? '');
  await put('shown', ['/own.png'], { display: { listing: false } });
  for (const url of urls) assert.equal((await read(url)).answer.status, 404);
  const known = await read(urls[0] ?? '', { 'if-none-match': answer.headers.get('etag') ?? '' });
  assert.equal(known.answer.status, 404);
  await push('shown', ['/own.png']);
  assert.equal((await read(urls[0] ?? '')).answer.status, 200);
  await crm.send('DELETE', '/listings/shown?status=DELETED');
  for (const url of urls) assert.equal((await read(url)).answer.status, 404);
  const name = /photos\/(lst_\w+)\//.exec(urls[0] ?? '')?.[1] ?? 'none';
  const files = async () =>
    (await readdir(join(data, 'photo-cache'))).filter((file) => file.startsWith(name));
  assert.equal((await files()).length, 3);
  service.clock.advance(3_600_000);
  await until('its files are deleted', async () => (await files()).length === 0, 30_000);
});

test('files that are hostile, damaged or cut off end nothing, and stop no other', async () => {
  const photo = await photograph('jpeg', 800, 600);
  const noise = Buffer.alloc(50_000, 'noise');
  host.paths.set('/cut.jpg', photo.subarray(0, photo.length / 2));
  host.paths.set('/noise.jpg', Buffer.concat([photo.subarray(0, 8_000), noise]));
  // Large as it says, and nothing of it is there.
  host.paths.set('/hollow.png', png(7_000, 7_000, 0, 1));
  host.paths.set('/bomb.png', png(8_000, 8_000, 0, 8_000));
  host.paths.set(
    '/vector.svg',
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'),
  );
  host.paths.set('/moving.gif', await sharp(photo).gif().toBuffer());
  host.paths.set('/scan.tiff', await sharp(photo).tiff().toBuffer());
  host.paths.set('/good.png', png(640, 480, 9));
  const names = [...host.paths.keys()].filter((path) =>
    /cut|noise|hollow|bomb|vector|moving|scan|good/.test(path),
  );
  const photos = await push('hostile', names);
  const answers = await Promise.all(photos.map(({ thumbnailUrl }) => read(thumbnailUrl)));
  const statusOf = (path: string) => answers[names.indexOf(path)]?.answer.status;
  // Not fetched at all, since it is none of our formats, or too large.
  for (const path of ['/bomb.png', '/vector.svg', '/moving.gif', '/scan.tiff'])
    assert.equal(statusOf(path), 503, path);
  assert.equal(statusOf('/cut.jpg'), 200);
  assert.ok([200, 404].includes(statusOf('/noise.jpg') ?? 0));
  assert.ok([200, 404].includes(statusOf('/hollow.png') ?? 0));
  assert.equal(statusOf('/good.png'), 200);
  const text = await (await service.get('/metrics')).text();
  assert.doesNotMatch(text, /freehold_photo_sizes_total\{outcome="ended"\}/);
  assert.match(text, /freehold_photo_sizes_total\{outcome="made"\} \d+/);
});
