// Proof that clients of hosts take every result: each tool called rightly and wrongly by version 1 of the official SDK, by
// version 2, by LangChain and by the Inspector.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { toolCaller } from '../support/mcp/call-tool.ts';
import { type HostCall, type HostResult, runLangChain, runSdk, SDKS } from '../support/mcp/host-clients.ts';
import { ERAS } from '../support/mcp/messages.ts';
import { connectClient } from '../support/mcp/official-client.ts';
import { clientsSkip } from '../support/process/client-packages.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after }, { source: 'sample' });
const key = service.keys.internal;
const endpoint = `${service.url}/mcp`;
const skip = clientsSkip();

const { data: homes }: { data: readonly { id: string; propertyId: string }[] } = await service.json(
  '/v1/search/sales?limit=1',
  key,
);
const [home = assert.fail('the sample has homes')] = homes;
const { data: areas }: { data: readonly { id: string }[] } = await service.json('/v1/areas?limit=2', key);
const areaId = areas.map(({ id }) => id);
const target = { type: 'search', listingType: 'rental', query: { minBedrooms: 1 } };

/** A watcher of its own for each client, since one is deleted at the end. */
async function rightCalls(): Promise<readonly HostCall[]> {
  const { structuredContent } = await toolCaller(service.url, key)('create_watcher', { target });
  const { id } = structuredContent;
  const calls: Readonly<Record<string, object>> = {
    search_rentals: { limit: 2, explain: true },
    search_sales: { limit: 2, detail: 'full' },
    find_areas: { limit: 2 },
    get_property: { id: home.propertyId },
    get_listing_live: { id: home.id },
    estimate_value: { id: home.propertyId },
    find_comparables: { id: home.propertyId },
    get_market_stats: { listingType: 'sale' },
    get_market_history: { listingType: 'sale', periods: 3 },
    compare_markets: { listingType: 'rental', areaId },
    list_watchers: {},
    create_watcher: { target },
    get_watcher_events: { id },
    pause_watcher: { id },
    resume_watcher: { id },
    delete_watcher: { id },
    get_usage: {},
  };
  return Object.entries(calls).map(([name, args]) => ({ name, arguments: args }));
}

/** Two faults each, of which a model should learn both. */
const wrong = (right: readonly HostCall[]): readonly HostCall[] =>
  right.map(({ name }) => ({ name, arguments: { nope: 1, limit_: 'x' } }));

function textOf({ content = [] }: HostResult): string {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n');
}

function assertRight(result: HostResult | undefined, what: string): void {
  assert.ok(result !== undefined && result.thrown === undefined, `${what}: ${result?.thrown}`);
  assert.notEqual(result.isError, true, `${what}: ${textOf(result)}`);
  assert.ok(textOf(result).length > 10, what);
  const types = typeof result.content === 'string' ? [] : result.content?.map(({ type }) => type);
  assert.deepEqual(
    types?.filter((type) => type !== 'text'),
    [],
    what,
  );
}

function assertWrong(text: string, what: string): void {
  assert.match(text, /nope is not known/, what);
  assert.match(text, /limit_ is not known/, what);
  assert.match(text, /code: INVALID_PARAMETER/, what);
}

for (const sdk of SDKS)
  test(`${sdk}: every tool gives its answer, and every mistake its reason`, { skip }, async () => {
    const right = await rightCalls();
    const { tools, results } = await runSdk(sdk, endpoint, key, [...right, ...wrong(right)]);
    assert.deepEqual(
      tools,
      right.map(({ name }) => name).toSorted((a, b) => tools.indexOf(a) - tools.indexOf(b)),
    );
    for (const [at, { name }] of right.entries()) {
      assertRight(results[at], name);
      const refused = results[right.length + at];
      assert.equal(refused?.isError, true, `${name}: ${refused?.thrown}`);
      assertWrong(textOf(refused), name);
    }
  });

/** Faults that the schemas allow, since LangChain refuses others itself; no call of `get_usage` has one. */
const REFUSED: readonly (readonly [tools: readonly string[], args: object, reason: RegExp])[] = [
  [['search_rentals', 'search_sales'], { minPrice: 2, maxPrice: 1 }, /minPrice is 2.*INVALID_PARAMETER/s],
  [['find_areas', 'list_watchers'], { cursor: 'x' }, /cursor.*INVALID_CURSOR/s],
  [['get_property', 'estimate_value', 'find_comparables'], { id: 'x' }, /PROPERTY_NOT_FOUND/],
  [['get_listing_live'], { id: 'x' }, /LISTING_NOT_FOUND/],
  [['get_market_stats', 'get_market_history'], { listingType: 'sale', areaId: ['x'] }, /areaId.*code: /s],
  [['compare_markets'], { listingType: 'sale', areaId: ['x', 'y'] }, /areaId.*code: /s],
  [['create_watcher'], { target: { type: 'listing', listingId: 'x' } }, /listingId.*code: /s],
  [
    ['get_watcher_events', 'pause_watcher', 'resume_watcher', 'delete_watcher'],
    { id: 'x' },
    /WATCHER_NOT_FOUND/,
  ],
];

test('LangChain: every tool gives its answer, and every mistake its reason', { skip }, async () => {
  const right = await rightCalls();
  const wrongly = REFUSED.flatMap(([names, args, reason]) =>
    names.map((name) => ({ name, arguments: args, reason })),
  );
  assert.equal(new Set(wrongly.map(({ name }) => name)).size, right.length - 1);
  const { tools, results } = await runLangChain(endpoint, key, [...right, ...wrongly]);
  assert.equal(tools.length, right.length);
  for (const [at, { name }] of right.entries()) assertRight(results[at], name);
  // The adapter throws the text of an error, and the framework hands it to the model.
  for (const [at, { name, reason }] of wrongly.entries())
    assert.match(results[right.length + at]?.thrown ?? '', reason, name);
});

for (const era of ERAS)
  test(`version 2 of the SDK, ${era}: every tool gives its answer, and every mistake its reason`, async (t) => {
    const { client } = await connectClient(t, service, { era, credential: key });
    await client.listTools();
    const right = await rightCalls();
    for (const { name, arguments: args } of right)
      assertRight((await client.callTool({ name, arguments: { ...args } })) as HostResult, name);
    for (const { name, arguments: args } of wrong(right)) {
      const refused = (await client.callTool({ name, arguments: { ...args } })) as HostResult;
      assert.equal(refused.isError, true, name);
      assertWrong(textOf(refused), name);
    }
  });
