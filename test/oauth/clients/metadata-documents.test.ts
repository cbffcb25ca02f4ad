// Tests of client documents: required content and response, and which URLs are never fetched.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { testDatabase } from '../../support/database/database.ts';
import { createFixture, JSON_TYPE, REDIRECTS, reply, serve } from '../../support/oauth/client-documents.ts';
import type { Handler } from '../../support/oauth/document-hosts.ts';

const { database } = await testDatabase({ after });

test('RG14: a document in order is a client: its name, its redirect URIs, its address as id', async (t) => {
  const fixture = await createFixture(t, database);
  const id = serve(fixture, '/oauth/client.json', { logo_uri: 'http://169.254.169.254/', contacts: ['x'] });
  const client = await fixture.findDocument(id, '192.0.2.1');
  assert.deepEqual(client, { kind: 'document', id, name: 'Good', redirectUris: REDIRECTS });
  assert.deepEqual(fixture.hosts.hits, ['client.example/oauth/client.json'], 'and nothing else is fetched');
});

/** What each document changes, or how it is answered. */
const FIXTURES: readonly (readonly [what: string, expected: string, change: object])[] = [
  ['another address as client_id', 'document', { client_id: 'https://client.example/other.json' }],
  ['no client_id', 'document', { client_id: undefined }],
  ['its own address as a list', 'document', { client_id: ['https://client.example/'] }],
  ['a client_secret', 'document', { client_secret: 'x' }],
  ['an empty client_secret', 'document', { client_secret: null }],
  ['a client_secret_expires_at', 'document', { client_secret_expires_at: 0 }],
  ['client_secret_basic', 'document', { token_endpoint_auth_method: 'client_secret_basic' }],
  ['client_secret_post', 'document', { token_endpoint_auth_method: 'client_secret_post' }],
  [
    'client_secret_jwt, though none would do',
    'document',
    { token_endpoint_auth_method: 'client_secret_jwt', token_endpoint_auth_methods_supported: ['none'] },
  ],
  ['private_key_jwt alone', 'document', { token_endpoint_auth_method: 'private_key_jwt' }],
  ['a method that is none', 'document', { token_endpoint_auth_method: 7 }],
  ['no redirect URIs', 'document', { redirect_uris: undefined }],
  ['an empty list of redirect URIs', 'document', { redirect_uris: [] }],
  [
    'a dangerous redirect URI',
    'document',
    { redirect_uris: ['https://a.example/cb', 'javascript:alert(1)'] },
  ],
  [
    'a host that browsers read as another',
    'document',
    { redirect_uris: ['https://google.com%2eevil.com/cb'] },
  ],
  ['an address as one number', 'document', { redirect_uris: ['https://2130706433/cb'] }],
  ['a redirect URI of plain http', 'document', { redirect_uris: ['http://a.example/cb'] }],
  ['a redirect URI with a fragment', 'document', { redirect_uris: ['https://a.example/cb#x'] }],
  ['no name', '-', { client_name: undefined }],
  ['a name of nothing visible', '-', { client_name: '\u202e\u200b \u0000' }],
  ['a name that is no text', '-', { client_name: { en: 'x' } }],
  ['a name that turns the text around', 'Bank of gnp.exe', { client_name: 'Bank\n of \u202egnp.exe' }],
  ['redirect URIs of unknown apps among others', 'Good', { redirect_uris: [...REDIRECTS, 'someapp:/cb'] }],
];
for (const [what, expected, change] of FIXTURES) {
  test(`RG14: a document with ${what}: ${expected}`, async (t) => {
    const fixture = await createFixture(t, database);
    assert.equal(await fixture.find(serve(fixture, '/client.json', change)), expected);
  });
}

const sized = (id: string, bytes: number) => {
  const text = JSON.stringify({ client_id: id, client_name: 'Good', redirect_uris: REDIRECTS, filler: '' });
  return text.replace('"filler":""', `"filler":"${'x'.repeat(bytes - text.length)}"`);
};

