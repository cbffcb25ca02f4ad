// Random requests to the authorization server: authorizations, decisions, exchanges and registrations, bent in every part.

import { createSecret } from '../../../src/oauth/protocol/tokens.ts';
import type { Random } from '../check/random.ts';
import { bent, type FuzzCase, HEADERS, TEXTS } from './requests.ts';

const REDIRECT = 'http://127.0.0.1:1/cb';
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** For each parameter values that are right, nearly right, or known to break others. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  response_type: ['code', 'code', 'token', 'code token', 'none'],
  client_id: [
    'fuzz',
    'fuzz',
    'client_x',
    'https://a.invalid/c',
    'https://[::1]/c',
    'HTTPS://A/',
    'a'.repeat(201),
  ],
  redirect_uri: [
    REDIRECT,
    REDIRECT,
    REDIRECT,
    `${REDIRECT}?a=b&`,
    'http://localhost',
    'http://[::1]:65536/',
    'a:b',

    'http://127.0.0.1:1@evil/',
    'http://127.0.0.1\\@evil/',
    'javascript:alert(1)',
    'http://0x7f.1/',
    '//evil',

    'http://127.0.0.1/%0d%0aSet-Cookie:a=b',
    'http://127.0.0.1/\r\nSet-Cookie: a=b',
    'com.a:/',
    'http://evil/',
  ],
  state: ['st', 'st', '\r\nSet-Cookie: a=b', '"><script>', '\u{1f600}'.repeat(600), 'a'.repeat(2_049)],
  code_challenge: ['a'.repeat(43), 'a'.repeat(43), 'a'.repeat(42), '='.repeat(43)],
  code_challenge_method: ['S256', 'S256', 'plain', 's256'],
  scope: ['listings:read', 'openid', ' ', 'a '.repeat(2_000), 'listings:read\tx'],
  resource: ['http://127.0.0.1', 'http://127.0.0.1/mcp/', 'http://127.0.0.1#', ':', '/'],
  prompt: ['none', 'login none', 'consent'],
  response_mode: ['query', 'fragment'],
  request: ['e30.e30.'],
  request_uri: ['http://169.254.169.254/'],
  transaction: [`e30.${'a'.repeat(43)}`, '.', `${'A'.repeat(9_000)}.${'a'.repeat(43)}`],
  decision: ['free', 'free', 'key', 'deny', 'FREE'],
  api_key: ['SERVICE-00000000-0000-4000-8000-000000000000', ' service-x', 'SERVICE-'.repeat(400)],
  grant_type: ['authorization_code', 'refresh_token', 'password'],
  code: [createSecret('ac'), createSecret('at'), 'ac_'],
  code_verifier: ['a'.repeat(43), 'a'.repeat(129)],
  refresh_token: [createSecret('rt'), createSecret('ac'), 'rt_'],
  token: [createSecret('rt'), createSecret('at'), 'SERVICE-'],
  token_type_hint: ['access_token', 'x'],
  proof: [`e30.${'a'.repeat(43)}`],
  end: ['1', '-1', '9'.repeat(40)],
};

const ASKED = 'response_type client_id redirect_uri state code_challenge code_challenge_method'.split(' ');
const MORE = 'scope resource prompt response_mode request request_uri'.split(' ');

/** Paths, each with the parameters that it knows. */
const FORMS: readonly (readonly [
  method: string,
  path: string,
  usual: readonly string[],
  more: readonly string[],
])[] = [
  ['GET', '/oauth/authorize', ASKED, MORE],
  ['POST', '/oauth/authorize', [...ASKED, 'decision'], [...MORE, 'transaction', 'api_key']],
  [
    'POST',
    '/oauth/token',
    ['grant_type', 'client_id', 'code', 'code_verifier'],
    ['redirect_uri', 'resource'],
  ],
  ['POST', '/oauth/token', ['grant_type', 'client_id', 'refresh_token'], ['scope', 'resource']],
  ['POST', '/oauth/revoke', ['token', 'client_id'], ['token_type_hint']],
  ['POST', '/oauth/grants', ['api_key'], ['proof', 'end']],
  ['POST', '/oauth/register', [], []],
  ['GET', '/oauth/grants', [], ['api_key']],
  ['GET', '/.well-known/oauth-authorization-server', [], ASKED],
  ['GET', '/.well-known/oauth-protected-resource/mcp', [], ASKED],
];

