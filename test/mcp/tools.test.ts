// Tests of the MCP tools: what they give, how much of it, and what they refuse.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { TOOL_TABLE } from '../../src/mcp/tools/tool-table.ts';
import { codeOf, faultsOf, listTools, textOf, toolCaller } from '../support/mcp/call-tool.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after }, { source: 'sample' });
const { url, keys } = service;
const call = toolCaller(url, keys.internal);

interface Home {
  readonly id: string;
  readonly price: number;
  readonly propertyId: string;
  readonly description?: string;
  readonly address: { readonly city: string };
}

const homesOf = ({ structuredContent }: Awaited<ReturnType<typeof call>>) =>
  structuredContent.data as readonly Home[];

test('a search finds what its REST twin finds, ten short records of it, with links, and says what was left out', async () => {
  const { data, total } = (await service.json(
    '/v1/search/rentals?limit=10&minBedrooms=2',
    keys.internal,
  )) as { data: Home[]; total: { value: number } };
  const result = await call('search_rentals', { minBedrooms: 2 });
  const rows = homesOf(result);
  assert.equal(rows.length, 10);
  assert.deepEqual(
    rows.map(({ id, price }) => [id, price]),
    data.map(({ id, price }) => [id, price]),
  );
  assert.deepEqual(result.structuredContent.total, total);
  assert.deepEqual(
    rows.map(({ description }) => description),
    Array(10).fill(undefined),
  );
  assert.deepEqual(
    result.structuredContent.links,
    data.map(({ id }) => `listing://${id}`),
  );
  for (const { id } of data) assert.ok(textOf(result).includes(`listing://${id}`), id);
  assert.match(textOf(result), new RegExp(`${total.value} homes for rent found; 10 shown`));
  assert.match(textOf(result), /send detail "full"/);
  assert.match(textOf(result), /cursor "[\w-]{20,}"/);
});

/** Not every home has comparable ones near by, and which have depends on the day. */
async function anyComparable(): Promise<{ readonly listing: object }> {
  const { data } = (await service.json('/v1/search/sales?limit=40&fields=id', keys.internal)) as {
    data: { id: string }[];
  };
  for (const { id } of data) {
    const { structuredContent } = await call('find_comparables', { id });
    const [first] = structuredContent.data as { listing: object }[];
    if (first !== undefined) return first;
  }
  return assert.fail('no home has a comparable one');
}

test('a short record says who published the home and how old the copy is, wherever it comes from', async () => {
  const { data } = (await service.json('/v1/search/sales?limit=1&fields=summary', keys.internal)) as {
    data: (Home & { fetchedAt: string })[];
  };
  const [summary = assert.fail()] = data;
  // Whom to name is text of others, which is set apart.
  const membersOf = (record: unknown) =>
    Object.keys(Object(record))
      .filter((name) => name !== 'attribution')
      .toSorted();
  const search = await call('search_sales', { limit: 1 });
  const found = homesOf(search)[0] as Home & { fetchedAt: string };
  assert.deepEqual([membersOf(found), found.fetchedAt], [membersOf(summary), summary.fetchedAt]);
  assert.ok(textOf(search).includes('/data/0/attribution'));
  const live = await call('get_listing_live', { id: summary.id });
  for (const copy of ['cached', 'live'])
    for (const name of membersOf(summary))
      assert.ok(Object.hasOwn(Object(live.structuredContent[copy]), name), `${copy}: ${name}`);
  const { structuredContent: home } = await call('get_property', { id: summary.id });
  for (const name of membersOf(summary))
    assert.ok(Object.hasOwn(Object(home.currentListing), name), `get_property: ${name}`);
  assert.deepEqual(membersOf((await anyComparable()).listing), membersOf(summary));
  assert.match(textOf(search), /1\. .* · confirmed \d+ (?:s|min|h|d) ago · lst_/);
  assert.match(textOf(live), /Cached: .* · confirmed \d+ (?:s|min|h|d) ago/);
});

test('pages followed by the cursor that a result names hold every home of the search once', async () => {
  const { data } = (await service.json('/v1/search/sales?limit=500', keys.internal)) as { data: Home[] };
  const ids: string[] = [];
  for (let cursor: string | undefined; ids.length <= data.length; ) {
    const result = await call('search_sales', { limit: 7, ...(cursor !== undefined && { cursor }) });
    ids.push(...homesOf(result).map(({ id }) => id));
    [, cursor] = /cursor "([\w-]+)"/.exec(textOf(result)) ?? [];
    if (cursor === undefined) break;
  }
  assert.deepEqual(
    ids,
    data.map(({ id }) => id),
  );
});

