// Proves that photos are copied once, shown while their listing is, and deleted with it; that others are fetched for readers; and that nothing hostile gets further.

import assert from 'node:assert/strict';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { until } from '../support/check/until.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { png, type Served, startImageHost } from '../support/media/image-host.ts';
import { createSender, record } from '../support/push/sender.ts';
import { startService } from '../support/service/service.ts';

const folder = await temporaryFolder({ after }, 'photos');
const data = await temporaryFolder({ after }, 'data');
const host = await startImageHost({ after });
const inner = await startImageHost({ after });
const service = await startService(
  { after },
  {
    environment: {
      MEDIA: 'copy',
      DATA_DIR: data,
      MEDIA_DIR: folder,
      MEDIA_ALLOW: `127.0.0.1:${host.port}`,
    },
  },
);
const { clock, keys, database } = service;
const crm = await createSender(service, 'crm');
const through = await createSender(service, 'through', { media: 'proxy' });

interface Photo {
  readonly id: string;
  readonly url: string;
  readonly order: number;
}

const MINUTE = 60_000;

async function listing(sender: { id: string }, key: string) {
  const [row] = await database.read(
    (sql) => sql<{ id: string; photoCount: string | null }[]>`
      select id, record ->> 'photoCount' as "photoCount" from listing where source = ${sender.id} and listing_key = ${key}`,
  );
  const home = await service.json(`/v1/property/${row?.id}?include=photos`, keys.internal);
  return { photos: (home as { photos: Photo[] }).photos, photoCount: row?.photoCount };
}

const photosOf = async (sender: { id: string }, key: string): Promise<Photo[]> =>
  (await listing(sender, key)).photos;

const left = async (source = 'crm') => {
  const [row] = await database.read(
    (sql) => sql<{ failed: number; due: number; tries: number }[]>`
      select coalesce(sum(failed), 0)::int as failed, count(due_at)::int as due,
        coalesce(sum((select sum(value::int) from json_each_text(failures))), 0)::int as tries
      from listing_media where source = ${source}`,
  );
  return row;
};

/** Lets what is due be copied. */
async function copy(what: string, condition: () => Promise<boolean>): Promise<void> {
  let looks = 0;
  await until(
    what,
    async () => {
      // A round may be under way that began before there was anything to do.
      if (looks++ % 50 === 0) clock.advance(5_000);
      return condition();
    },
    30_000,
  );
}

const files = async (): Promise<string[]> =>
  (await readdir(folder, { recursive: true })).filter((name) => name.length > 60).sort();

const cached = async (): Promise<string[]> =>
  (await readdir(join(data, 'photo-cache'))).filter((name) => name.endsWith('.original'));

/** Each listing is of a home of its own. */
const withPhotos = (...paths: string[]) =>
  record({
    photos: paths.map((path) => `${host.url}${path}`),
    address: { full: `${paths.join('').length} ${paths[0]?.replace(/\W/g, '')} Street, Calder` },
  });