const METADATA: readonly string[] = [
  `{"redirect_uris":["${REDIRECT}"]}`,
  '{"redirect_uris":["com.a:/","http://evil/"]}',
  '{"redirect_uris":{}}',

  '{"redirect_uris":[null]}',
  '{"redirect_uris":["https://a/\\ud800"],"client_name":"\\ud800"}',
  '[]',
  'null',
  `{"redirect_uris":["https://a/"],"client_name":"${'\u202e'.repeat(3_000)}","logo_uri":"https://a b"}`,
  `{"redirect_uris":["https://a/"],"__proto__":{"polluted":1},"grant_types":${'['.repeat(60)}${']'.repeat(60)}}`,
  `{"redirect_uris":[${'"https://a/",'.repeat(900)}"https://a/"]}`,
  `{"redirect_uris":["https://${'a'.repeat(15_000)}/"]}`,
];

/** Gives case after case: the same ones for the same seed. */
export function createOAuthFuzzer(random: Random): () => FuzzCase {
  return () => {
    const bytes = requestFor(random);
    return { bytes: random.chance(0.15) ? bent(bytes, random) : bytes, open: random.chance(0.01) };
  };
}

function requestFor(random: Random): Buffer {
  const [usualMethod, path, usual, more] = random.pick(FORMS);
  const method = random.chance(0.93) ? usualMethod : random.pick(['HEAD', 'PUT', 'OPTIONS', 'POST', 'GET']);
  const pairs = pairsFor(usual, more, random);
  const json = random.chance(0.15);
  const content = path === '/oauth/register' ? random.pick(METADATA) : written(pairs, json);
  const query = method === 'POST' && random.chance(0.8) ? '' : `?${written(pairs, false)}`;
  const body = method === 'POST' || random.chance(0.1) ? content : '';
  const type = path === '/oauth/register' || json ? JSON_TYPE : FORM_TYPE;
  const lines = [
    `${method} ${path}${query} HTTP/1.1`,
    'Host: fuzz',
    `X-Forwarded-For: 10.${random.below(256)}.${random.below(256)}.${random.below(256)}`,
    `Accept: ${random.pick(['*/*', 'text/html', JSON_TYPE, 'image/png'])}`,
    'Connection: close',
    ...(random.chance(0.1)
      ? [random.pick(['Origin: null', 'Sec-Fetch-Site: cross-site', 'Origin: http://evil'])]
      : []),
    ...(random.chance(0.1)
      ? [`Authorization: Basic ${random.pick(['%', 'Og==', 'ZnV6ejo=', btoa('%zz:')])}`]
      : []),
    ...(random.chance(0.1) ? [random.pick(HEADERS)] : []),
    ...(body === '' && method !== 'POST'
      ? []
      : [
          `Content-Type: ${random.chance(0.9) ? type : random.pick(['text/plain', `${type}; charset=utf-7`, ';'])}`,
          `Content-Length: ${Buffer.byteLength(body)}`,
        ]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
}

type Pairs = readonly (readonly [name: string, value: string])[];

/** Mostly a whole request; now and then something is missing, twice, or nonsense. */
function pairsFor(usual: readonly string[], more: readonly string[], random: Random): Pairs {
  const names = [
    ...usual.filter(() => random.chance(0.96)),
    ...more.filter(() => random.chance(0.12)),
    ...(random.chance(0.05) && usual.length > 0 ? [random.pick(usual)] : []),
    ...(random.chance(0.05) ? [random.pick(Object.keys(VALUES)), '__proto__'] : []),
  ];
  return names.map((name) => {
    const values = VALUES[name] ?? ['a'];
    const usualValue = values[0] ?? 'a';
    if (random.chance(0.75)) return [name, usualValue];
    return [name, random.pick(random.chance(0.7) ? values : TEXTS)];
  });
}

function written(pairs: Pairs, json: boolean): string {
  if (json) return JSON.stringify(Object.fromEntries(pairs));
  return new URLSearchParams(pairs.map((pair) => [...pair])).toString();
}