test('a series is cut, and its cursor goes on with the next points', async () => {
  const args = { listingType: 'sale', periods: 20 };
  const starts = ({ structuredContent }: Awaited<ReturnType<typeof call>>) =>
    (structuredContent.points as { start: string }[]).map(({ start }) => start);
  const first = await call('get_market_history', args);
  const [, cursor] = /cursor "([\w-]+)"/.exec(textOf(first)) ?? [];
  const second = await call('get_market_history', { ...args, cursor });
  const { points } = (await service.json(
    '/v1/market/history?listingType=sale&periods=20',
    keys.internal,
  )) as {
    points: { start: string }[];
  };
  assert.deepEqual([starts(first).length, starts(second).length], [12, 8]);
  assert.deepEqual(
    [...starts(first), ...starts(second)],
    points.map(({ start }) => start),
  );
});

test('all tools are listed with a title, a description and schemas of objects', async () => {
  const tools = await listTools(url, keys.free);
  assert.equal(tools.length, 17);
  for (const { name, title, description, inputSchema, outputSchema } of tools) {
    const { type } = inputSchema as { type: string };
    assert.ok(String(title).length > 3 && String(description).length > 40, String(name));
    assert.deepEqual([type, (outputSchema as { type: string }).type], ['object', 'object']);
    assert.doesNotMatch(
      JSON.stringify([inputSchema, outputSchema]),
      /"(?:aliases|hints|caseInsensitive|separator|\$id)":/,
    );
  }
});

test('every example is taken by its tool', async () => {
  for (const { name, examples } of TOOL_TABLE) {
    for (const example of examples) {
      const answer = await call(name, example);
      // The ids of examples are made up.
      const isTaken = answer.isError !== true || /names no listing|_NOT_FOUND/.test(textOf(answer));
      assert.ok(isTaken, `${name}: ${textOf(answer)}`);
    }
  }
});

test('no answer to the fewest arguments is longer than 12 kB', async () => {
  const [home] = homesOf(await call('search_sales', {}));
  const listingType = 'sale';
  const watcher = await call('create_watcher', {
    target: { type: 'property', propertyId: home?.propertyId },
  });
  const own = { id: watcher.structuredContent.id };
  const { data } = (await service.json('/v1/areas?limit=10', keys.internal)) as { data: { id: string }[] };
  const calls: readonly (readonly [string, object])[] = [
    ...(['search_rentals', 'search_sales', 'find_areas', 'list_watchers', 'get_usage'] as const).map(
      (name) => [name, {}] as const,
    ),
    ...(['get_property', 'get_listing_live', 'estimate_value', 'find_comparables'] as const).map(
      (name) => [name, { id: home?.id }] as const,
    ),
    ['get_market_stats', { listingType }],
    ['get_market_history', { listingType }],
    ['compare_markets', { listingType, areaId: data.map(({ id }) => id) }],
    ...(['get_watcher_events', 'pause_watcher', 'resume_watcher', 'delete_watcher'] as const).map(
      (name) => [name, own] as const,
    ),
  ];
  assert.equal(calls.length, 16, 'every tool but the one that was just used');
  for (const [name, args] of calls) {
    const result = await call(name, args);
    assert.notEqual(result.isError, true, `${name}: ${textOf(result)}`);
    const bytes = Buffer.byteLength(JSON.stringify(result));
    assert.ok(bytes < 12_000, `${name}: ${bytes}`);
  }
});

