// Tests of redirect URIs: which can be registered, and which match.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isLoopback, isRedirectUri, isRegistered, parseRedirectUris } from './redirect-uri.ts';

const ALLOWED = [
  'https://app.example/cb',
  'https://app.example:8443/a/b?x=1&y',
  'https://192.0.2.1/cb',
  'https://localhost/cb',
  'http://localhost/cb',
  'http://127.0.0.1:33418/',
  'http://[::1]:8/cb?x=1',
  'http://localhost',
  'com.example.app:/cb',
  'cursor://anysphere.cursor-mcp/oauth/callback',
  'vscode://a/b',
  'claude://x',
];
const REFUSED = [
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:x',

  'about:blank',
  'mailto:a@b.example',
  'view-source:https://a.example',
  'ws://a.example',
  'ftp://a.example/x',
  'https://a.example/cb#',
  'https://a.example/#x',
  'https://user@a.example/',
  'https://a:b@a.example/',
  'https://*.example/cb',
  'https://a.example/*',
  'https://a.example/\u0000',
  'https://a.example/a b',

  'https://a.example\\@b.example/',
  'https:\\\\a.example',
  '/cb',
  'cb',
  '',
  '//a.example/cb',
  '?x',
  'https:',

  'https:a.example/cb',
  'https:/a.example/cb',
  'https:///a.example/cb',
  'https://',
  'HTTPS://a.example/cb',

  'http://a.example/cb',
  'http://localhost.a.example/cb',
  'http://127.0.0.1.a.example/',
  'http://127.1/cb',

  'http://0x7f.0.0.1/',
  'http://2130706433/',
  'http://LOCALHOST/cb',
  'http://localhost./cb',
  'http://[::]/cb',

  'http://[0:0:0:0:0:0:0:1]/cb',
  'http://[::ffff:127.0.0.1]/',
  'http://0.0.0.0/cb',
  'http://127.0.0.2/cb',

  'http://localhost:99999/cb',
  'http://localhost:8x/cb',
  'http://user@localhost/cb',
  'http://localhost@a.example/',

  'https://a.example/\u00e9',
  'https://a.example/\u202e',
  'https://a.example/?code=1',
  'https://a.example/?x&state',

  'https://a.example/?%69ss=1',
  'https://a.example/cb\n',
  ' https://a.example/cb',
  `https://a.example/${'a'.repeat(2_048)}`,
];

test('RG6: https anywhere, http on this computer, and app schemes that are known or have a dot are allowed', () => {
  for (const uri of ALLOWED) assert.ok(isRedirectUri(uri), uri);
});

test('RG7: what is dangerous, ambiguous, relative or not on this computer is refused', () => {
  for (const uri of REFUSED) {
    assert.ok(!isRedirectUri(uri), uri);
    assert.equal(typeof parseRedirectUris(['https://a.example/cb', uri]), 'string', uri);
  }
});

test('RG8: of unknown schemes the rest is kept, if there is any', () => {
  const known = 'https://a.example/cb';
  assert.deepEqual(parseRedirectUris(['myapp://cb', known, known]), [known]);
  assert.match(String(parseRedirectUris(['myapp://cb'])), /must have one of/);
});

const PAIRS: readonly [string, string, boolean][] = [
  ['https://a.example/cb', 'https://a.example/cb', true],
  ['https://a.example/cb', 'https://a.example/cb/', false],
  ['https://a.example/cb', 'https://a.example/CB', false],
  ['https://a.example/cb', 'https://a.example/cb?x=1', false],
  ['https://a.example/cb', 'https://a.example:443/cb', false],
  ['https://a.example/cb', 'https://b.a.example/cb', false],
  ['https://a.example/a%2Fb', 'https://a.example/a%2fb', false],
  ['http://localhost/cb', 'http://localhost:5000/cb', true],
  ['http://localhost:1/cb', 'http://localhost:65535/cb', true],
  ['http://localhost:1/cb', 'http://localhost/cb', true],
  ['http://localhost:1/cb', 'http://localhost:99999/cb', false],
  ['http://127.0.0.1/', 'http://127.0.0.1:33418/', true],
  ['http://127.0.0.1/', 'http://127.0.0.1:33418', false],
  ['http://127.0.0.1:1', 'http://127.0.0.1:2', true],
  ['http://[::1]/cb', 'http://[::1]:9/cb', true],
  ['http://localhost/cb', 'http://127.0.0.1/cb', false],
  ['http://127.0.0.1/cb', 'http://[::1]/cb', false],
  ['http://localhost/cb', 'https://localhost/cb', false],
  ['https://localhost:1/cb', 'https://localhost:2/cb', false],
  ['http://localhost/cb?a=1', 'http://localhost:8/cb?a=1', true],
  ['http://localhost/cb?a=1', 'http://localhost:8/cb', false],
  ['http://localhost/cb', 'http://localhost:8/cb#x', false],
  ['cursor://a/b', 'cursor://a/b', true],
  ['cursor://a:1/b', 'cursor://a:2/b', false],
];

test('AZ2: redirects are compared as texts, and only of http on this computer the port is free', () => {
  for (const [known, uri, same] of PAIRS) assert.equal(isRegistered(uri, [known]), same, `${known} ${uri}`);
});

test('AZ3: a redirect is local by the host as it is written', () => {
  for (const uri of [
    'http://localhost:1/x',
    'https://localhost/cb',
    'https://127.0.0.1:8443/',
    'http://[::1]',
  ]) {
    assert.ok(isLoopback(uri), uri);
  }
  for (const uri of [
    ...REFUSED,
    'https://a.example/cb',
    'https://localhost.example/',
    'cursor://localhost/',
  ]) {
    assert.ok(!isLoopback(uri), uri);
  }
});

test('whatever is called local leads to this computer, also for parsers of the web', () => {
  const part = fc.constantFrom(
    'http',
    'https',
    ':',
    '/',
    '//',
    '@',
    'localhost',
    '127.0.0.1',
    '[::1]',
    '.',
    'a.example',
    '?',
    '\\',
    '%',
    ':80',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
      const uri = parts.join('');
      if (!isLoopback(uri)) return;
      assert.ok(['localhost', '127.0.0.1', '[::1]'].includes(new URL(uri).hostname), uri);
    }),
    { numRuns: 5_000 },
  );
});
