// Tests of the scope that each route of the OpenAPI document requires, on each tier.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PLANS, type Scope, type Tier } from '../../../src/access/tiers/tiers.ts';
import { consent, redeem } from '../../support/oauth/oauth.ts';
import { type Caller, type Documented, walkMatrix } from '../../support/service/access-matrix.ts';
import { startService } from '../../support/service/service.ts';

interface Operation {
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes: { readonly oauth: { readonly flows: unknown } } };
}

const service = await startService({ after });
const { clock, keys, url } = service;
const document: Document = await service.json('/openapi.json');
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { security }]) => ({
    name: `${method.toUpperCase()} ${path}`,
    path,
    security: security ?? [],
    scopes: (security ?? []).flatMap(({ oauth }) => oauth ?? []),
  })),
);

/** What the access table says, in words of its own: the first line that fits a path. */
const TABLE: readonly (readonly [path: RegExp, scope: Scope, tier: Tier])[] = [
  [/^\/v1\/listing\/.*\/record$/, 'listings:read', 'pro'],
  [/^\/v1\/listing\//, 'listings:live', 'pro'],
  [/^\/v1\/changes\b/, 'watchers', 'business'],
  [/^\/v1\/(watchers|events)\b/, 'watchers', 'free'],
  [/^\/v1\/(property|usage)\b/, 'listings:read', 'free'],
  [/^\/v1\/(search|areas|market)\b/, 'listings:read', 'anonymous'],
];

/** What programs push is no business of keys and of tokens of people. */
const isOfSource = ({ path }: { readonly path: string }) => path.startsWith('/v1/sources/');
const isForTokens = (operation: { readonly path: string }) =>
  operation.path.startsWith('/v1/') && !isOfSource(operation);

test('every route below /v1 asks tokens for the one scope that the access table gives it, and no other route for any', () => {
  const below = operations.filter(isForTokens);
  assert.ok(below.length > 20);
  for (const { name, path, scopes, security } of below) {
    const [, scope, tier] =
      TABLE.find(([paths]) => paths.test(path)) ?? assert.fail(`${name} is not in the table`);
    assert.deepEqual(scopes, [scope], name);
    const open = security.some((way) => Object.keys(way).length === 0);
    assert.equal(open, tier === 'anonymous', `${name} and callers without credentials`);
  }
  for (const { name, path, security } of operations)
    if (!path.startsWith('/v1/')) assert.deepEqual(security, [], name);
  for (const { name, security } of operations.filter(isOfSource))
    assert.deepEqual(security, [{ sourceToken: [] }], name);
});

const SCOPES: readonly Scope[] = ['listings:read', 'listings:live', 'watchers'];

/** Tokens with each scope alone, and with all but each, as far as the server grants them to the tier. */
async function tokensOf(tier: (typeof PLANS)[number]): Promise<Caller[]> {
  const requests = [
    ...SCOPES.map((scope) => [scope]),
    ...SCOPES.map((scope) => SCOPES.filter((other) => other !== scope)),
  ];
  const callers = new Map<string, Caller>();
  for (const scopes of requests) {
    const authorizationCode = await consent(service, { key: keys[tier], scope: scopes.join(' ') });
    const { body } = await redeem(service, authorizationCode);
    const granted = String(body.scope ?? '').split(' ');
    for (const scope of granted) assert.ok(scopes.includes(scope as Scope), `${scope} was not asked for`);
    callers.set(granted.toSorted().join(' '), {
      tier,
      scopes: SCOPES.filter((scope) => granted.includes(scope)),
      authorization: `Bearer ${String(body.access_token)}`,
    });
  }
  return [...callers.values()];
}

for (const tier of PLANS)
  test(`each route refuses a ${tier} token without its scope, and lets one in that has it`, async () => {
    const documented: Record<string, Documented> = {};
    for (const { name, path } of operations.filter(isForTokens)) {
      const [, scope, lowest] = TABLE.find(([paths]) => paths.test(path)) ?? assert.fail(name);
      documented[name] = { tier: lowest, scope };
    }
    const tokens = await tokensOf(tier);
    const key: Caller = { tier, scopes: null, authorization: `Bearer ${keys[tier]}` };
    const met = new Set<string>();
    await walkMatrix(documented, [key, ...tokens], async (name, { authorization }) => {
      // A minute and more between two: whoever asks has the whole of its allowance.
      clock.advance(61_000 / 30);
      const [method = '', path = ''] = name.split(' ');
      const answer = await fetch(`${url}${path.replace(/\{\w+\}/g, 'unknown')}`, {
        method,
        headers: { authorization: authorization ?? '', 'content-type': 'application/json' },
        ...(method === 'POST' && { body: '{}' }),
      });
      const code = answer.ok ? null : ((await answer.json()) as { code: string }).code;
      await answer.body?.cancel().catch(() => {});
      met.add(code ?? 'let in');
      return { status: answer.status, code, challenge: answer.headers.get('www-authenticate') };
    });
    assert.ok(met.has('INSUFFICIENT_SCOPE') && met.has('let in'), [...met].join());
    assert.equal(met.has('TIER_RESTRICTED'), tier === 'free' || tier === 'pro');
  });

test('a listing as JSON asks tokens for listings:read alone, the stream at the same address for listings:live alone', async () => {
  const tokens = await tokensOf('pro');
  for (const [accept, scope] of [
    ['application/json', 'listings:read'],
    ['text/event-stream', 'listings:live'],
  ] as const)
    await walkMatrix({ listing: { tier: 'pro', scope } }, tokens, async (_, { authorization }) => {
      clock.advance(61_000 / 30);
      const headers = { accept, authorization: authorization ?? '' };
      const answer = await fetch(`${url}/v1/listing/unknown`, { headers });
      const { code } = (await answer.json()) as { code: string };
      return { status: answer.status, code, challenge: answer.headers.get('www-authenticate') };
    });
});
