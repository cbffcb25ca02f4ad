// Guarantees about the files that browsers load: only what pages import, complete, and immutable under their URLs.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Assets } from '../../src/explore/assets/assets.ts';
import { ENTRIES, type EntryName } from '../../src/explore/assets/entries.ts';
import { ownModule, readGraph } from '../../src/explore/assets/module-graph.ts';
import { assetPolicy } from '../../src/explore/assets/policy.ts';
import { assetRoute } from '../../src/explore/assets/routes.ts';
import { serveRoutes } from '../support/service/http-server.ts';

const assets = new Assets();
const { port } = await serveRoutes({ after }, [assetRoute<string>(assets)]);
const base = `http://127.0.0.1:${port}`;
const NAMES = Object.keys(ENTRIES) as EntryName[];

/** Statements of import in JavaScript as it is served, written differently than the service reads them. */
const IMPORTED = /\b(?:from|import)\s*\(?\s*(["'])((?:\.{1,2}\/|[a-z@])[^"'\s]*\.(?:m?js|ts))\1/g;

interface RawAnswer {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Sends the headers as given, and undoes no encoding of the answer. */
function rawGet(url: string, headers: Record<string, string>): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, async (answer) => {
      resolve({ headers: answer.headers, body: Buffer.concat(await answer.toArray()) });
    })
      .on('error', reject)
      .end();
  });
}

test('everything that an entry module imports, directly or not, is served at the URL that the import names', async () => {
  const pending = NAMES.map((name) => `${base}/${assets.url(name)}`);
  const seen = new Set<string>();
  for (let url = pending.pop(); url !== undefined; url = pending.pop()) {
    if (seen.has(url)) continue;
    seen.add(url);
    const answer = await fetch(url);
    assert.equal(answer.status, 200, url);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/javascript/);
    assert.match(answer.headers.get('cache-control') ?? '', /immutable/);
    const text = await answer.text();
    for (const [, , specifier = ''] of text.matchAll(IMPORTED)) {
      assert.match(specifier, /^\.{1,2}\//, `${url} imports ${specifier}, which a browser cannot resolve`);
      pending.push(new URL(specifier, url).href);
    }
  }
  for (const name of NAMES)
    for (const preload of assets.script(name).preloads) assert.ok(seen.has(`${base}/${preload}`), preload);
});

test('files that no entry module imports are not served, nor is anything under another hash', async () => {
  const url = `${base}/${assets.url('map')}`;
  const folder = url.slice(0, url.indexOf('/explore/browser'));
  for (const other of [
    `${folder}/main.ts`,
    `${folder}/lib/secrets.ts`,
    `${folder}/../../../package.json`,
    `${folder}/%2e%2e/config.ts`,
    url.replace(/freehold-\w+/, 'freehold-000000000000'),
    `${base}/explore/assets/`,
  ])
    assert.equal((await fetch(other)).status, 404, other);
});

test('the body is compressed once by what the client accepts, and the same text in each form', async () => {
  const url = `${base}/${assets.url('map')}`;
  const plain = await rawGet(url, {});
  const br = await rawGet(url, { 'accept-encoding': 'br' });
  const gzip = await rawGet(url, { 'accept-encoding': 'gzip' });
  assert.equal(br.headers['content-encoding'], 'br');
  assert.equal(gzip.headers['content-encoding'], 'gzip');
  assert.match(String(plain.headers.vary), /accept-encoding/);
  assert.equal(brotliDecompressSync(br.body).toString(), plain.body.toString());
  assert.equal(gunzipSync(gzip.body).toString(), plain.body.toString());
});

test('an import of what browsers cannot load is found when the modules are read', () => {
  assert.throws(() => readGraph([ownModule('explore/assets/routes')]), /which browsers cannot load/);
});

test('the policy runs no text as code, and names each stylesheet by its hash', () => {
  const policy = assetPolicy({ styles: ['a{}', 'b{}'], pictures: ['https://photos.example'] });
  assert.match(policy, /script-src 'self';/);
  assert.match(policy, /style-src 'sha256-\S+ 'sha256-\S+;/);
  assert.match(policy, /img-src 'self' data: blob: https:\/\/photos\.example;/);
  assert.match(policy, /require-trusted-types-for 'script'/);
  assert.doesNotMatch(policy, /unsafe/);
});
