// Tests of the token endpoint: OAuth 2.1, with single-use codes that expire soon. TK1 to TK11.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertEvery } from '../../support/check/every.ts';
import {
  call,
  codeFields,
  consent,
  type JsonResponse,
  newVerifier,
  parseSession,
  postForm,
  redeem,
  refresh,
  signIn,
  statusOf,
} from '../../support/oauth/oauth.ts';
import { startService } from '../../support/service/service.ts';

const service = await startService({ after });
const { clock, keys } = service;
/** An address has 600 requests a minute. */
const rest = () => clock.advance(60_000);

function refused({ status, body }: JsonResponse): unknown {
  return status === 200 ? 200 : `${status} ${String(body.error)}`;
}

test('TK1: only forms by POST are taken, and the query is not looked at', async () => {
  const authorizationCode = await consent(service);
  const fields = codeFields(authorizationCode);
  const json = await fetch(`${service.url}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  });
  assert.equal(json.status, 400);
  assert.equal(((await json.json()) as Record<string, unknown>).error, 'invalid_request');
  const query = new URLSearchParams(fields);
  const get = await fetch(`${service.url}/oauth/token?${query}`);
  assert.deepEqual([get.status, get.headers.get('allow')], [405, 'POST, OPTIONS']);
  assert.equal(refused(await postForm(service, `/oauth/token?${query}`, {})), '400 invalid_request');
  const type = 'application/x-www-form-urlencoded; charset=UTF-8';
  const answer = await postForm(service, '/oauth/token?grant_type=password&x=1&x=2', fields, {
    'content-type': type,
  });
  assert.equal(answer.status, 200);
});

test('TK2: the answer has a token of each kind, numbers as numbers, always the scope, and is stored nowhere', async () => {
  const { status, headers, body } = await redeem(service, await consent(service, { key: keys.pro }));
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).toSorted(), [
    'access_token',
    'expires_in',
    'refresh_token',
    'scope',
    'token_type',
  ]);
  assert.match(String(body.access_token), /^at_[\w-]{49}$/);
  assert.match(String(body.refresh_token), /^rt_[\w-]{49}$/);
  assert.deepEqual([body.token_type, body.expires_in], ['Bearer', 3_600]);
  assert.equal(body.scope, 'listings:read listings:live watchers');
  assert.match(headers.get('content-type') ?? '', /^application\/json/);
  assert.deepEqual([headers.get('cache-control'), headers.get('pragma')], ['no-store', 'no-cache']);
  assert.equal(await statusOf(service, String(body.access_token)), 200);
});

type Pairs = readonly (readonly [string, string])[];
const MALFORMED: readonly (readonly [string, Pairs, string])[] = [
  ['nothing', [], 'invalid_request'],
  ['no grant_type', [['client_id', 'x']], 'invalid_request'],
  ['an empty grant_type', [['grant_type', '']], 'invalid_request'],
  ...['password', 'implicit', 'client_credentials', 'urn:ietf:params:oauth:grant-type:jwt-bearer'].map(
    (name) => [name, [['grant_type', name]], 'unsupported_grant_type'] as const,
  ),
  ['a code that is missing', [['grant_type', 'authorization_code']], 'invalid_request'],
  ['a refresh token that is missing', [['grant_type', 'refresh_token']], 'invalid_request'],
  ...(['code', 'grant_type', 'client_id', 'refresh_token'] as const).map(
    (name) =>
      [
        `${name} twice`,
        [
          ['grant_type', 'refresh_token'],
          [name, 'a'],
          [name, 'b'],
        ],
        'invalid_request',
      ] as const,
  ),
];

for (const [what, fields, error] of MALFORMED) {
  test(`TK3, TK4: ${what} is ${error}, as a document of OAuth`, async () => {
    const named = fields.some(([name]) => name === 'client_id')
      ? fields
      : [...fields, ['client_id', 'x'] as const];
    const { status, headers, body } = await postForm(service, '/oauth/token', named);
    assert.deepEqual([status, body.error], [400, error]);
    assert.match(String(body.error_description), /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
    assert.equal(headers.get('cache-control'), 'no-store');
    for (const member of ['type', 'title', 'code', 'detail']) assert.ok(!(member in body), member);
  });
}

test('TK5: without a verifier the request is malformed; a wrong one is no proof', async () => {
  const authorizationCode = await consent(service);
  const right = authorizationCode.verifier;
  const attempt = (verifier: string | undefined) =>
    redeem(service, authorizationCode, { code_verifier: verifier });
  assert.equal(refused(await attempt(undefined)), '400 invalid_request');
  for (const wrong of [
    right.slice(1),
    'a'.repeat(42),
    'a'.repeat(129),
    `${right}+`,
    newVerifier(),
    `${right} `,
  ])
    assert.equal(refused(await attempt(wrong)), '400 invalid_grant', wrong);
  assert.equal(refused(await attempt(right)), 200);
});

test('TK6: what is shown wrongly neither burns the code nor ends anything', async () => {
  const authorizationCode = await consent(service);
  const { code } = authorizationCode;
  const wrongs: [Record<string, string>, string][] = [
    [{ code: `${code.slice(0, -1)}_` }, 'invalid_grant'],
    [{ code: code.replace(/^ac/, 'rt') }, 'invalid_grant'],
    [{ client_id: 'another-app' }, 'invalid_grant'],
    [{ redirect_uri: 'http://127.0.0.1:4321/callback/' }, 'invalid_grant'],
    [{ resource: 'https://elsewhere.example' }, 'invalid_target'],
    [{ code_verifier: newVerifier() }, 'invalid_grant'],
  ];
  for (const [wrong, error] of wrongs)
    assert.equal(
      refused(await redeem(service, authorizationCode, wrong)),
      `400 ${error}`,
      JSON.stringify(wrong),
    );
  const session = parseSession(await redeem(service, authorizationCode), authorizationCode.clientId);
  assert.equal(await statusOf(service, session.accessToken), 200);
  for (const [wrong] of wrongs) await redeem(service, authorizationCode, wrong);
  assert.equal(await statusOf(service, session.accessToken), 200, 'nor after its use');
});

test('TK6, R11: a code is good for five minutes, and not a moment longer', async () => {
  const [early, late] = [await consent(service), await consent(service)];
  clock.advance(299_900);
  assert.equal(refused(await redeem(service, early)), 200);
  clock.advance(200);
  assert.equal(refused(await redeem(service, late)), '400 invalid_grant');
});

test('TK6: the redirect may be left out, as OAuth 2.1 has it', async () => {
  assert.equal(refused(await redeem(service, await consent(service), { redirect_uri: undefined })), 200);
});

test('TK7: the second use of a code ends all that came of the first, also after the code has expired', async () => {
  for (const wait of [0, 3_000_000]) {
    const authorizationCode = await consent(service, { key: keys.pro });
    const first = parseSession(await redeem(service, authorizationCode), authorizationCode.clientId);
    const next = parseSession(await refresh(service, first), authorizationCode.clientId);
    clock.advance(wait);
    for (const { accessToken } of [first, next]) assert.equal(await statusOf(service, accessToken), 200);
    assert.equal(refused(await redeem(service, authorizationCode)), '400 invalid_grant');
    for (const { accessToken } of [first, next])
      assert.equal(await statusOf(service, accessToken), 'INVALID_TOKEN');
    assert.equal(refused(await refresh(service, next)), '400 invalid_grant');
  }
});

test('TK8: of twenty redemptions at once one succeeds, and the family ends', async () => {
  rest();
  const authorizationCode = await consent(service);
  const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(service, authorizationCode)));
  const winners = answers.filter(({ status }) => status === 200);
  assert.equal(winners.length, 1);
  assertEvery(answers, (answer) => [200, '400 invalid_grant'].includes(refused(answer) as string));
  assert.equal(await statusOf(service, String(winners[0]?.body.access_token)), 'INVALID_TOKEN');
});

test('TK9: a token can be narrowed to one resource, and to none that was not granted', async () => {
  const both = await consent(service);
  assert.equal(refused(await redeem(service, both, { resource: `${service.url}/mcp/` })), 200);
  const [api, mcp] = [service.url, `${service.url}/mcp`];
  const one = await consent(service, { resources: [api] });
  assert.equal(refused(await redeem(service, one, { resource: mcp })), '400 invalid_target');
  const fields = Object.entries(codeFields(one));
  const two = await postForm(service, '/oauth/token', [...fields, ['resource', api], ['resource', mcp]]);
  assert.equal(refused(two), '400 invalid_target');
  const { body } = await postForm(service, '/oauth/token', [...fields, ['resource', `${api}/`]]);
  assert.equal(await statusOf(service, String(body.access_token)), 200);
});

test('TK10: the client names itself; another one is refused, and registers anew only when it is truly gone', async () => {
  const authorizationCode = await consent(service);
  const as = (client_id: string | undefined) => redeem(service, authorizationCode, { client_id });
  assert.equal(refused(await as(undefined)), '400 invalid_request');
  for (const other of ['another-app', `client_${newVerifier()}`, 'x'.repeat(2_000)])
    assert.equal(refused(await as(other)), '400 invalid_grant');
  assert.equal(refused(await as(authorizationCode.clientId)), 200);
});

test('TK11: secrets of public clients are not looked at, but Basic must name the same client', async () => {
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
  const send = async (
    authorization: Record<string, string>,
    changes: Record<string, string | undefined> = {},
  ) => {
    const fields = { ...codeFields(await consent(service)), ...changes };
    return postForm(service, '/oauth/token', fields, authorization);
  };
  assert.equal(refused(await send({}, { client_secret: 'anything' })), 200);
  assert.equal(refused(await send(basic('desktop-app:'))), 200);
  assert.equal(refused(await send(basic('desktop%2Dapp:secret'), { client_id: undefined })), 200);
  const hidden = await send(basic('app%00:'), { client_id: undefined });
  assert.equal(refused(hidden), '401 invalid_client', 'no id has a NUL in it');
  for (const other of [basic('another-app:'), basic('nonsense'), basic(':')]) {
    const answer = await send(other);
    assert.equal(refused(answer), '401 invalid_client');
    const metadata = `Bearer resource_metadata="${service.url}/.well-known/oauth-protected-resource"`;
    assert.equal(answer.headers.get('www-authenticate'), `${metadata}, Basic realm="Freehold"`);
  }
});

test('RL1, RL2: an address has 600 requests a minute, a grant 120, and who waits loses nothing', async () => {
  rest();
  const session = await signIn(service);
  const answers: JsonResponse[] = [];
  for (let count = 0; count < 121; count++)
    answers.push(await refresh(service, session, { scope: 'nonsense' }));
  const last = answers.pop();
  assertEvery(answers, (answer) => refused(answer) === '400 invalid_scope');
  assert.equal(last && refused(last), '429 temporarily_unavailable');
  assert.match(last?.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
  assert.equal(refused(await redeem(service, await consent(service))), 200, 'other grants go on');
  const flood = await Promise.all(
    Array.from({ length: 500 }, () => postForm(service, '/oauth/token', { grant_type: 'x' })),
  );
  assert.equal(flood.filter(({ status }) => status === 429).length, 500 - (600 - 123));
  assert.equal((await call(service, session.accessToken)).status, 200);
  rest();
  assert.equal(refused(await refresh(service, session)), 200);
});
