// Proof of which scopes and resources are read out of a request.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { downscope, parseScopes, resourcesAt, selectResources } from './scope.ts';

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