const ANSWERS: readonly (readonly [what: string, expected: string, (id: string) => Handler])[] = [
  ['5 KB exactly', 'Good', (id) => reply(200, JSON_TYPE, sized(id, 5_120))],
  ['5 KB and a byte', 'unreachable', (id) => reply(200, JSON_TYPE, sized(id, 5_121))],
  [
    'a bomb of gzip',
    'unreachable',
    () => reply(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(50_000_000, 32))),
  ],
  [
    'a type of JSON of its own',
    'Good',
    (id) => reply(200, { 'content-type': 'Application/cimd+JSON; charset=utf-8' }, sized(id, 300)),
  ],
  ['HTML', 'answer', (id) => reply(200, { 'content-type': 'text/html' }, sized(id, 300))],
  ['no type', 'answer', (id) => reply(200, {}, sized(id, 300))],
  ['a redirect to a good one', 'answer', () => reply(302, { location: '/good.json' })],
  ['a permanent redirect', 'answer', () => reply(308, { location: '/good.json' })],
  ['201', 'answer', (id) => reply(201, JSON_TYPE, sized(id, 300))],
  ['404', 'answer', (id) => reply(404, JSON_TYPE, sized(id, 300))],
  ['500', 'answer', (id) => reply(500, JSON_TYPE, sized(id, 300))],
  ['no JSON', 'answer', () => reply(200, JSON_TYPE, '{"client_id":')],
  ['a list', 'answer', () => reply(200, JSON_TYPE, '[]')],
  ['null', 'answer', () => reply(200, JSON_TYPE, 'null')],
  [
    'bytes that are not UTF-8',
    'answer',
    (id) => reply(200, JSON_TYPE, Buffer.from(sized(id, 300).replace('Good', 'G\u00e9'), 'latin1')),
  ],
];
for (const [what, expected, answer] of ANSWERS) {
  test(`RG14: an answer that is ${what}: ${expected}`, async (t) => {
    const fixture = await createFixture(t, database);
    serve(fixture, '/good.json');
    const id = fixture.hosts.put('/client.json', answer(fixture.hosts.url('/client.json')));
    assert.equal(await fixture.find(id), expected);
    assert.deepEqual(fixture.hosts.hits, ['client.example/client.json'], 'redirects are not followed');
  });
}

test('RG14: an answer that does not come, or drips, is given five seconds', async (t) => {
  const fixture = await createFixture(t, database);
  for (const path of ['/silent.json', '/drip.json']) {
    const arrived = Promise.withResolvers<void>();
    const id = fixture.hosts.put(path, (_request, response) => {
      if (path === '/drip.json') response.writeHead(200, JSON_TYPE).write('{');
      arrived.resolve();
    });
    const found = fixture.find(id);
    await arrived.promise;
    fixture.clock.advance(5_000);
    assert.equal(await found, 'unreachable');
  }
});

test('RG14: a host whose certificate is not for it, or who is not there, is told as that', async (t) => {
  const fixture = await createFixture(t, database);
  const reasonOf = (url: string) =>
    fixture.findDocument(url, '192.0.2.1').then(
      () => 'found',
      (error: Error) => error.message,
    );
  fixture.hosts.answers.set('inside.example', ['10.0.0.1']);
  fixture.hosts.answers.set('nowhere.example', []);
  const inside = await reasonOf(fixture.hosts.url('/client.json', 'inside.example'));
  const nowhere = await reasonOf(fixture.hosts.url('/client.json', 'nowhere.example'));
  assert.match(inside, /has no address on the public Internet/);
  assert.equal(
    inside.replace('inside', 'nowhere'),
    nowhere,
    'names of private networks cannot be sounded out',
  );
  assert.match(await reasonOf('https://client.example:1024/client.json'), /accepts no connection/);
});

const PUBLIC_ANYWAY: readonly (readonly [what: string, change: object])[] = [
  [
    'private_key_jwt where none is among those supported',
    {
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      jwks_uri: 'http://127.0.0.1/jwks',
    },
  ],
  ['none', { token_endpoint_auth_method: 'none' }],
  [
    'grant types that are unknown here',
    { grant_types: ['authorization_code', 'urn:x:jwt-bearer', 'refresh_token'] },
  ],
  [
    'members that nobody knows',
    { redirect_uris: ['http://localhost/callback'], __proto__x: { a: 1 }, scope: 7 },
  ],
];
for (const [what, change] of PUBLIC_ANYWAY) {
  test(`RG16: a document with ${what} is a public client`, async (t) => {
    const fixture = await createFixture(t, database);
    assert.equal(await fixture.find(serve(fixture, '/client.json', change)), 'Good');
    assert.equal(fixture.hosts.hits.length, 1);
  });
}
