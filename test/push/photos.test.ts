// Proves that uploaded photos are checked, stored before they are acknowledged, shown in the order of their numbers, and outlast what is pushed later.

import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import sharp from 'sharp';
import { cleanPicture } from '../../src/media/pictures/clean-picture.ts';
import { hashOf } from '../../src/media/pictures/picture-files.ts';
import { until } from '../support/check/until.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { png, startImageHost } from '../support/media/image-host.ts';
import { COPYRIGHT, photograph, secretsIn } from '../support/media/photographs.ts';
import { type Answer, createSender, record, type Sender } from '../support/push/sender.ts';
import { startService } from '../support/service/service.ts';

const folder = await temporaryFolder({ after }, 'photos');
const data = await temporaryFolder({ after }, 'data');
const host = await startImageHost({ after });
const service = await startService(
  { after },
  { environment: { DATA_DIR: data, MEDIA_DIR: folder, MEDIA_ALLOW: `127.0.0.1:${host.port}` } },
);
const linked = await createSender(service, 'linked');
const copied = await createSender(service, 'copied', { media: 'copy' });
const through = await createSender(service, 'through', { media: 'proxy' });

interface Photo {
  readonly id: string;
  readonly url: string;
  readonly thumbnailUrl: string | null;
  readonly width: number | null;
  readonly order: number;
}

const upload = (
  { send }: Sender,
  key: string,
  number: number | string,
  file: Uint8Array,
  type = 'image/png',
): Promise<Answer> => send('PUT', `/listings/${key}/photos/${number}`, file, { 'content-type': type });

const remove = ({ send }: Sender, key: string, number: number): Promise<Answer> =>
  send('DELETE', `/listings/${key}/photos/${number}`);

const put = (sender: Sender, key: string, change: object = {}): Promise<Answer> =>
  sender.put(key, record({ address: { full: `1 ${sender.id} ${key} Street, Calder` }, ...change }));

async function read({ id }: Sender, key: string): Promise<{ photos: readonly Photo[]; photoCount: number }> {
  const [row] = await service.database.read(
    (sql) => sql<{ id: string; photoCount: number }[]>`
      select id, (record ->> 'photoCount')::int as "photoCount" from listing where source = ${id} and listing_key = ${key}`,
  );
  const home = await service.json(`/v1/property/${row?.id}?include=photos`, service.keys.internal);
  return { photos: (home as { photos: Photo[] }).photos, photoCount: row?.photoCount ?? -1 };
}

const idsOf = async (sender: Sender, key: string): Promise<string[]> =>
  (await read(sender, key)).photos.map(({ id }) => id);

const files = async (): Promise<string[]> =>
  (await readdir(folder, { recursive: true })).filter((name) => name.length > 60);

const picture = async (url: string | null | undefined): Promise<{ status: number; file: Buffer }> => {
  const answer = await fetch(url ?? '');
  return { status: answer.status, file: Buffer.from(await answer.arrayBuffer()) };
};

test('a photo is on the disk when it is acknowledged, without its metadata, and in the record in each size', async () => {
  await put(linked, 'a');
  const photo = await photograph('jpeg');
  const first = await upload(linked, 'a', 3, photo, 'image/jpeg');
  assert.deepEqual([first.status, first.json.result], [201, 'created']);
  assert.equal((await files()).length, 1);
  const { photos, photoCount } = await read(linked, 'a');
  assert.deepEqual([photos.length, photoCount, photos[0]?.order, photos[0]?.width], [1, 1, 0, 400]);
  const { status, file } = await picture(photos[0]?.url);
  assert.deepEqual([status, secretsIn(file), file.includes(COPYRIGHT)], [200, [], true]);
  assert.equal((await picture(photos[0]?.thumbnailUrl)).status, 200);
  const again = await upload(linked, 'a', 3, photo, 'image/jpeg');
  assert.deepEqual(
    [again.status, again.json.result, again.json.version],
    [200, 'unchanged', first.json.version],
  );
  const other = await upload(linked, 'a', 3, png(30, 20));
  assert.deepEqual([other.status, other.json.result], [200, 'changed']);
  assert.equal((await picture(photos[0]?.url)).status, 404);
  service.clock.advance(5_000);
  await until('the former file is deleted', async () => (await files()).length === 1);
});

test('photos are in the order of their numbers, before those of the record, whatever is pushed later', async () => {
  const links = ['https://images.example.com/1.jpg', 'https://images.example.com/2.jpg'];
  const record = { photos: links };
  await put(linked, 'b', record);
  await upload(linked, 'b', 9, png(9, 9));
  await upload(linked, 'b', 2, png(2, 2));
  const all = ['upload-2', 'upload-9', '0', '1'];
  const { photos, photoCount } = await read(linked, 'b');
  assert.deepEqual([photos.map(({ id }) => id), photoCount], [all, 4]);
  assert.deepEqual(
    photos.map(({ order }) => order),
    [0, 1, 2, 3],
  );
  assert.deepEqual(
    photos.slice(2).map(({ url }) => url),
    links,
  );
  assert.equal((await put(linked, 'b', record)).json.result, 'unchanged');
  await put(linked, 'b', { ...record, listPrice: 380_000 });
  assert.deepEqual(await idsOf(linked, 'b'), all);
  await linked.send(
    'PATCH',
    '/listings/b',
    { listPrice: 370_000 },
    { 'content-type': 'application/merge-patch+json' },
  );
  assert.deepEqual(await idsOf(linked, 'b'), all);
  await put(linked, 'b', { listPrice: 360_000 });
  assert.deepEqual(
    [await idsOf(linked, 'b'), (await read(linked, 'b')).photoCount],
    [['upload-2', 'upload-9'], 2],
  );
  await put(linked, 'b', { ...record, listPrice: 360_000 });
  assert.deepEqual(
    [(await remove(linked, 'b', 2)).json.result, await idsOf(linked, 'b')],
    ['deleted', ['upload-9', '0', '1']],
  );
  assert.equal((await remove(linked, 'b', 2)).json.result, 'unchanged');
  await remove(linked, 'b', 9);
  const left = await read(linked, 'b');
  assert.deepEqual(
    [left.photos.map(({ id, order }) => [id, order]), left.photoCount],
    [
      [
        ['0', 0],
        ['1', 1],
      ],
      2,
    ],
  );
  // Withdrawn it keeps them; what may no longer be shown loses them.
  const { json } = await upload(linked, 'b', 0, png(5, 5));
  assert.equal(json.result, 'created');
  const [own] = (await read(linked, 'b')).photos;
  await linked.send('DELETE', '/listings/b');
  assert.equal((await picture(own?.url)).status, 200);
  await linked.send('DELETE', '/listings/b?status=DELETED');
  assert.equal((await picture(own?.url)).status, 404);
  assert.equal((await upload(linked, 'b', 0, png(5, 5))).status, 404);
  await put(linked, 'b');
  assert.deepEqual(await idsOf(linked, 'b'), []);
});