test('no answer is longer than 8,000 tokens, whatever is asked for, and says what it left out', async (t) => {
  const [home] = homesOf(await call('search_sales', {}));
  const id = home?.id;
  const include = ['listings', 'history', 'photos', 'areas', 'comparables', 'estimate', 'reso'];
  const groupBy = ['propertyType', 'bedrooms'];
  const market = { listingType: 'sale', limit: 500 };
  const calls: readonly (readonly [string, object])[] = [
    ['search_sales', { limit: 500 }],
    ['search_rentals', { limit: 500, detail: 'full' }],
    ['search_sales', { limit: 500, fields: ['description', 'photos', 'agent'] }],
    ['find_areas', { limit: 500 }],
    ['find_areas', { limit: 500, detail: 'full' }],
    ['get_property', { id, include }],
    ['get_property', { id, include, detail: 'full' }],
    ['get_listing_live', { id, detail: 'full' }],
    ['find_comparables', { id, compCount: 25, detail: 'full' }],
    ['get_market_stats', { ...market, groupBy }],
    ['get_market_stats', { ...market, groupBy, detail: 'full' }],
    ['get_market_history', { ...market, periods: 120 }],
    ['get_market_history', { ...market, detail: 'full' }],
    ['compare_markets', { ...market, areaId: ['city-eastmark', 'county-calder'], detail: 'full' }],
  ];
  for (const [name, args] of calls) {
    const result = await call(name, args);
    assert.notEqual(result.isError, true, `${name}: ${textOf(result)}`);
    const tokens = countTokens(JSON.stringify(result));
    t.diagnostic(`${name} ${JSON.stringify(args).slice(0, 60)}: ${tokens}`);
    assert.ok(tokens < 8_000, `${name} ${JSON.stringify(args)}: ${tokens}`);
  }
});

