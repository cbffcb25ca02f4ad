// Proof that answers are compressed for whoever reads that, that nothing secret is, and that caches can tell the forms apart.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { conditional, strongEtag } from '../../src/http/output/etag.ts';
import type { ServerSentEvent } from '../../src/http/output/reply.ts';
import { serveRoutes, testRoute, type Web } from '../support/service/http-server.ts';

const LARGE = 'A street, a house, a price. '.repeat(400);
const EXACTLY = 'x'.repeat(1_024 - 2);

const open = { credentials: 'none', counts: 'nothing' } as const;
async function* events(): AsyncGenerator<ServerSentEvent> {
  yield { id: '1', event: 'cached', data: LARGE };
}
async function* chunks(): AsyncGenerator<string> {
  for (let row = 0; row < 50; row++) yield `${row},${LARGE}\n`;
}

const csv = { 'content-type': 'text/csv; charset=utf-8' };
const routes = [
  testRoute({ path: '/v1/large', handle: () => ({ json: LARGE }) }),
  testRoute({ path: '/v1/edge', handle: () => ({ json: EXACTLY }) }),
  testRoute({ path: '/v1/small', handle: () => ({ json: EXACTLY.slice(1) }) }),
  testRoute({
    path: '/v1/tagged',
    handle: ({ headers }) => conditional(headers, strongEtag(LARGE), { text: LARGE }),
  }),
  testRoute({ path: '/v1/lines', accepts: ['text/csv'], handle: () => ({ chunks: chunks(), headers: csv }) }),
  testRoute({
    path: '/v1/picture',
    handle: () => ({ text: LARGE, headers: { 'content-type': 'image/png' } }),
  }),
  testRoute({
    path: '/v1/secret',
    handle: () => ({ json: LARGE, headers: { 'cache-control': 'no-store' } }),
  }),
  testRoute({
    path: '/v1/packed',
    handle: () => ({ bytes: Buffer.from(LARGE), headers: { ...csv, 'content-encoding': 'x-own' } }),
  }),
  testRoute({ path: '/oauth/anything', access: open, handle: () => ({ json: LARGE }) }),
  testRoute({
    path: '/v1/stream',
    accepts: ['text/event-stream'],
    head: false,
    handle: () => ({ events: events() }),
  }),
];

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

/** Sends the request as given, and undoes no encoding of the answer. */
function ask(web: Web, path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { port: web.port, host: '127.0.0.1', path, method, headers },
      async (response) => {
        const parts: Buffer[] = [];
        for await (const part of response) parts.push(part as Buffer);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes: Buffer.concat(parts),
        });
      },
    );
    outgoing.on('error', reject).end();
  });
}

const DECODE = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync } as const;

for (const encoding of ['br', 'zstd', 'gzip'] as const) {
  test(`an answer of 1 kB and more goes out as ${encoding} to whoever asks for it, and is the same once undone`, async (t) => {
    const web = await serveRoutes(t, routes);
    for (const path of ['/v1/large', '/v1/edge', '/v1/tagged', '/v1/lines']) {
      const plain = await ask(web, path);
      const packed = await ask(web, path, { 'accept-encoding': encoding });
      assert.equal(plain.headers['content-encoding'], undefined);
      assert.equal(packed.headers['content-encoding'], encoding, path);
      assert.equal(packed.headers['content-type'], plain.headers['content-type']);
      assert.ok(packed.bytes.length < plain.bytes.length, path);
      assert.deepEqual(DECODE[encoding](packed.bytes), plain.bytes, path);
    }
  });
}

