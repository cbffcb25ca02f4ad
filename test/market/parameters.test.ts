// Promises of the statistics' addresses: every parameter is honoured or refused, pages go on, small samples stay secret.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { TIERS } from '../../src/access/tiers/tiers.ts';
import {
  CompareQuery,
  DistributionQuery,
  FILTERS,
  HistoryQuery,
  NOT_FILTERS,
  StatsQuery,
  YieldQuery,
} from '../../src/market/parameters.ts';
import { RentalSearchQuery, SaleSearchQuery } from '../../src/search/query/parameters.ts';
import { type Answer, startMarket } from '../support/catalogue/market-service.ts';
import { type Caller, type Documented, walkMatrix } from '../support/service/access-matrix.ts';
import { problemOf } from '../support/service/http-server.ts';

const { ask, keys, refused, service } = await startMarket({ after });

test('statistics are open to everybody, and to tokens that may read', async () => {
  const paths = ['stats?listingType=sale', 'history?listingType=sale', 'yield', 'metrics'];
  paths.push('compare?listingType=sale&areaId=city-crane', 'distribution?listingType=sale&measure=price');
  const documented = Object.fromEntries(
    paths.map((path): [string, Documented] => [path, { tier: 'anonymous', scope: 'listings:read' }]),
  );
  const callers: Caller[] = [{ tier: 'anonymous', scopes: null, authorization: null }];
  for (const tier of ['free', 'pro', 'business', 'internal'] as const)
    callers.push({ tier, scopes: null, authorization: `Bearer ${keys[tier]}` });
  await walkMatrix(documented, callers, async (path, { authorization }) => {
    const headers = authorization === null ? {} : { authorization };
    const answer = await fetch(`${service.url}/v1/market/${path}`, { headers });
    const code = answer.ok ? null : (await problemOf(answer)).code;
    return {
      status: answer.status,
      code: code as string | null,
      challenge: answer.headers.get('www-authenticate'),
    };
  });
  service.clock.advance(60_000);
});

