// Proves that the sample's pictures are had from the service's own public address, and that only pictures are.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { samplePhotoRoute } from '../../src/app/sample-photos.ts';
import { updatePhotoUrls } from '../../src/ingest/pictures/media-url-store.ts';
import { OutboundFailure } from '../../src/lib/outbound-failure.ts';
import type { Problem } from '../../src/lib/problem.ts';
import type { Listing } from '../../src/listings/record.ts';
import { startService } from '../support/service/service.ts';

const PUBLIC_URL = 'https://homes.example/listings';
const service = await startService({ after }, { source: 'sample', environment: { PUBLIC_URL } });
const { url, keys } = service;
const BASE = `${PUBLIC_URL}/sample/photos`;

const homes = async (): Promise<readonly Listing[]> => {
  const { data }: { data: Listing[] } = await service.json(
    '/v1/search/sales?hasPhotos=true&limit=50',
    keys.pro,
  );
  return data;
};
/** As a proxy in front of the service passes a request on. */
const get = (address: string, init: RequestInit = {}) => fetch(address.replace(PUBLIC_URL, url), init);
/** Every picture that the records lead to. */
const pictures = (listings: readonly Listing[]): string[] =>
  listings
    .flatMap(({ photos, floorPlans, virtualTourUrl }) => [
      ...[...photos, ...floorPlans].flatMap((photo) => [photo.url, photo.thumbnailUrl]),
      virtualTourUrl,
    ])
    .filter((address) => address !== null);

test('pictures, thumbnails and tours are addressed below PUBLIC_URL, and load from there', async () => {
  const listings = await homes();
  const addresses = pictures(listings);
  assert.ok(addresses.length > 50 && listings.some(({ virtualTourUrl }) => virtualTourUrl !== null));
  for (const address of addresses) assert.ok(address.startsWith(`${BASE}/`), address);
  for (const { photos } of listings) assert.match(photos[0]?.thumbnailUrl ?? '', /\?w=\d+$/);
  for (const address of addresses.filter((_, place) => place % 20 === 0)) {
    const answer = await get(address);
    assert.deepEqual(
      [answer.status, answer.headers.get('content-type')],
      [200, 'image/svg+xml; charset=utf-8'],
    );
    assert.match(await answer.text(), /^<svg /);
  }
});

test('a picture may be kept, is known by its tag, and cannot run or load anything', async () => {
  const [{ photos: [photo] = [] } = assert.fail()] = await homes();
  const { headers } = await get(photo?.url ?? '');
  assert.equal(headers.get('cache-control'), 'public, max-age=86400');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none';.* sandbox$/);
  const again = await get(photo?.url ?? '', { headers: { 'if-none-match': headers.get('etag') ?? '' } });
  assert.equal(again.status, 304);
});

test('nothing but pictures is fetched from the sample', async () => {
  const [{ photos: [photo] = [] } = assert.fail()] = await homes();
  const key = photo?.url.split('/').at(-2);
  for (const [path, status] of [
    [`${key}/99.svg`, 404],
    ['nobody/0.svg', 404],
    [`${key}/0.png`, 404],
    [`${key}/..%2F..%2Fareas.geojson`, 404],
    ['..%2Fcontrol/0.svg', 404],
    [`${key}/0.svg?w=0`, 400],
    [`${key}/0.svg?w=wide`, 400],
    [`${key}/0.svg?width=5`, 400],
  ] as const)
    assert.equal((await fetch(`${url}/sample/photos/${path}`)).status, status, path);
});

test('a sample that gives no pictures is told as 503, and when to ask again', async () => {
  const svg = { 'content-type': 'image/svg+xml; charset=utf-8' };
  const answer = (status: number, headers: Record<string, string>) => ({
    status,
    headers,
    body: Buffer.of(),
  });
  for (const sent of [
    () => Promise.reject(new OutboundFailure('refused', 'Nobody listens')),
    () => Promise.reject(new OutboundFailure('too_large', 'Too many bytes')),
    () => Promise.resolve(answer(500, svg)),
    () => Promise.resolve(answer(200, { 'content-type': 'text/html' })),
  ]) {
    const { handle } = samplePhotoRoute({ url: 'http://127.0.0.1:1', outbound: { send: sent } });
    const call = { params: { key: 'a', file: '0.svg' }, query: {}, headers: {} };
    const asked = { ...call, signal: new AbortController().signal } as unknown as Parameters<
      typeof handle
    >[0];
    await assert.rejects(
      async () => handle(asked),
      (problem: Problem) => {
        assert.deepEqual([problem.status, problem.headers['retry-after']], [503, '5']);
        return true;
      },
    );
  }
});

test('stored pictures follow when the public address changes, and nothing else of a record does', async () => {
  const before = await homes();
  const elsewhere = 'https://elsewhere.example/sample/photos';
  await updatePhotoUrls(service.database, 'sample', elsewhere);
  const moved = await homes();
  for (const address of pictures(moved)) assert.ok(address.startsWith(`${elsewhere}/`), address);
  await updatePhotoUrls(service.database, 'sample', BASE);
  assert.deepEqual(await homes(), before);
});

test('a service without the sample has no such address', async (t) => {
  const other = await startService(t);
  assert.equal((await fetch(`${other.url}/sample/photos/a/0.svg`)).status, 404);
});
