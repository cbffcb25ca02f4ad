// Closed channels: where a source is closed, a service answers as one that never loaded it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CHANNELS, type Channel } from '../../src/access/tiers/reach.ts';
import { blockSource, unblockSource } from '../../src/licence/licence-store.ts';
import { NOW } from '../support/catalogue/random-market.ts';
import { poll } from '../support/check/until.ts';
import { questionArbitrary } from '../support/engine/machine-questions.ts';
import { alone, assertAlike, block, closed, open, plain, serve } from '../support/licence/two-services.ts';
import { toolCaller } from '../support/mcp/call-tool.ts';
import type { TestService } from '../support/service/service.ts';

interface Question {
  readonly channel: Channel;
  /** Null: without credentials. */
  readonly tier: 'free' | 'business' | 'internal' | null;
  readonly path: string;
}

const search = (type: string): string[] => [
  `/v1/search/${type}?status=any&limit=100&facets=propertyType,city,features&stats=median_list_price&include=daysOnMarket,property`,
  `/v1/search/${type}?status=any&cluster=true&zoom=3&bbox=-180,-80,180,80`,
  `/v1/search/${type}?status=any&minBedrooms=1&city=Brook%20Hollow&explain=true`,
  `/v1/search/${type}?status=any&q=sunny&sort=relevance&fields=summary`,
  `/v1/search/${type}?status=any&q=moat`,
  `/v1/search/${type}?city=Zedvile`,
  `/v1/search/${type}?features=moaty&status=any`,
  `/v1/search/${type}?agentId=Z9&status=any`,
  `/v1/search/${type}?lat=10.25&lng=20.5&radius=60&sort=distance&maxPrice=200000&currency=USD`,
  `/v1/search/${type}/geojson?status=any&limit=100`,
];

const QUESTIONS: readonly Question[] = [
  ...['sales', 'rentals'].flatMap((type) =>
    search(type).map((path) => ({ channel: 'search', tier: 'business', path }) as const),
  ),
  { channel: 'search', tier: null, path: '/v1/search/sales?status=any' },
  { channel: 'search', tier: 'free', path: '/v1/areas?sort=-listingCount' },
  { channel: 'search', tier: 'business', path: '/v1/areas?q=ring&suggest=true' },
  { channel: 'export', tier: 'business', path: '/v1/search/sales/export?status=any' },
  { channel: 'export', tier: 'business', path: '/v1/search/rentals/ndjson?status=any' },
  { channel: 'export', tier: 'business', path: '/v1/search/sales?status=any&format=csv&limit=50' },
  { channel: 'export', tier: 'business', path: '/v1/changes/ndjson' },
  { channel: 'explorer', tier: null, path: '/explore/view?status=any' },
  { channel: 'explorer', tier: null, path: '/explore?for=rental&status=any' },
  { channel: 'explorer', tier: null, path: '/explore/suggest?q=12%20oak' },
  { channel: 'explorer', tier: null, path: '/' },
];

/** One that shows whether the source is open. */
const VISIBLE: Question = {
  channel: 'search',
  tier: 'business',
  path: '/v1/search/sales?status=any&limit=100',
};

const FIGURES: readonly Question[] = [
  ...['sale', 'rental'].flatMap((type) =>
    [
      `/v1/market/stats?listingType=${type}&groupBy=propertyType&currency=USD`,
      `/v1/market/history?listingType=${type}&periods=6&currency=USD`,
      `/v1/market/distribution?listingType=${type}&measure=price&currency=USD`,
    ].map((path) => ({ channel: 'market', tier: 'business', path }) as const),
  ),
  { channel: 'market', tier: 'business', path: '/v1/market/yield?currency=USD' },
  { channel: 'explorer', tier: null, path: '/explore/market?for=sale' },
];

const TOOLS: readonly (readonly [name: string, args: object])[] = [
  ['search_sales', { status: ['any'], limit: 10 }],
  ['search_rentals', { status: ['any'], q: 'sunny' }],
  ['find_areas', { q: 'ring' }],
];

/** Of each kind one listing, and one of a home that two sources list. */
async function homes(service: TestService): Promise<readonly { id: string }[]> {
  return service.database.read(
    (sql) => sql<{ id: string }[]>`
      select id from listing
      where displayed and status not in ('INCOMPLETE', 'DELETED') order by source, id limit 24`,
  );
}

