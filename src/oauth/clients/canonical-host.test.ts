// Tests of canonical hosts, compared with how browsers parse URLs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ClientDocumentError, parseClientIdUrl } from './client-document.ts';
import { hasCanonicalHost, isRedirectUri } from './redirect-uri.ts';

const CANONICAL = [
  'a.example',
  'A.Example',
  'a-b.c_d.example',
  'localhost',
  'xn--bcher-kva.example',
  '1.2.3.4.example',
  '127.0.0.1',
  '192.0.2.1',
  '[::1]',
  '[2001:DB8::1]',
  '0x7f.example',
  '1e100.net',
  '3com.com',
];

const BENT: Readonly<Record<string, readonly string[]>> = {
  'percent signs': [
    'google.com%2eevil.com',
    '%67oogle.com',
    'a.example%2f',
    'a%00.example',
    '%E5%A0%82.example',
  ],
  'numbers of an address': [
    '0x7f000001',
    '127.1',
    '2130706433',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '127.0.1',
    '0',
    '1.1',
  ],
  'numbers in some places': ['127.0.0.01', '127.0.0.0x1', '1.2.3.08', '192.168.257', '127.0.0.1.'],
  'long forms of IPv6': [
    '[0:0:0:0:0:0:0:1]',
    '[::0001]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[::1%25lo]',
  ],
  'full-width characters': ['ｇoogle.com', '１２７.0.0.1', 'a。example', 'a．example', '①.example'],
  'letters that are mapped': [
    'ﬁ.example',
    'bücher.example',
    'faß.example',
    '\u212aelvin.example',
    'a\u00adb.example',
  ],
  'letters that are skipped': ['a\u200bb.example', 'a\u2060b.example', 'a\ufe0fb.example'],
  'tabs and line ends': ['a\t.example', '\na.example', 'a.exam\rple', ' a.example', 'a.example '],
  backslashes: ['a.example\\b', '\\a.example', 'a.example\\@b.example', 'a.example\\.b.example'],
  'dots without a label': ['a.example.', 'a..example', '.a.example', '.', '...'],
  'marks that not every reader takes for a host': [
    'a,b.example',
    "a'b.example",
    'a;b.example',
    'a$b.example',
    'a=b',
  ],
  'an authority with more in it': ['user@a.example', 'a@b@c.example', '*.example', 'a b.example', ''],
};

test('a host that browsers read as it is written is canonical, whatever its case', () => {
  for (const host of CANONICAL) {
    for (const rest of ['', '/', '/cb', ':8443/cb', '?x=1', ':443']) {
      assert.ok(hasCanonicalHost(`https://${host}${rest}`), host + rest);
    }
    assert.ok(isRedirectUri(`https://${host}/cb`), host);
  }
});

for (const [what, hosts] of Object.entries(BENT)) {
  test(`RG7, RG14: a host with ${what} is no host of a redirect or of a metadata document`, () => {
    for (const host of hosts) {
      for (const address of [`https://${host}/cb`, `https://${host}:8443/cb`, `http://${host}/cb`]) {
        if (!host.includes('\\')) assert.ok(!hasCanonicalHost(address), address);
        assert.ok(!isRedirectUri(address), address);
        assert.throws(() => parseClientIdUrl(address), ClientDocumentError, address);
      }
    }
  });
}

const PIECES = [
  'google.com',
  'evil',
  '.',
  '..',
  '%2e',
  '%',
  '%00',
  '-',
  '_',
  ':',
  ':80',
  '@',
  '/',
  '\\',
  '?',
  '[',
  ']',
  '::1',

  '127',
  '0x7f',
  '0177',
  '0',
  '256',
  '08',
  '4294967295',
  'xn--',
  'bcher-kva',
  'ü',
  'ｅ',
  '。',
  '\t',
  '\n',
  '\u00ad',
];
const text = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 7 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.webUrl({ validSchemes: ['https'] }).map((url) => url.slice('https://'.length)),
);

test('RG7: whatever a redirect is made of, browsers reach the very host that its text names', () => {
  let allowed = 0;
  const redirect = fc.property(fc.constantFrom('https://', 'http://'), text, (scheme, rest) => {
    const uri = scheme + rest;
    if (!isRedirectUri(uri)) return;
    allowed++;
    const reached = scheme + new URL(uri).hostname;
    assert.equal(uri.slice(0, reached.length).toLowerCase(), reached, uri);
    assert.match(uri.slice(reached.length), /^(?:$|[/?]|:\d*(?:$|[/?]))/, uri);
  });
  fc.assert(redirect, { numRuns: 10_000 });
  assert.ok(allowed > 500, `${allowed} were allowed`);
});

test('RG7: a name that browsers leave as it is can be the host of a redirect', () => {
  fc.assert(
    fc.property(fc.domain(), (host) => {
      if (URL.parse(`https://${host}/`)?.hostname === host)
        assert.ok(isRedirectUri(`https://${host}/cb`), host);
    }),
  );
});