test('uploads stand beside photos that are copied or read through, and outlast their changes', async () => {
  for (const path of ['/1.png', '/2.png']) host.paths.set(path, png(40, path.length, 77));
  const photos = (...paths: string[]) => ({ photos: paths.map((path) => `${host.url}${path}`) });
  for (const sender of [copied, through]) {
    await put(sender, 'a', photos('/1.png'));
    await upload(sender, 'a', 0, png(11, 11));
    let looks = 0;
    const shown = async (...ids: string[]) => {
      await until(`${sender.id} shows ${ids}`, async () => {
        if (looks++ % 50 === 0) service.clock.advance(5_000);
        const { photos } = await read(sender, 'a');
        const states = await Promise.all(photos.map(({ url }) => picture(url)));
        return (
          photos.map(({ id }) => id).join() === ids.join() && states.every(({ status }) => status === 200)
        );
      });
    };
    await shown('upload-0', '0');
    await put(sender, 'a', photos('/1.png', '/2.png'));
    await shown('upload-0', '0', '1');
    await upload(sender, 'a', 4, png(12, 12));
    await shown('upload-0', 'upload-4', '0', '1');
    await remove(sender, 'a', 0);
    await shown('upload-4', '0', '1');
    await put(sender, 'a');
    await shown('upload-4');
    await remove(sender, 'a', 4);
    await shown();
    await put(sender, 'a', photos('/2.png'));
    await shown('0');
  }
  // Each copy was fetched once: uploads make nothing due again.
  assert.ok(host.count('/1.png') <= 2, String(host.count('/1.png')));
});

test('what is no whole photo of its type is refused, and changes nothing', async () => {
  await put(linked, 'c');
  const jpeg = await photograph('jpeg', 900, 700);
  const known = await files();
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
  for (const [file, type, status, code] of [
    [svg, 'image/svg+xml', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [svg, 'image/png', 400, 'INVALID_BODY'],
    [await sharp(jpeg).gif().toBuffer(), 'image/jpeg', 400, 'INVALID_BODY'],
    [jpeg, 'image/png', 400, 'INVALID_BODY'],
    [jpeg.subarray(0, jpeg.length / 2), 'image/jpeg', 400, 'INVALID_BODY'],
    [png(60_000, 60_000, 0, 1), 'image/png', 400, 'INVALID_BODY'],
    [png(600, 600, 0, 2), 'image/png', 400, 'INVALID_BODY'],
    [Buffer.alloc(0), 'image/png', 400, 'INVALID_BODY'],
    [Buffer.alloc(20_000_001), 'image/png', 413, 'PAYLOAD_TOO_LARGE'],
  ] as const) {
    const answer = await upload(linked, 'c', 0, file, type);
    assert.deepEqual([answer.status, answer.json.code], [status, code], `${type} of ${file.length} bytes`);
  }
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1_000_000)) });
  const answer = await fetch(`${service.url}/v1/sources/linked/listings/c/photos/0`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${linked.token}`, 'content-type': 'image/png' },
    body: endless,
    duplex: 'half',
  } as RequestInit).then(
    ({ status }) => status,
    () => 'closed',
  );
  assert.ok(answer === 413 || answer === 'closed', String(answer));
  assert.deepEqual([await idsOf(linked, 'c'), await files()], [[], known]);
  for (const number of [100, -1, 'x'])
    assert.equal((await upload(linked, 'c', number, png(3, 3))).status, 404);
  assert.equal((await upload(linked, 'nowhere', 0, png(3, 3))).json.code, 'LISTING_NOT_FOUND');
  const foreign = await fetch(`${service.url}/v1/sources/copied/listings/a/photos/0`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${linked.token}` },
  });
  assert.equal(foreign.status, 403);
});

test('a folder that takes no files is 503, and nothing is acknowledged', async () => {
  const photo = png(17, 17);
  const hash = hashOf(cleanPicture(photo, 'png') ?? photo);
  await writeFile(join(folder, hash.slice(0, 2)), 'no folder');
  const answer = await upload(linked, 'c', 0, photo);
  assert.deepEqual(
    [answer.status, answer.json.code, answer.headers.get('retry-after')],
    [503, 'OVERLOADED', '60'],
  );
  assert.match(answer.text, /MEDIA_DIR/);
  assert.deepEqual(await idsOf(linked, 'c'), []);
});