/** Searches of every kind, drawn: pages, facets, figures and clusters. */
const drawn = fc.sample(questionArbitrary, { numRuns: 60, seed: 20_261_129 }).flatMap((question) => {
  const { search, limit, zoom } = question;
  const page = new URLSearchParams({
    ...search.query,
    limit: String(limit),
    count: 'exact',
    facets: 'propertyType,city,features,currency,priceBucket',
    stats: 'inventory,median_list_price,median_days_on_market',
  });
  const { sort: _, polygon, radius, lat, lng, ...mapped } = search.query;
  const map = new URLSearchParams({
    bbox: '-180,-90,180,90',
    ...mapped,
    cluster: 'true',
    zoom: String(zoom),
    limit: '500',
  });
  const path = `/v1/search/${search.type === 'sale' ? 'sales' : 'rentals'}`;
  return [page, map].map(
    (query) => ({ channel: 'search', tier: 'internal', path: `${path}?${query}` }) as const,
  );
});

const ofHome = (id: string): readonly Question[] => [
  {
    channel: 'search',
    tier: 'business',
    path: `/v1/property/${id}?include=listings,history&freshness=cached`,
  },
  { channel: 'search', tier: 'business', path: `/v1/listing/${id}/record` },
  { channel: 'search', tier: 'business', path: `/v1/property/${id}/similar` },
  { channel: 'market', tier: 'business', path: `/v1/property/${id}/comparables` },
  { channel: 'explorer', tier: null, path: `/explore/listing/${id}` },
];

/** A home that is closed is not found, and what is drawn may be refused. */
async function ask(service: TestService, { tier, path }: Question): Promise<string> {
  const answer = await service.get(path, tier === null ? undefined : service.keys[tier]);
  if (![200, 400, 404].includes(answer.status))
    assert.fail(`${path}: ${answer.status} ${(await answer.text()).slice(0, 500)}`);
  return plain(`${answer.status} ${await answer.text()}`, service);
}

async function assertSame(
  both: TestService,
  only: TestService,
  questions: readonly Question[],
): Promise<void> {
  for (const question of questions)
    assertAlike(await ask(both, question), await ask(only, question), `${question.channel} ${question.path}`);
}

async function assertHomes(
  both: TestService,
  only: TestService,
  each: readonly { id: string }[],
): Promise<void> {
  for (const { id } of each) {
    // Nobody may look at so many in a minute.
    for (const { clock } of [both, only]) clock.advance(20_000);
    await assertSame(both, only, ofHome(id));
  }
}

async function assertTools(both: TestService, only: TestService): Promise<void> {
  for (const [name, args] of TOOLS) {
    const [one, other] = await Promise.all(
      [both, only].map(async (service) =>
        plain(JSON.stringify(await toolCaller(service.url, service.keys.business)(name, args)), service),
      ),
    );
    assertAlike(one ?? '', other ?? '', name);
  }
}

test('a closed source leaves no trace in searches, areas, exports, pages, figures and tools', async (t) => {
  const both = await serve(t, { a: open, b: closed.map(alone) });
  const only = await serve(t, { a: open });
  const before = await ask(both, VISIBLE);
  assert.notEqual(before, await ask(only, VISIBLE), 'the source can be seen');
  await block(both, 'b', CHANNELS);
  await assertSame(both, only, [...QUESTIONS, ...FIGURES]);
  await assertSame(both, only, drawn);
  await assertTools(both, only);
  await assertHomes(both, only, await homes(both));
  // Opened again it is there as before.
  await both.database.write((sql) => unblockSource(sql, 'b', CHANNELS));
  await poll('it is open', async () => (await ask(both, VISIBLE)) === before || undefined);
});

test('of homes that two sources list, only what the open one says is known', async (t) => {
  const both = await serve(t, { b: closed, a: open });
  const only = await serve(t, { a: open });
  await block(both, 'b', CHANNELS);
  await assertSame(both, only, QUESTIONS);
  await assertSame(both, only, FIGURES);
  await assertSame(both, only, drawn);
  await assertHomes(both, only, await homes(only));
});

test('a channel that is blocked alone closes that one, and no other', async (t) => {
  const service = await serve(t, {
    a: open,
    b: closed.map(alone).map((each) => ({ ...each, currency: 'USD' })),
  });
  const answers = (questions: readonly Question[]) =>
    Promise.all(questions.map((each) => ask(service, each)));
  const before = await answers(QUESTIONS);
  await service.database.write((sql) => blockSource(sql, 'b', ['export'], new Date(NOW)));
  const isOfExport = ({ channel }: Question): boolean => channel === 'export';
  await poll('the block is heard of', async () => {
    const now = await answers(QUESTIONS.filter(isOfExport));
    return now.every((text) => !text.includes('Zedville')) || undefined;
  });
  const now = await answers(QUESTIONS);
  for (const [place, question] of QUESTIONS.entries())
    if (!isOfExport(question)) assert.equal(now[place], before[place], question.path);
});