test('photos are copied once, in their order, and shown at addresses of the service that may be kept for ever', async () => {
  host.paths.set('/1.png', png(4, 3));
  host.paths.set('/3.png', png(8, 6, 10));
  await crm.put('a', withPhotos('/1.png', '/2.png', '/3.png'));
  const before = await listing(crm, 'a');
  assert.deepEqual([before.photos, before.photoCount], [[], '3']);
  await copy('two of three are copied', async () => (await photosOf(crm, 'a')).length === 2);
  const [first, second] = await photosOf(crm, 'a');
  assert.deepEqual([first?.order, second?.order], [0, 2]);
  assert.ok(first?.url.startsWith(`${service.url}/v1/photos/lst_`));
  const answer = await fetch(first?.url ?? '');
  assert.equal(answer.headers.get('content-type'), 'image/png');
  assert.equal(answer.headers.get('cache-control'), 'private, max-age=31536000, immutable');
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), png(4, 3));
  const again = await fetch(first?.url ?? '', {
    headers: { 'if-none-match': answer.headers.get('etag') ?? '' },
  });
  assert.equal(again.status, 304);
  assert.equal((await fetch(`${service.url}/v1/photos/lst_x/${'0'.repeat(32)}/original`)).status, 404);
  const size = (name: string) => fetch((first?.url ?? '').replace('original', name));
  assert.deepEqual([(await size('320.webp')).status, (await size('320.avif')).status], [200, 404]);
  // A record that says the same, and one with another price, fetch nothing again.
  await crm.put('a', withPhotos('/1.png', '/2.png', '/3.png'));
  await crm.put('a', { ...withPhotos('/1.png', '/2.png', '/3.png'), listPrice: 390_000 });
  assert.deepEqual(
    (await photosOf(crm, 'a')).map(({ url }) => url),
    [first?.url, second?.url],
  );
  await copy('the missing one is tried', async () => host.count('/2.png') >= 2);
  const tried = (count: number) => async () => (await left())?.tries === count;
  await until('that is noted', tried(1));
  clock.advance(5 * MINUTE);
  await copy('it is tried again', tried(2));
  clock.advance(60 * MINUTE);
  await copy('it is tried once more', tried(3));
  assert.equal((await left())?.failed, 1);
  assert.deepEqual([host.count('/1.png'), host.count('/3.png')], [1, 1]);
  assert.equal((await left())?.due, 0);
});

test('a listing that is withheld takes its photos with it at once, and one that is gone its files, too', async () => {
  const shared = png(5, 5, 77);
  host.paths.set('/own.png', png(6, 6));
  host.paths.set('/shared.png', shared);
  host.paths.set('/same.png', shared);
  await crm.put('b', withPhotos('/own.png', '/shared.png'));
  await crm.put('c', withPhotos('/same.png'));
  await copy(
    'both are copied',
    async () => (await Promise.all([photosOf(crm, 'b'), photosOf(crm, 'c')])).flat().length === 3,
  );
  const [own, common] = await photosOf(crm, 'b');
  const kept = await files();
  await crm.put('b', { ...withPhotos('/own.png', '/shared.png'), display: { listing: false } });
  for (const photo of [own, common]) assert.equal((await fetch(photo?.url ?? '')).status, 404);
  await crm.put('b', withPhotos('/own.png', '/shared.png'));
  assert.equal((await fetch(own?.url ?? '')).status, 200);
  assert.equal((await crm.send('DELETE', '/listings/b?status=DELETED')).status, 200);
  assert.equal((await fetch(own?.url ?? '')).status, 404);
  await copy('its own file is deleted', async () => (await files()).length === kept.length - 1);
  const [same] = await photosOf(crm, 'c');
  assert.deepEqual(Buffer.from(await (await fetch(same?.url ?? '')).arrayBuffer()), shared);
  // A photo that is no longer there goes like a listing.
  await crm.put('c', withPhotos('/1.png'));
  assert.deepEqual(await photosOf(crm, 'c'), []);
  await copy('the other one is copied', async () => (await photosOf(crm, 'c')).length === 1);
  await copy('its file is deleted', async () => (await files()).length === kept.length - 2);
});

test('files that are missing are copied again, and those that nobody has are deleted', async () => {
  const [one] = await photosOf(crm, 'c');
  const hash = (
    await database.read(
      (sql) => sql<{ hash: string }[]>`
    select encode(hash, 'hex') as hash from photo_copy join listing on listing.id = listing_id where listing_key = 'c'`,
    )
  )[0]?.hash;
  await rm(join(folder, hash?.slice(0, 2) ?? '', hash ?? ''));
  const unknown = `${'ab'.repeat(32)}`;
  await mkdir(join(folder, 'ab'), { recursive: true });
  await writeFile(join(folder, 'ab', unknown), 'x');
  assert.equal((await fetch(one?.url ?? '')).status, 404);
  clock.advance(24 * 60 * MINUTE);
  await until('the copy is forgotten', async () => (await files()).every((name) => !name.endsWith(unknown)));
  await copy('it is copied again', async () => (await fetch(one?.url ?? '')).status === 200);
});

