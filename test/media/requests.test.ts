// Proves which requests for photos carry the header of a profile, and which ways of showing photos a profile refuses.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/lib/clock.ts';
import { createNetworkAccess } from '../../src/lib/network/network-access.ts';
import { createOutbound } from '../../src/lib/outbound.ts';
import { fetchPicture } from '../../src/media/pictures/fetch-picture.ts';
import { parseSourcesFile } from '../../src/sources/registry/source-settings.ts';
import { mediaModeOf, readProfile } from '../../src/sources/reso/profiles/profile.ts';
import { resoSource } from '../../src/sources/reso/transport/client.ts';
import { png, startImageHost } from '../support/media/image-host.ts';

const { signal } = new AbortController();

test('the header of a profile, with the token, goes to its hosts over https, and never where they redirect', async (t) => {
  const header = { name: 'authorization', value: 'Bearer {token}', hosts: ['media.example.com'] };
  const source = resoSource({
    id: 'a',
    name: 'A',
    profile: readProfile('standard', { media: { mode: 'copy', header } }),
    url: 'https://api.example.com/odata',
    credentials: { kind: 'bearer', token: 'secret-of-the-source' },
    outbound: createOutbound({ clock: systemClock }),
    clock: systemClock,
  });
  t.after(() => source.close());
  const headers = (url: string) => source.media?.headers(url, signal);
  assert.deepEqual(await headers('https://media.example.com/1.jpg'), {
    authorization: 'Bearer secret-of-the-source',
  });
  for (const url of [
    'http://media.example.com/1.jpg',
    'https://example.com/1.jpg',
    'https://media.example.com.evil.test/1.jpg',
    'https://evil.test/media.example.com',
  ])
    assert.deepEqual(await headers(url), {}, url);
  const [first, second] = [await startImageHost(t), await startImageHost(t)];
  first.paths.set('/1.png', (_, response) => {
    response.writeHead(302, { location: `${second.url}/1.png` }).end();
  });
  second.paths.set('/1.png', png(2, 2));
  const access = createNetworkAccess({
    clock: systemClock,
    setting: 'MEDIA_ALLOW',
    allow: [first, second].map(({ port }) => ({ network: '127.0.0.1', port })),
    ownPorts: () => [],
  });
  t.after(() => access.close());
  const options = { access, clock: systemClock, signal, headers: { authorization: 'Bearer x' } };
  assert.equal((await fetchPicture(`${first.url}/1.png`, options)).state, 'fetched');
  assert.deepEqual(
    [first.headers[0]?.authorization, second.headers[0]?.authorization],
    ['Bearer x', undefined],
  );
});

test('a way that a vendor rules out is refused where it is stated, and shows nothing where it is the default', () => {
  const parse = (media: unknown, profile: string) =>
    parseSourcesFile(
      'file',
      JSON.stringify({
        sources: [
          {
            id: 'a',
            name: 'A',
            profile,
            url: 'https://api.example.com/v2',
            originatingSystem: 'x',
            media,
            secrets: { bearerToken: 'T' },
          },
        ],
      }),
    );
  for (const mode of ['link', 'proxy']) assert.throws(() => parse(mode, 'mlsgrid'), /media: .*copy/);
  assert.throws(() => parse('copies', 'bridge'), /media/);
  assert.throws(() => parse({ mode: 'link', hotlink: false }, 'bridge'), /not permitted/);
  assert.equal(parse('copy', 'mlsgrid').length, 1);
  assert.equal(parse({ header: null, mode: 'proxy' }, 'bridge').length, 1);
  const grid = readProfile('mlsgrid', { originatingSystem: 'x' });
  assert.deepEqual(
    (['link', 'proxy', 'copy'] as const).map((general) => mediaModeOf(grid, general)),
    [null, null, 'copy'],
  );
  assert.equal(mediaModeOf(readProfile('bridge'), 'proxy'), 'proxy');
});
