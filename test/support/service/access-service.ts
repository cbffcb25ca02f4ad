// Small service for tests of access: real phases, real limits, and routes that do nothing.

import assert from 'node:assert/strict';
import { createAccess } from '../../../src/access/access.ts';
import type { CredentialVerifier } from '../../../src/access/keys/key-verifier.ts';
import { createFeedLimit } from '../../../src/access/limits/stream-limit.ts';
import { createLocalSubscriptions } from '../../../src/access/providers/subscription-store.ts';
import { accessRoutes } from '../../../src/access/routes.ts';
import { EVERYTHING } from '../../../src/access/tiers/reach.ts';
import { isPlan, type Plan, type Principal, type Scope, TIERS } from '../../../src/access/tiers/tiers.ts';
import { type Access, type Route, route } from '../../../src/http/frame/route.ts';
import { createServer, type ServerOptions, type WebServer } from '../../../src/http/server/server.ts';
import { createLog } from '../../../src/lib/log.ts';
import { createMetrics } from '../../../src/lib/metrics.ts';
import { Problem } from '../../../src/lib/problem.ts';
import { until } from '../check/until.ts';
import type { Closing, TestDatabase } from '../database/database.ts';
import { manualClock } from './clock.ts';

/** Judges tokens of these tests, such as `test/free/watchers`: a tier and what was granted. */
const testTokens: CredentialVerifier = {
  matches: (credential) => credential.startsWith('test/'),
  verify(credential): Principal {
    const [, tier = '', ...scopes] = credential.split('/');
    if (!isPlan(tier)) throw new Problem('EXPIRED_TOKEN', 'The access token has expired.');
    const account = `sub:${credential}`;
    const common = { kind: 'token', tier, account, subscription: account } as const;
    return { ...common, owner: account, grant: '1', scopes: new Set(scopes as Scope[]), reach: EVERYTHING };
  },
};

export function testRoute(
  path: string,
  access: Access,
  handle: Route<Principal>['handle'] = () => ({ json: {} }),
) {
  const documentation = { operation: path.replaceAll(/\W/g, ''), tag: 'Test', summary: 'A route of a test.' };
  return route<Principal>()({
    ...documentation,
    method: 'GET',
    path,
    access,
    answer: { description: 'Whatever the test wants.' },
    handle,
  });
}

const OPEN: Access = { credentials: 'optional', scope: 'listings:read', counts: 'month' };
const PRO: Access = {
  credentials: 'required',
  tier: 'pro',
  scope: 'listings:live',
  counts: 'month',
  stream: true,
};

/** Server of these routes, which logs nothing and has nothing to check. */
export function createAccessServer(
  options: Pick<ServerOptions<Principal>, 'routes' | 'clock' | 'phases' | 'trustedProxies'>,
): WebServer {
  return createServer<Principal>({
    ...options,
    publicUrl: 'https://api.example',
    log: createLog({ level: 'silent' }),
    metrics: createMetrics(),
    health: { checks: [], metricsAccess: { allow: [], token: null } },
    describe: { title: 'Test', version: '1', tags: { Test: '.', Account: '.', Health: '.', Service: '.' } },
  });
}

/** A service with one route of each kind of access; the database is emptied of counts when the test ends. */
export async function serveAccess(
  { database, name }: TestDatabase,
  t: Closing,
  trustedProxies: readonly string[] = [],
) {
  const countWatchers = async () => 0;
  const clock = manualClock();
  const subscriptions = createLocalSubscriptions(database, clock);
  const report = (error: unknown) => assert.fail(String(error));
  const access = createAccess({
    database,
    clock,
    report,
    tiers: TIERS,
    provider: subscriptions.provider,
    verifiers: [testTokens],
  });
  const routes = [
    ...accessRoutes({
      rateLimiter: access.rateLimiter,
      feeds: createFeedLimit(TIERS),
      countWatchers,
      findOwnerPlan: async () => null,
    }),
    testRoute('/v1/open', OPEN),
    testRoute('/v1/missing', OPEN, () => {
      throw new Problem('NOT_FOUND', 'There is nothing here.');
    }),
    testRoute('/v1/any', { credentials: 'required', scope: 'listings:read', counts: 'month' }),
    testRoute('/v1/stream', PRO),
    testRoute('/v1/watch', { credentials: 'required', scope: 'watchers', counts: 'month' }),
    testRoute('/v1/export', { ...OPEN, credentials: 'required', tier: 'business' }),
    testRoute('/free', { credentials: 'none', counts: 'nothing' }),
  ];
  const server = createAccessServer({ routes, clock, trustedProxies, phases: access.phases });
  const port = await server.listen('127.0.0.1', 0);
  await until('the service listens for changes', async () => {
    const listening = await database.read(
      (sql) => sql`select from pg_stat_activity where datname = ${name} and query ilike 'listen%'`,
    );
    return listening.length > 0;
  });
  t.after(async () => {
    await server.close();
    await access.close();
    await database.write((sql) => sql`delete from monthly_usage`);
  });
  async function get(
    path: string,
    authorization: string | null = null,
    headers: Record<string, string> = {},
  ) {
    const all = authorization === null ? headers : { ...headers, authorization };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: all });
    const body = (await response.json()) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, body, code: body.code ?? null };
  }
  const bearer = async (plan: Plan) => `Bearer ${(await subscriptions.create({ plan })).key}`;
  return { clock, access, get, bearer };
}

/** Requests left in the minute and the month, as an answer tells them. */
export function left(headers: Headers): string {
  return [...(headers.get('ratelimit') ?? '').matchAll(/"(\w+)";r=(\d+)/g)]
    .map(([, name, r]) => `${name} ${r}`)
    .join(', ');
}
