// Owns the proof which scopes and resources are read out of a request.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readResources } from './resource.ts';
import { readScopes } from './scope.ts';

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
  for (const [asked, granted] of cases) assert.deepEqual(readScopes(asked), granted, `${asked}`);
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
  for (const [asked, read] of cases) assert.deepEqual(readResources(asked, base), read, asked.join());
});
