// Test of every tool with every kind of caller: who may call it is what the route that it stands for says.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PLANS, type Plan, SCOPES, type Scope } from '../../src/access/tiers/tiers.ts';
import { callTool, readChallenge, send } from '../support/mcp/messages.ts';
import { signIn } from '../support/oauth/oauth.ts';
import { type Caller, type Documented, walkMatrix } from '../support/service/access-matrix.ts';
import { startService } from '../support/service/service.ts';
import { stubProvider } from '../support/service/stub-provider.ts';

const provider = stubProvider();
const service = await startService({ after }, { overrides: { provider } });

interface Row extends Documented {
  readonly scope: Scope;
  /** Method and path of the route. */
  readonly route: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const READ = { tier: 'free', scope: 'listings:read' } as const;
const WATCH = { tier: 'free', scope: 'watchers' } as const;
const WATCHER = 'wat_000000000000000000000000';
const WATCHED = { target: { type: 'listing', listingId: 'lst_x' } };

const TOOLS: Readonly<Record<string, Row>> = {
  search_rentals: { ...READ, route: 'GET /v1/search/rentals', args: {} },
  search_sales: { ...READ, route: 'GET /v1/search/sales', args: {} },
  find_areas: { ...READ, route: 'GET /v1/areas?q=x', args: { q: 'x' } },
  get_property: { ...READ, route: 'GET /v1/property/x', args: { id: 'x' } },
  get_listing_live: {
    tier: 'pro',
    scope: 'listings:live',
    route: 'GET /v1/listing/x',
    args: { id: 'x' },
  },
  get_market_stats: { ...READ, route: 'GET /v1/market/stats?areaId=x', args: { areaId: 'x' } },
  get_market_history: { ...READ, route: 'GET /v1/market/history?areaId=x', args: { areaId: 'x' } },
  compare_markets: { ...READ, route: 'GET /v1/market/compare?areaIds=x', args: { areaIds: ['x'] } },
  estimate_value: { ...READ, route: 'GET /v1/property/x/estimate', args: { id: 'x' } },
  find_comparables: { ...READ, route: 'GET /v1/property/x/comparables', args: { id: 'x' } },
  list_watchers: { ...WATCH, route: 'GET /v1/watchers', args: {} },
  create_watcher: { ...WATCH, route: 'POST /v1/watchers', args: WATCHED },
  get_watcher_events: { ...WATCH, route: `GET /v1/watchers/${WATCHER}/events`, args: { id: WATCHER } },
  pause_watcher: { ...WATCH, route: `POST /v1/watchers/${WATCHER}/pause`, args: { id: WATCHER } },
  resume_watcher: { ...WATCH, route: `POST /v1/watchers/${WATCHER}/resume`, args: { id: WATCHER } },
  delete_watcher: { ...WATCH, route: `DELETE /v1/watchers/${WATCHER}`, args: { id: WATCHER } },
  get_usage: { ...READ, route: 'GET /v1/usage', args: {} },
};

const EVERY_SCOPE = Object.keys(SCOPES) as readonly Scope[];
/** All combinations of scopes but none at all. */
const COMBINATIONS = Array.from({ length: 2 ** EVERY_SCOPE.length - 1 }, (_, bits) =>
  EVERY_SCOPE.filter((_scope, at) => ((bits + 1) >> at) & 1),
);

async function callersOf(plan: Plan): Promise<readonly Caller[]> {
  const key = provider.subscribe(plan);
  const tokens = await Promise.all(
    COMBINATIONS.map(async (scopes) => {
      const { accessToken } = await signIn(service, { key, scope: scopes.join(' ') });
      return { tier: plan, scopes, authorization: `Bearer ${accessToken}` };
    }),
  );
  return [{ tier: plan, scopes: null, authorization: `Bearer ${key}` }, ...tokens];
}

async function sendRoute(name: string, { authorization }: Caller) {
  service.clock.advance(2_000);
  const [method = '', path] = TOOLS[name]?.route.split(' ') ?? [];
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers: { authorization: authorization ?? '', 'content-type': 'application/json' },
    ...(name === 'create_watcher' && { body: JSON.stringify(WATCHED) }),
  });
  const text = await answer.text();
  const code = text === '' ? null : ((JSON.parse(text) as { code?: string }).code ?? null);
  return { status: answer.status, code, challenge: answer.headers.get('www-authenticate') };
}

const LADDER = ['free', 'pro', 'business', 'internal'];

for (const plan of PLANS) {
  test(`${plan}: each tool and its route let the same callers in, and refuse the others for the same reason`, async () => {
    const callers = await callersOf(plan);
    await walkMatrix(TOOLS, callers, sendRoute);
    for (const [name, { tier, scope, args }] of Object.entries(TOOLS)) {
      for (const { scopes, authorization } of callers) {
        service.clock.advance(2_000);
        const who = `${name} by ${plan} with [${scopes?.join(' ') ?? 'a key'}]`;
        const answer = await callTool(service, name, args, {
          headers: { authorization: authorization ?? '' },
        });
        // The scope first: it is what a client can gain, and asks for over HTTP.
        if (scopes !== null && !scopes.includes(scope)) {
          assert.deepEqual([answer.status, answer.code], [403, 'INSUFFICIENT_SCOPE'], who);
          assert.equal(readChallenge(answer).scope, scope, who);
          continue;
        }
        assert.equal(answer.status, 200, `${who}: ${answer.text}`);
        const isTierHigh = LADDER.indexOf(plan) >= LADDER.indexOf(tier);
        if (isTierHigh) assert.notEqual(answer.code, 'TIER_RESTRICTED', who);
        else assert.deepEqual([answer.result?.isError, answer.code], [true, 'TIER_RESTRICTED'], who);
        assert.ok(!['INSUFFICIENT_SCOPE', 'RATE_LIMITED'].includes(answer.code ?? ''), who);
      }
    }
  });
}

test('the table above has every tool', async () => {
  const { result } = await send(service, 'tools/list', {}, { credential: provider.subscribe('internal') });
  const tools = result?.tools as { name: string }[];
  assert.deepEqual(tools.map(({ name }) => name).toSorted(), Object.keys(TOOLS).toSorted());
});
