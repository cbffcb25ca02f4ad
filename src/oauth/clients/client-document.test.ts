// Tests of which URLs can identify a client, and of how long its document is cached.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClientDocumentError, documentLifetime, parseClientIdUrl } from './client-document.ts';

const TAKEN = [
  'https://claude.ai/oauth/mcp-oauth-client-metadata',
  'https://chatgpt.com/oauth/x1/client.json',
  'https://a.example/b',
  'https://a.example/b/',
  'https://a.example//',
  'https://a.example/b?c=d&e',
  'https://a.example:8443/b',
  'https://a.example:1024/b',
  'https://xn--bcher-kva.example/b',
  'https://1.2.3.4.example/b',
  'https://a.example/%7Eb/..c/.d',
  'https://localhost.example/b',
];

/** Each with a word of the reason that the developer is told. */
const REFUSED: readonly (readonly [reason: string, ...texts: readonly string[]])[] = [
  [
    'begin with https',
    'http://a.example/b',
    'HTTPS://a.example/b',
    'https:/a.example/b',
    'ftp://a.example/b',
    '',
  ],
  ['begin with https', ' https://a.example/b', 'https:\\\\a.example\\b', '//a.example/b'],
  ['a path', 'https://a.example', 'https://a.example/', 'https://a.example?b', 'https://a.example/?b'],
  ['fragment', 'https://a.example/b#', 'https://a.example/b#c', 'https://a.example#/b'],
  [
    'user name',
    'https://u@a.example/b',
    'https://u:p@a.example/b',
    'https://@a.example/b',
    'https://a.example%40@b.example/',
  ],
  [
    'segments',
    'https://a.example/./b',
    'https://a.example/b/..',
    'https://a.example/b/%2e%2E/c',
    'https://a.example/.%2e',
  ],
  [
    'port',
    'https://a.example:0/b',
    'https://a.example:22/b',
    'https://a.example:80/b',
    'https://a.example:1023/b',
  ],
  ['normal form', 'https://a.example:443/b', 'https://a.example:/b', 'https://a.example:08443/b'],
  [
    'normal form',
    'https://A.example/b',
    'https://a.example/b c',
    'https://a.example/é',
    'https://a.example/b\tc',
  ],
  [
    'as browsers normalise it',
    'https://a.exampl\u00ade/b',
    'https://a\u3002example/b',
    'https://a%2eexample/b',
    'https:///a.example/b',
  ],
  ['as browsers normalise it', 'https://bücher.example/b', 'https://ａ.example/b'],
  ['normal form', 'https://a.example\\b'],
  [
    'not an address',
    'https://127.0.0.1/b',
    'https://8.8.8.8/b',
    'https://[::1]/b',
    'https://[2606:4700::1111]/b',
  ],
  ['not an address', 'https://2130706433/b', 'https://0x7f.1/b', 'https://0177.0.0.1/b', 'https://127.1/b'],
  [
    'full domain',
    'https://localhost/b',
    'https://intranet/b',
    'https://a.example./b',
    'https://a..example/b',
  ],
  [
    'full domain',
    'https://*.example/b',
    'https://a_b.example/b',
    'https://-a.example/b',
    'https://a.example-/b',
  ],
  ['full domain', `https://${'a'.repeat(64)}.example/b`, `https://${'a.'.repeat(126)}example/b`],
  [
    'public Internet',
    'https://app.localhost/b',
    'https://printer.local/b',
    'https://metadata.google.internal/b',
  ],
  ['public Internet', 'https://router.home.arpa/b', 'https://x.onion/b'],
  [
    'not a URL',
    'https://',
    'https://a.example:99999/b',
    'https://[::1/b',
    'https://a b.example/c',
    'https://256.1.1.1/b',
  ],
  ['not a URL', 'https://a.example\u0000/b', 'https://a.example%00/b', 'https://[fe80::1%25lo]/b'],
  ['2048 characters', `https://a.example/${'b'.repeat(2_048)}`],
];

test('addresses of documents are taken as they are written', () => {
  for (const text of TAKEN) assert.equal(parseClientIdUrl(text).href, text);
});

for (const [reason, ...texts] of REFUSED) {
  for (const text of texts) {
    test(`${JSON.stringify(text.slice(0, 60))} is refused: ${reason}`, () => {
      assert.throws(
        () => parseClientIdUrl(text),
        (error) =>
          error instanceof ClientDocumentError && error.kind === 'url' && error.message.includes(reason),
      );
    });
  }
}

const NOW = Date.UTC(2026, 0, 5, 12);
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

const CASES: readonly (readonly [headers: Record<string, string | string[]>, milliseconds: number])[] = [
  [{}, 10 * MINUTE],
  [{ 'cache-control': 'public' }, 10 * MINUTE],
  [{ 'cache-control': 'max-age=7200' }, 2 * HOUR],
  [{ 'cache-control': 'public, Max-Age="7200", must-revalidate' }, 2 * HOUR],
  [{ 'cache-control': 'max-age=60, s-maxage=7200' }, 2 * HOUR],
  [{ 'cache-control': ['public', 'max-age=7200'] }, 2 * HOUR],
  [{ 'cache-control': 'max-age=7200', age: '3600' }, HOUR],
  [{ 'cache-control': 'max-age=7200', age: 'old' }, 2 * HOUR],
  [{ 'cache-control': 'max-age=0' }, MINUTE],
  [{ 'cache-control': 'max-age=59' }, MINUTE],
  [{ 'cache-control': 'max-age=60', age: '9999' }, MINUTE],
  [{ 'cache-control': 'max-age=99999999999999999999' }, DAY],
  [{ 'cache-control': 'no-store, max-age=7200' }, MINUTE],
  [{ 'cache-control': 'no-cache="x"' }, MINUTE],
  [{ 'cache-control': 'private' }, MINUTE],
  [{ expires: 'Mon, 05 Jan 2026 14:00:00 GMT' }, 2 * HOUR],
  [{ expires: 'Mon, 05 Jan 2026 14:00:00 GMT', 'cache-control': 'max-age=3600' }, HOUR],
  [{ expires: '0' }, MINUTE],
  [{ expires: 'never' }, MINUTE],
  [{ expires: 'Mon, 05 Jan 2099 14:00:00 GMT' }, DAY],
];

for (const [headers, milliseconds] of CASES) {
  test(`${JSON.stringify(headers)} is ${milliseconds / MINUTE} minutes`, () => {
    assert.equal(documentLifetime(headers, NOW), milliseconds);
  });
}