test('without credentials ten points, groups or areas fit an answer, and cursors lead on', async () => {
  const all = await ask('history?listingType=sale&periods=24&limit=100&metrics=inventory');
  assert.equal(all.points.length, 24);
  const points: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/v1/market/history?listingType=sale&periods=24&limit=100&metrics=inventory${cursor && `&cursor=${cursor}`}`;
    const answer = await service.get(path);
    assert.equal(answer.status, 200);
    const { points: some, page } = (await answer.json()) as Answer;
    assert.equal(page.limit, TIERS.anonymous.page);
    assert.ok(some.length <= 10);
    assert.equal(answer.headers.has('link'), page.hasMore);
    points.push(...some);
    cursor = page.nextCursor;
  }
  assert.deepEqual(points, all.points);
  const stats = await ask('stats?listingType=sale&groupBy=bedrooms&limit=2&metrics=inventory');
  assert.deepEqual(
    stats.groups.map(({ by }) => by.bedrooms),
    [1, 2],
  );
  const next = await ask(
    `stats?listingType=sale&groupBy=bedrooms&limit=2&metrics=inventory&cursor=${stats.page.nextCursor}`,
  );
  assert.deepEqual(
    next.groups.map(({ by }) => by.bedrooms),
    [3, 4],
  );
  assert.deepEqual(next.metrics, stats.metrics);
  const other = await refused(`stats?listingType=sale&groupBy=propertyType&cursor=${stats.page.nextCursor}`);
  assert.equal(other.code, 'INVALID_CURSOR');
});

test('figures are of the last full month, and withheld where fewer than five homes would be told of', async () => {
  const { period, metrics } = await ask('stats?listingType=sale');
  assert.deepEqual(period, { start: '2025-12-01', end: '2026-01-01' });
  const { inventory, new_listings: fresh, median_list_price: median } = metrics;
  assert.deepEqual([inventory?.value, fresh?.value, median?.value], [12, 12, 650_000]);
  const few = await ask('stats?listingType=sale&bedrooms=2,3&metrics=inventory,median_list_price');
  assert.deepEqual(few.metrics.inventory?.value, 4);
  assert.deepEqual(few.metrics.median_list_price, {
    value: null,
    n: 4,
    excluded: 0,
    p25: null,
    p75: null,
    suppressed: true,
    unit: 'money',
    period: { start: '2026-01-01', end: '2026-01-01' },
    change: { previous: null, yearAgo: null },
  });
  const { metrics: five } = await ask('stats?listingType=sale&maxPrice=500000&metrics=median_list_price');
  assert.equal(five.median_list_price?.value, 300_000);
});

test('each figure names the days that it is of, and the others of an answer the days that they rest on', async () => {
  const metrics = 'inventory,closed_listings,months_of_supply,absorption_rate,median_list_price_yoy';
  const days = (start: string, end: string) => ({ start, end });
  const expected = (start: string, end: string, quarter: string) => ({
    inventory: days(end, end),
    closed_listings: days(start, end),
    months_of_supply: days(quarter, end),
    absorption_rate: days(start, end),
    median_list_price_yoy: days(end, end),
  });
  const periods = (figures: Record<string, { period: object }>) =>
    Object.fromEntries(Object.entries(figures).map(([id, { period }]) => [id, period]));
  const stats = await ask(
    `stats?listingType=sale&from=2025-12-10&to=2025-12-20&groupBy=bedrooms&metrics=${metrics}`,
  );
  assert.deepEqual(periods(stats.metrics), expected('2025-12-10', '2025-12-20', '2025-09-20'));
  for (const group of stats.groups) assert.deepEqual(periods(group.metrics), periods(stats.metrics));
  assert.ok(stats.groups.length > 0);
  const history = await ask(`history?listingType=sale&periods=2&metrics=${metrics}`);
  assert.deepEqual(
    history.points.map((point) => periods(point.metrics)),
    [expected('2025-11-01', '2025-12-01', '2025-09-01'), expected('2025-12-01', '2026-01-01', '2025-10-01')],
  );
  const { sameProperty } = await ask('yield');
  assert.deepEqual(sameProperty.period, days('2025-01-01', '2026-01-01'));
  const { asOf } = await ask('distribution?listingType=sale&measure=price&from=2025-11-10&to=2025-11-20');
  assert.equal(asOf, '2025-11-20');
});

test('what is unknown, malformed, of the other kind or contradictory is refused by its name', async () => {
  const sale = 'listingType=sale';
  const wrong: [path: string, parameter: string, suggestion?: string][] = [
    ['stats', 'listingType'],
    ['stats?listingType=flat', 'listingType'],
    ['stats?listingType=sale&dataType=Sale', 'dataType'],
    [`stats?${sale}&minBedroms=1`, 'minBedroms', 'minBedrooms'],
    [`stats?${sale}&status=ACTIVE`, 'status'],
    [`stats?${sale}&pets=cats`, 'pets'],
    ['stats?listingType=rental&closedSince=P7D', 'closedSince'],
    [`stats?${sale}&from=2025-12-01`, 'to'],
    [`stats?${sale}&from=2025-12-01&to=2025-12-01`, 'from'],
    [`stats?${sale}&from=2025-02-30&to=2025-12-01`, 'from'],
    [`stats?${sale}&from=2025-12-01&to=2026-01-08`, 'to'],
    [`stats?${sale}&metrics=median_price`, 'metrics', 'median_rent'],
    [`stats?${sale}&metrics=median_list_prise`, 'metrics', 'median_list_price'],
    [`stats?${sale}&metrics=median_rent`, 'metrics'],
    [`stats?${sale}&metrics=gross_rent_yield`, 'metrics'],
    [`stats?${sale}&groupBy=city`, 'groupBy'],
    [`stats?${sale}&interval=month`, 'interval'],
    [`stats?${sale}&areaId=city-cran`, 'areaId'],
    [`history?${sale}&from=2025-12-02&to=2026-01-01`, 'from', '2025-12-01'],
    [`history?${sale}&interval=week&from=2025-12-01&to=2025-12-31`, 'to', '2025-12-29'],
    [`history?${sale}&from=2025-01-01&to=2026-01-01&periods=3`, 'periods'],
    [`history?${sale}&window=P1M`, 'window'],
    [`history?${sale}&to=2026-03-01`, 'to'],
    [`history?${sale}&groupBy=bedrooms`, 'groupBy'],
    [`compare?${sale}`, 'areaId'],
    [`compare?${sale}&areaId=city-crane,nowhere`, 'areaId'],
    [`distribution?${sale}`, 'measure'],
    [`distribution?${sale}&measure=price&buckets=101`, 'buckets'],
    ['yield?listingType=sale', 'listingType'],
    ['yield?minPrice=1', 'minPrice'],
    ['metrics?id=inventory', 'id'],
  ];
  for (const [path, parameter, suggestion] of wrong) {
    const refusal = await refused(path);
    assert.deepEqual([refusal.code, refusal.parameter], ['INVALID_PARAMETER', parameter], path);
    if (suggestion !== undefined && suggestion !== 'median_rent')
      assert.equal(refusal.suggestion, suggestion, path);
  }
});

test('faults of form and of meaning are in one answer', async () => {
  const faults = async (path: string) => {
    const answer = await service.get(`/v1/market/${path}`, keys.internal);
    assert.equal(answer.status, 400, path);
    const { errors } = (await answer.json()) as { errors: { parameter: string }[] };
    return errors.map(({ parameter }) => parameter).sort();
  };
  const wrong = 'listingType=sale&minBedroms=1&hasPhotos=often&minPrice=9&maxPrice=2&areaId=nowhere';
  assert.deepEqual(await faults(`stats?${wrong}&metrics=median_rent&from=2025-12-01&to=2025-12-01`), [
    'areaId',
    'from',
    'hasPhotos',
    'metrics',
    'minBedroms',
    'minPrice',
  ]);
  assert.deepEqual(await faults(`history?${wrong}&interval=week&from=2025-12-02`), [
    'areaId',
    'from',
    'hasPhotos',
    'minBedroms',
    'minPrice',
  ]);
  assert.deepEqual(
    await faults('distribution?listingType=sale&measure=price&areaId=nowhere&minPrice=9&maxPrice=2'),
    ['areaId', 'minPrice'],
  );
  assert.deepEqual(await faults('stats?listingType=sale&from=soon&to=2025-12-01'), ['from']);
});

test('every filter of the searches is a filter of the statistics, or known not to be one', () => {
  for (const [type, schema] of [
    ['rental', RentalSearchQuery],
    ['sale', SaleSearchQuery],
  ] as const) {
    const filters = Object.keys(schema.properties).filter(
      (name) => !(NOT_FILTERS as readonly string[]).includes(name),
    );
    assert.deepEqual(FILTERS[type], filters);
  }
  const names = (schema: { properties: object }) => Object.keys(schema.properties);
  for (const schema of [StatsQuery, HistoryQuery, CompareQuery, DistributionQuery])
    for (const name of [...FILTERS.rental, ...FILTERS.sale, 'units'])
      assert.ok(names(schema).includes(name), name);
  for (const name of ['areaId', 'postalCode', 'polygon', 'bbox', 'radius', 'propertyType', 'bedrooms'])
    assert.ok(names(YieldQuery).includes(name), name);
});
