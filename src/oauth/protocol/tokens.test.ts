// Tests of the form of tokens, and of the scopes and resources that are read out of a request.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import {
  createSecret,
  deriveTokenPair,
  downscope,
  isSecret,
  parseScopes,
  resourcesAt,
  selectResources,
} from './tokens.ts';

const createNonce = () => randomBytes(32).toString('hex');

test('the same token and nonce make the same pair, and either of them another makes another', () => {
  const [token, nonce] = [createSecret('rt'), createNonce()];
  assert.deepEqual(deriveTokenPair(token, nonce), deriveTokenPair(token, nonce));
  const pairs = [
    deriveTokenPair(token, nonce),
    deriveTokenPair(createSecret('rt'), nonce),
    deriveTokenPair(token, createNonce()),
  ];
  const bodies = pairs.flatMap(({ accessToken, refreshToken }) => [
    accessToken.slice(3),
    refreshToken.slice(3),
  ]);
  assert.equal(new Set(bodies).size, 6, 'nor is one of a pair the other');
});

test('a pair has the form and the checksum of what is issued here', () => {
  const { accessToken, refreshToken } = deriveTokenPair(createSecret('rt'), createNonce());
  assert.ok(isSecret('at', accessToken));
  assert.ok(isSecret('rt', refreshToken));
});

const ALL = ['listings:read', 'listings:live', 'watchers'];

test('AZ11: unknown scopes are dropped, those of OpenID Connect ask for nothing, and nothing means all', () => {
  const cases: readonly [string | undefined, readonly string[] | null][] = [
    [undefined, ALL],
    ['', ALL],
    ['  ', ALL],
    ['openid offline_access', ALL],
    ['listings:read junk openid', ['listings:read']],
    ['watchers  listings:read watchers', ['listings:read', 'watchers']],
    ['junk', null],
    ['junk openid', null],
    ['constructor __proto__', null],
    ['LISTINGS:READ', null],
  ];
  for (const [asked, granted] of cases) assert.deepEqual(parseScopes(asked), granted, `${asked}`);
});

test('AZ10: the API and the MCP endpoint are resources, with or without a slash; nothing else is', () => {
  const base = 'https://api.example';
  const cases: readonly [readonly string[], readonly string[] | null][] = [
    [[], [base, `${base}/mcp`]],
    [[base], [base]],
    [[`${base}/`], [base]],
    [[`${base}/mcp`], [`${base}/mcp`]],
    [[`${base}/mcp/`], [`${base}/mcp`]],
    [
      [`${base}/mcp`, base, `${base}/`],
      [base, `${base}/mcp`],
    ],
    [[`${base}//`], null],
    [[`${base}/v1`], null],
    [[`${base}#x`], null],
    [[`${base}/mcp?x`], null],
    [[base, 'https://other.example'], null],
    [['/mcp'], null],
    [['HTTPS://API.EXAMPLE'], null],
  ];
  for (const [asked, read] of cases)
    assert.deepEqual(selectResources(resourcesAt(base), asked), read, asked.join());
});

test('RF10: a refresh may ask for some of the granted scopes, and not for one that was not granted', () => {
  const granted = 'listings:read watchers';
  const cases: readonly [string | undefined, string | null][] = [
    [undefined, granted],
    ['', granted],
    ['openid', granted],
    ['watchers', 'watchers'],
    ['watchers listings:read', granted],
    ['listings:live', null],
    ['watchers junk', null],
  ];
  for (const [requested, scope] of cases) assert.equal(downscope(granted, requested), scope, `${requested}`);
});