test('rows that did not fit follow under the cursor of the answer, none twice and none lost', async () => {
  const { data } = (await service.json('/v1/search/rentals?limit=500', keys.internal)) as { data: Home[] };
  const ids: string[] = [];
  for (let cursor: unknown; ids.length <= 12; ) {
    const args = { limit: 500, detail: 'full', ...(cursor !== undefined && { cursor }) };
    const result = await call('search_rentals', args);
    const { page, omitted } = result.structuredContent as { page: { nextCursor: string }; omitted: string[] };
    const rows = homesOf(result);
    assert.ok(rows.length > 0 && omitted.some((one) => one.includes(`limit was lowered to ${rows.length}`)));
    ids.push(...rows.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  assert.deepEqual(
    ids,
    data.slice(0, ids.length).map(({ id }) => id),
  );
});

test('the text says what was found in numbers that agree, what each filter leaves, and which name was meant', async () => {
  const nothing = await call('search_sales', { city: ['Eastmrk'], minPrice: 100, explain: true });
  assert.match(textOf(nothing), /^0 homes for sale found/);
  assert.match(textOf(nothing), /No city "Eastmrk"\. Did you mean Eastmark/);
  assert.match(textOf(nothing), /minPrice: [\d,]+ match it alone, 0 match all the others/);
  const unheard = textOf(await call('search_sales', { city: ['Qqqqq'] }));
  assert.match(unheard, /No city "Qqqqq"\. Nothing is named like it/);
  assert.doesNotMatch(unheard, /\(\)/);
  const [home] = homesOf(await call('search_sales', {}));
  const { price } = home ?? {};
  const same = await call('search_sales', { minPrice: price, maxPrice: price, q: home?.id });
  assert.match(textOf(same), /^1 home for sale found; 1 shown\./);
  const stats = textOf(
    await call('get_market_stats', {
      listingType: 'sale',
      metrics: ['median_list_price', 'price_drop_share'],
    }),
  );
  // Days as people write them, the last one included; a state names the moment that it is of.
  assert.match(stats, /^Sales · \d{4}-\d\d-01 to \d{4}-\d\d-(?:28|29|30|31) · USD$/m);
  assert.match(stats, /median_list_price USD [\d,]+ \(n [\d,]+ · as \d{4}-\d\d-01 begins/);
  assert.match(
    stats,
    /price_drop_share [\d.]+ % \(n [\d,]+(?: · [+-][\d.]+ percentage points to the period before|\)| · 0)/,
  );
});

test('wrong arguments are named, each with the remedy, and what was meant', async () => {
  const faults = async (name: string, args: object) => {
    const answer = await call(name, args);
    assert.equal(answer.isError, true);
    assert.equal(codeOf(answer), 'INVALID_PARAMETER');
    return faultsOf(answer);
  };
  const errors = await faults('search_sales', {
    minBedroom: 3,
    limit: 0,
    facets: ['city'],
    detail: 'long',
    apiKey: 'x',
    minPrice: 9,
    maxPrice: 2,
    areaId: ['nowhere'],
  });
  const named = [...errors.keys()].toSorted();
  assert.deepEqual(named, ['apiKey', 'areaId', 'detail', 'facets', 'limit', 'minBedroom', 'minPrice']);
  assert.match(errors.get('minBedroom') ?? '', /Did you mean minBedrooms\?/);
  assert.match(errors.get('facets') ?? '', /GET \/v1\/search\/sales of the REST API has it/);
  assert.match(errors.get('limit') ?? '', /at least 1/);
  assert.match(errors.get('detail') ?? '', /short, full/);
  assert.match(errors.get('apiKey') ?? '', /Authorization/);
  assert.deepEqual([...(await faults('get_property', {}))], [['id', 'The parameter id is required.']]);
  assert.deepEqual(
    [...(await faults('compare_markets', { metrics: ['inventory', 'inventory'] })).keys()],
    ['metrics', 'listingType', 'areaId'],
  );
  assert.deepEqual([...(await faults('get_usage', { detail: 'full' })).keys()], ['detail']);
});

test('arguments are taken as hosts send them: as text, as one value, as null or empty', async () => {
  const ids = async (args: object) => homesOf(await call('search_sales', args)).map(({ id }) => id);
  // A city that has such a home today: the sample's market moves on from day to day.
  const [home = assert.fail('no home with photos')] = homesOf(
    await call('search_sales', { minBedrooms: 2, hasPhotos: true, limit: 1, detail: 'full' }),
  );
  const city = home.address.city;
  const meant = await ids({ city: [city], minBedrooms: 2, hasPhotos: true, limit: 2 });
  assert.ok(meant.length > 0);
  for (const args of [
    { city: JSON.stringify([city]), minBedrooms: '2', hasPhotos: 'true', limit: '2' },
    { city, minBedrooms: 2, hasPhotos: 'True', limit: 2, cursor: null, q: '', minPrice: null },
    {
      city: [city],
      minBedrooms: [2],
      hasPhotos: [true],
      limit: 2,
      features: [],
      detail: '',
      bbox: null,
    },
  ])
    assert.deepEqual(await ids(args), meant, JSON.stringify(args));
  const fields = homesOf(await call('search_sales', { limit: 1, fields: 'price, photoCount' }));
  assert.deepEqual(Object.keys(fields[0] ?? {}).toSorted(), [
    'fetchedAt',
    'id',
    'object',
    'photoCount',
    'price',
  ]);
  const created = await call('create_watcher', {
    target:
      '{"type":"search","listingType":"sale","listingId":null,"query":{"city":"Eastmark","minBedrooms":"3"}}',
    metadata: '{"for":"Ann"}',
    name: '',
    cadence: null,
    events: [],
    backfill: 'false',
    expiresAt: null,
  });
  assert.notEqual(created.isError, true, textOf(created));
  const { target, metadata } = (await service.json(
    `/v1/watchers/${String(created.structuredContent.id)}`,
    keys.internal,
  )) as Record<string, unknown>;
  assert.deepEqual(
    [target, metadata],
    [{ type: 'search', listingType: 'sale', query: { city: ['Eastmark'], minBedrooms: 3 } }, { for: 'Ann' }],
  );
  await call('delete_watcher', { id: created.structuredContent.id });
});

test('an agent cannot name a webhook, and is told how events are read instead', async () => {
  const target = { type: 'property', propertyId: 'prp_1' };
  const delivery = [{ type: 'webhook', url: 'https://hooks.example/x' }];
  const answer = await call('create_watcher', { target, delivery });
  assert.equal(answer.isError, true);
  assert.match(textOf(answer), /delivery is not for agents.*get_watcher_events/);
});

test('a watcher is created, paused, resumed and deleted as over REST; that of another owner is not found', async () => {
  const target = { type: 'search', listingType: 'sale', query: { city: ['Eastmark'], minBedrooms: 2 } };
  const created = await call('create_watcher', { target, name: 'Eastmark', cadence: 'daily' });
  const id = String(created.structuredContent.id);
  const stored = async () =>
    (await service.json(`/v1/watchers/${id}`, keys.internal)) as {
      target: object;
      name: string;
      status: string;
    };
  assert.deepEqual((await stored()).target, target);
  assert.equal((await stored()).name, 'Eastmark');
  await call('pause_watcher', { id });
  assert.equal((await stored()).status, 'paused');
  await call('resume_watcher', { id });
  assert.equal((await stored()).status, 'active');
  const foreign = toolCaller(url, keys.pro);
  for (const name of ['get_watcher_events', 'pause_watcher', 'resume_watcher', 'delete_watcher']) {
    const [theirs, nobodys] = await Promise.all([foreign(name, { id }), foreign(name, { id: 'wat_nobody' })]);
    const [problem, same] = [theirs, nobodys].map((each) => textOf(each).replace(/requestId: \S+/, ''));
    assert.equal(codeOf(theirs), 'WATCHER_NOT_FOUND', name);
    assert.equal(problem, same);
  }
  assert.deepEqual((await call('delete_watcher', { id })).structuredContent, {
    object: 'watcher',
    id,
    deleted: true,
    links: [],
    untrusted: [],
    omitted: [],
  });
  assert.equal((await service.get(`/v1/watchers/${id}`, keys.internal)).status, 404);
});

test('results lead to the explorer: a search to the view with as many homes, a home to its page, figures to their area', async () => {
  const found = await call('search_sales', { minBedrooms: 3, propertyType: ['SINGLE_FAMILY', 'TOWNHOUSE'] });
  const view = String(found.structuredContent.view);
  assert.ok(view.startsWith(`${url}/explore?for=sale&`), view);
  assert.ok(textOf(found).includes(`On the map: ${view}`));
  const { total } = found.structuredContent as { total: { value: number } };
  const shown: { total: number } = await service.json(`/explore/view${new URL(view).search}`);
  assert.equal(shown.total, total.value);
  const [home = assert.fail()] = homesOf(found);
  const property = await call('get_property', { id: home.propertyId });
  const page = await fetch(String(property.structuredContent.view));
  assert.deepEqual([page.status, page.url.includes('/explore/listing/')], [200, true]);
  for (const tool of ['estimate_value', 'find_comparables']) {
    const { structuredContent } = await call(tool, { id: home.id });
    const response = await fetch(String(structuredContent.view));
    assert.deepEqual([tool, response.status, response.url.includes('/explore/listing/')], [tool, 200, true]);
  }
  const areas = await call('find_areas', { q: 'Eastmark', limit: 1 });
  assert.match(String(areas.structuredContent.view), /\/explore\?areaId=/);
});

test('figures lead to the charts of their area, over as many months, and a comparison to two areas side by side', async () => {
  const viewOf = async (tool: string, args: object) => {
    const result = await call(tool, args);
    const view = String(result.structuredContent.view);
    assert.ok(textOf(result).includes(`As charts: ${view}`));
    const page = await fetch(view);
    const [, title] = /<h1>(.*?)<\/h1>/.exec(await page.text()) ?? [];
    return [view.slice(url.length), page.status, title];
  };
  assert.deepEqual(await viewOf('get_market_stats', { listingType: 'rental', areaId: ['city-eastmark'] }), [
    '/explore/market?areaId=city-eastmark&for=rental',
    200,
    'Eastmark',
  ]);
  assert.deepEqual(await viewOf('get_market_stats', { listingType: 'sale' }), [
    '/explore/market',
    200,
    'The whole market',
  ]);
  const quarters = { listingType: 'sale', areaId: ['city-eastmark'], interval: 'quarter', periods: 12 };
  assert.deepEqual(await viewOf('get_market_history', quarters), [
    '/explore/market?areaId=city-eastmark&months=60',
    200,
    'Eastmark',
  ]);
  const areaId = ['neighborhood-ashgrove', 'city-eastmark'];
  assert.deepEqual(await viewOf('compare_markets', { listingType: 'sale', areaId }), [
    '/explore/market?areaId=neighborhood-ashgrove&with=city-eastmark',
    200,
    'Ashgrove',
  ]);
});

test('what is watched leads to the view of its search, and all of it to its page', async () => {
  const target = { type: 'search', listingType: 'rental', query: { city: ['Eastmark'], minBedrooms: 3 } };
  const created = await call('create_watcher', { target });
  const view = new URL(String(created.structuredContent.view));
  assert.deepEqual(
    [view.pathname, view.searchParams.get('for'), view.searchParams.get('minBedrooms')],
    ['/explore', 'rental', '3'],
  );
  assert.equal((await fetch(view)).status, 200);
  await call('delete_watcher', { id: created.structuredContent.id });
  const all = await call('list_watchers', {});
  const page = await fetch(String(all.structuredContent.view));
  assert.deepEqual([page.status, new URL(page.url).pathname], [200, '/explore/watching']);
  const usage = await call('get_usage', {});
  assert.equal((await fetch(String(usage.structuredContent.view))).status, 200);
});