test('which encoding it is, the weights of Accept-Encoding decide', async (t) => {
  const web = await serveRoutes(t, routes);
  const cases: readonly [string, string | undefined][] = [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, zstd', 'zstd'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['BR;q=0.1, GZIP;q=0.05', 'br'],
    ['*', 'br'],
    ['br;q=0, *', 'zstd'],
    ['br;q=0, zstd;q=0, *;q=0.5', 'gzip'],
    ['identity, gzip;q=0.5', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=nonsense', undefined],
    ['deflate, compress', undefined],
    ['identity;q=0', undefined],
    ['', undefined],
    [`${'x,'.repeat(5_000)}gzip`, undefined],
  ];
  for (const [accepted, expected] of cases) {
    const { status, headers } = await ask(web, '/v1/large', { 'accept-encoding': accepted });
    assert.deepEqual([status, headers['content-encoding']], [200, expected], accepted.slice(0, 40));
  }
});

test('nothing small, secret, packed already or OAuth, no picture and no event stream is compressed', async (t) => {
  const web = await serveRoutes(t, routes);
  const never = ['small', 'secret', 'picture', 'stream'].map((name) => `/v1/${name}`);
  for (const path of [...never, '/oauth/anything', '/v1/packed']) {
    const { status, headers, bytes } = await ask(web, path, { 'accept-encoding': 'gzip, br, zstd' });
    assert.equal(status, 200);
    assert.equal(headers['content-encoding'], path === '/v1/packed' ? 'x-own' : undefined, path);
    assert.ok(bytes.includes(path === '/v1/small' ? 'xxx' : 'A street'), path);
    assert.doesNotMatch(String(headers.vary), /encoding/i, path);
  }
});

test('Vary names Accept-Encoding in both forms, beside what else an answer varies by', async (t) => {
  const web = await serveRoutes(t, routes);
  for (const accepted of ['gzip', 'identity'])
    for (const path of ['/v1/large', '/v1/lines']) {
      const { headers } = await ask(web, path, { 'accept-encoding': accepted });
      assert.deepEqual(String(headers.vary).toLowerCase(), 'authorization, accept-encoding', path);
    }
});

test('a strong entity tag becomes a weak one where the bytes are others, and both are known again', async (t) => {
  const web = await serveRoutes(t, routes);
  const plain = await ask(web, '/v1/tagged');
  const packed = await ask(web, '/v1/tagged', { 'accept-encoding': 'gzip' });
  assert.match(String(plain.headers.etag), /^"/);
  assert.equal(packed.headers.etag, `W/${plain.headers.etag}`);
  for (const tag of [plain.headers.etag, packed.headers.etag]) {
    const known = await ask(web, '/v1/tagged', {
      'if-none-match': String(tag),
      'accept-encoding': 'gzip',
    });
    assert.equal(known.status, 304);
    assert.equal(known.bytes.length, 0);
    assert.equal(known.headers['content-encoding'], undefined);
  }
});

test('HEAD tells the encoding, the length and the tag that GET has', async (t) => {
  const web = await serveRoutes(t, routes);
  for (const path of ['/v1/large', '/v1/tagged', '/v1/lines']) {
    for (const accepted of ['br', 'identity']) {
      const headers = { 'accept-encoding': accepted };
      const [get, head] = [await ask(web, path, headers), await ask(web, path, headers, 'HEAD')];
      assert.equal(head.bytes.length, 0);
      for (const name of ['content-encoding', 'content-length', 'content-type', 'etag', 'vary'])
        assert.equal(head.headers[name], get.headers[name], `${path} ${accepted} ${name}`);
    }
  }
});

test('of an answer in chunks, each is readable before the next is made', async (t) => {
  const gate = Promise.withResolvers<void>();
  async function* slow(): AsyncGenerator<string> {
    yield 'first row\n';
    await gate.promise;
    yield 'second row\n';
  }
  const web = await serveRoutes(t, [
    testRoute({ path: '/v1/lines', accepts: ['text/csv'], handle: () => ({ chunks: slow(), headers: csv }) }),
  ]);
  const response = await web.fetch('/v1/lines', { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(response.headers.get('content-encoding'), 'gzip');
  const reader = response.body?.getReader();
  const read = async () => Buffer.from((await reader?.read())?.value ?? '').toString();
  assert.equal(await read(), 'first row\n');
  gate.resolve();
  assert.equal(await read(), 'second row\n');
  assert.equal(await read(), '');
});

test('an error between compressed chunks cuts the answer, and one before the first is a problem document', async (t) => {
  async function* broken(rows: number): AsyncGenerator<string> {
    for (let row = 0; row < rows; row++) yield LARGE;
    throw new Error('defect in the generator');
  }
  const lines = (path: string, rows: number) =>
    testRoute({ path, accepts: ['text/csv'], handle: () => ({ chunks: broken(rows), headers: csv }) });
  const web = await serveRoutes(t, [lines('/v1/late', 2), lines('/v1/early', 0)]);
  const early = await web.fetch('/v1/early');
  assert.equal(early.status, 500);
  assert.equal(early.headers.get('content-encoding'), null);
  assert.match(early.headers.get('content-type') ?? '', /^application\/problem\+json/);
  await assert.rejects(web.fetch('/v1/late').then((response) => response.text()));
  assert.equal(await web.measure('freehold_http_active'), 0);
  assert.match(web.log(), /defect in the generator/);
});