test('what is no image of ours, too large, or elsewhere than it may be is never stored, and stops no other', async () => {
  const known = await files();
  const redirect = (to: string) => (_: unknown, response: ServerResponse) =>
    void response.writeHead(302, { location: to }).end();
  inner.paths.set('/secret.png', png(9, 9));
  const hostile: readonly (readonly [string, Served])[] = [
    ['/inward.png', redirect(`${inner.url}/secret.png`)],
    ['/metadata.png', redirect('http://169.254.169.254/latest/meta-data')],
    ['/loop.png', redirect('/loop.png')],
    ['/file.png', redirect('file:///etc/passwd')],
    ['/vector.png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>')],
    ['/page.png', Buffer.from('<!doctype html><title>no</title>')],
    ['/bomb.png', png(60_000, 60_000, 0, 1)],
    ['/empty.png', Buffer.alloc(0)],
    [
      '/endless.png',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'image/png' });
        response.write(png(10, 10));
        const more = Buffer.alloc(1_000_000);
        const go = (): void => {
          while (!response.destroyed && response.write(more));
          if (!response.destroyed) response.once('drain', go);
        };
        go();
      },
    ],
  ];
  for (const [path, served] of hostile) host.paths.set(path, served);
  host.paths.set('/good.png', png(7, 7, 42));
  await crm.put('d', withPhotos(...hostile.map(([path]) => path), '/good.png'));
  await copy('the good one is copied', async () => (await photosOf(crm, 'd')).length === 1);
  assert.equal((await files()).length, known.length + 1);
  assert.equal(inner.requested.length, 0);
  const [row] = await database.read(
    (sql) => sql<{ failures: Record<string, number>; failed: number }[]>`
      select failures, failed from listing_media join listing on id = listing_id where listing_key = 'd'`,
  );
  assert.equal(Object.keys(row?.failures ?? {}).length, hostile.length);
  // Files stay what they are: those are not fetched again.
  assert.equal(row?.failed, 5);
  // A host that sends nothing, and others that do.
  host.paths.set('/slow.png', () => {});
  await crm.put('e', withPhotos('/slow.png'));
  await copy('it is requested', async () => host.count('/slow.png') === 1);
  clock.advance(15_000);
  await until('it is given up', async () => (await left())?.due === 2, 30_000);
});

test('photos of a source that is read through are fetched once for all readers, and are gone with their listing', async () => {
  host.paths.set('/through.png', png(12, 9));
  await through.put('a', withPhotos('/through.png', '/gone.png'));
  const [first, second] = await photosOf(through, 'a');
  assert.ok(first?.url.startsWith(`${service.url}/v1/photos/`));
  const answers = await Promise.all([1, 2, 3].map(() => fetch(first?.url ?? '')));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal((await fetch(first?.url ?? '')).status, 200);
  assert.equal(host.count('/through.png'), 1);
  const missing = await fetch(second?.url ?? '');
  assert.deepEqual([missing.status, missing.headers.get('retry-after')], [503, '60']);
  assert.equal((await fetch(second?.url ?? '')).status, 503);
  assert.equal(host.count('/gone.png'), 1);
  await through.put('a', { ...withPhotos('/through.png'), display: { listing: false } });
  assert.equal((await fetch(first?.url ?? '')).status, 404);
  assert.equal((await cached()).length, 1);
  clock.advance(60 * MINUTE);
  await until('what was kept of it is deleted', async () => (await cached()).length === 0, 30_000);
});

test('sources that go back to links have no copies any more', async () => {
  const linked = await createSender(service, 'linked', { media: 'link' });
  await linked.put('a', withPhotos('/1.png'));
  assert.deepEqual(
    (await photosOf(linked, 'a')).map(({ url }) => url),
    [`${host.url}/1.png`],
  );
  const text = await (await service.get('/metrics')).text();
  assert.match(text, /freehold_photo_downloads_total\{outcome="copied"\} \d/);
});
