// Proves over HTTP how figures of the market are watched: what can be asked, and that crossings are told, each once.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startMarket } from '../../support/catalogue/market-service.ts';
import { sendWatcher, subscriber, type WatcherRequest } from '../../support/watch/watchers.ts';

const market = await startMarket({ after });
const { service } = market;
const { subscribe } = subscriber(service);
const { key } = await subscribe('business');
const send = (method: string, path: string, request?: WatcherRequest) =>
  sendWatcher(service, method, path, { key, ...request });

const { data: areas } = (await service.json('/v1/areas?limit=100', service.keys.pro)) as {
  data: { id: string; name: string; type: string }[];
};
const areaId = areas.find(({ type }) => type === 'state')?.id ?? areas[0]?.id ?? '';
const condition = { op: 'below', value: 500_000 };
const target = { type: 'market', areaId, listingType: 'sale', metric: 'median_list_price', condition };

test('a watcher of a figure shows how it was understood, and sends the crossing alone', async () => {
  const { status, watcher, text } = await send('POST', '', { body: { target } });
  assert.equal(status, 201, text);
  assert.deepEqual(watcher.target, target);
  assert.deepEqual(watcher.events, ['market.threshold_crossed']);
  assert.equal(watcher.initialMatchCount, null);
  const { areas: named, ...rest } = watcher.interpretation ?? {};
  assert.deepEqual((named as { id: string }[])[0]?.id, areaId);
  assert.deepEqual(rest, { timeZone: 'UTC', currency: 'USD', currencyChoice: null, unit: 'money' });
  const read = await send('GET', `/${watcher.id}`);
  assert.deepEqual(read.watcher, watcher);
  const matches = await send('GET', `/${watcher.id}/matches`);
  assert.deepEqual([matches.status, matches.code], [409, 'CONFLICT']);
});

const change = { op: 'change_percent_below', value: -3, window: 'P30D' };

/** What is wrong, where, and what is suggested. */
const FAULTS: readonly [string, object, string, string | undefined][] = [
  ['a misspelt metric', { metric: 'median_list_prise' }, '/target/metric', 'median_list_price'],
  ['a change of a metric', { metric: 'median_list_price_yoy' }, '/target/metric', 'median_list_price'],
  ['a yield', { metric: 'gross_rent_yield' }, '/target/metric', undefined],
  ['a metric of rentals', { metric: 'median_rent' }, '/target/metric', undefined],
  ['no metric', { metric: undefined }, '/target/metric', undefined],
  ['an unknown area', { areaId: 'nowhere' }, '/target/areaId', undefined],
  ['an empty area', { areaId: '' }, '/target/areaId', undefined],
  ['no area', { areaId: undefined }, '/target/areaId', undefined],
  ['a misspelt type of listing', { listingType: 'sales' }, '/target/listingType', 'sale'],
  ['another word for a type of home', { propertyType: 'villa' }, '/target/propertyType', 'SINGLE_FAMILY'],
  ['types of homes', { propertyType: ['CONDO'] }, '/target/propertyType', undefined],
  ['a range of bedrooms', { bedrooms: '2:4' }, '/target/bedrooms', undefined],
  ['half a bedroom', { bedrooms: 2.5 }, '/target/bedrooms', undefined],
  ['bedrooms below none', { bedrooms: -1 }, '/target/bedrooms', undefined],
  ['an unknown member', { bedroom: 2 }, '/target/bedroom', 'bedrooms'],
  ['a currency that is none', { currency: 'dollars' }, '/target/currency', undefined],
  ['no condition', { condition: undefined }, '/target/condition', undefined],
  ['a condition that is a text', { condition: 'below 5' }, '/target/condition', undefined],
  ['a misspelt operator', { condition: { op: 'bellow', value: 5 } }, '/target/condition/op', 'below'],
  ['no operator', { condition: { value: 5 } }, '/target/condition/op', undefined],
  ['no value', { condition: { op: 'below' } }, '/target/condition/value', undefined],
  ['a value that is a text', { condition: { op: 'below', value: '5' } }, '/target/condition/value', undefined],
  ['a value that is null', { condition: { op: 'below', value: null } }, '/target/condition/value', undefined],
  ['a window of a value', { condition: { ...condition, window: 'P30D' } }, '/target/condition/window', undefined],
  ['a change without a window', { condition: { ...change, window: undefined } }, '/target/condition/window', undefined],
  ['a window of a year', { condition: { ...change, window: 'P1Y' } }, '/target/condition/window', 'P365D'],
  ['a window in weeks', { condition: { ...change, window: 'P2W' } }, '/target/condition/window', 'P14D'],
  ['a window of days in words', { condition: { ...change, window: '30d' } }, '/target/condition/window', 'P30D'],
  ['a window of no days', { condition: { ...change, window: 'P0D' } }, '/target/condition/window', 'P7D'],
  ['a window that is a number', { condition: { ...change, window: 30 } }, '/target/condition/window', undefined],
]; // biome-ignore format: a table

for (const [what, members, pointer, suggestion] of FAULTS)
  test(`${what} is refused, with the member and what was probably meant`, async () => {
    const answer = await send('POST', '', { body: { target: { ...target, ...members } } });
    assert.equal(answer.status, 400, answer.text);
    const [error] = answer.errors;
    assert.deepEqual([error?.pointer, error?.suggestion], [pointer, suggestion], answer.text);
    assert.match(answer.detail, /^The member /);
  });

test('numbers that JSON cannot hold exactly are refused', async () => {
  for (const value of ['1e999', '-1e999', '1e300', 'NaN']) {
    const text = JSON.stringify({ target }).replace('500000', value);
    const answer = await send('POST', '', { body: text });
    assert.equal(answer.status, 400, value);
    if (value !== 'NaN') assert.equal(answer.errors[0]?.pointer, '/target/condition/value', answer.text);
  }
});

test('what only other targets have is refused', async () => {
  for (const [member, pointer] of [
    [{ backfill: true }, '/backfill'],
    [{ events: ['search.match_added'] }, '/events/0'],
    [{ events: ['market.threshold_crosed'] }, '/events/0'],
  ] as const) {
    const answer = await send('POST', '', { body: { target, ...member } });
    assert.deepEqual([answer.status, answer.errors[0]?.pointer], [400, pointer], answer.text);
  }
  const search = { type: 'search', listingType: 'sale', query: {} };
  const answer = await send('POST', '', { body: { target: search, events: ['market.threshold_crossed'] } });
  assert.equal(answer.status, 400);
});
