// Proves comparables and estimates on a market made by hand: their figures, worked out anew, and what stays hidden.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Estimate, known, startEstimates, street, town } from '../support/catalogue/estimate-service.ts';
import { estimateOf, type Home, offered, sold, threeDigits } from '../support/catalogue/property-market.ts';

const { clock, comparables, estimate, keys, service, write } = await startEstimates({ after });

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

test('an estimate is the regression of its comparables’ prices at the home, with its range, as worked out anew', async () => {
  const { subject, homes } = street(town(2), 'worth');
  const ids = await write(offered(subject), ...homes.map((home) => sold(home, '2026-02-01')));
  const { sale, rent, currency } = await estimate(ids.get(subject.key));
  const expected = estimateOf(subject, homes);
  assert.deepEqual(
    [sale.value, sale.low, sale.high],
    [expected.value, expected.low, expected.high].map(threeDigits),
  );
  assert.deepEqual(
    [sale.n, sale.basis, sale.asOf, sale.reason, currency],
    [7, 'closed', '2026-06-01', null, 'USD'],
  );
  assert.match(sale.method, /regression/);
  assert.equal(sale.level, 0.8);
  assert.deepEqual([rent.value, rent.n, rent.reason], [null, 0, 'too_few_comparables']);
});

test('where the prices agree the range is still five percent each way', async () => {
  const at = town(3);
  const alike = (number: number): Home => ({
    key: `same-${number}`,
    place: at(0.1 * number, 0),
    price: 400_000,
    livingArea: 1_000,
    ...known,
  });
  const ids = await write(offered(alike(0)), ...[1, 2, 3, 4, 5].map((n) => sold(alike(n), '2026-05-01')));
  const { sale } = await estimate(ids.get('same-0'));
  assert.deepEqual([sale.value, sale.low, sale.high], [400_000, 380_000, 420_000]);
});

test('what is asked counts where too few were sold, and a rent is estimated from rents', async () => {
  const { subject, homes } = street(town(4), 'asked');
  const [one, ...others] = homes;
  assert.ok(one);
  const rents = homes.map((home) => ({ ...home, key: `${home.key}-rent`, price: home.price / 200 }));
  const ids = await write(
    offered(subject),
    sold(one, '2026-05-01'),
    ...others.map((home) => offered(home)),
    ...rents.map((home) => offered(home, { listingType: 'rental', priceFrequency: 'MONTHLY' })),
  );
  const { sale, rent } = await estimate(ids.get(subject.key));
  assert.deepEqual(
    [sale.value, sale.n, sale.basis],
    [threeDigits(estimateOf(subject, homes).value), 7, 'mixed'],
  );
  assert.deepEqual(
    [rent.value, rent.n, rent.basis],
    [threeDigits(estimateOf(subject, rents).value), 7, 'asking'],
  );
});

test('one home sold twice counts once, by its latest sale, and its own sales never count', async () => {
  const { subject, homes } = street(town(5), 'twice');
  const again = homes.map((home) =>
    sold({ ...home, price: 1 }, '2025-12-01', { listingKey: `${home.key}-before` }),
  );
  const ids = await write(
    offered(subject),
    sold({ ...subject, price: 5 }, '2026-01-01', { listingKey: 'own-sale' }),
    ...again,
    ...homes.map((home) => sold(home, '2026-02-01')),
  );
  const { sale } = await estimate(ids.get(subject.key));
  assert.deepEqual([sale.value, sale.n], [threeDigits(estimateOf(subject, homes).value), 7]);
});

test('a nominal price is no evidence of value, whether a deed states ten dollars or a hundredth of what homes cost', async () => {
  const { subject, homes } = street(town(8), 'nominal');
  const [first, second, third] = homes;
  assert.ok(first && second && third);
  const ids = await write(
    offered(subject),
    ...homes.map((home) => sold(home, '2026-02-01')),
    // Later sales of the same homes, and more of them than there are real ones.
    sold({ ...first, price: 10 }, '2026-04-01', { listingKey: 'deed' }),
    sold({ ...second, price: 5_000 }, '2026-04-01', { listingKey: 'share' }),
    sold({ ...third, price: 200_000 }, '2026-04-01', { listingKey: 'relatives', listPrice: 600_000 }),
    ...Array.from({ length: 9 }, (_, at) => sold({ ...first, key: `gift-${at}`, price: 1 }, '2026-03-01')),
  );
  const { sale } = await estimate(ids.get(subject.key));
  const expected = estimateOf(subject, homes);
  assert.deepEqual(
    [sale.value, sale.low, sale.high, sale.n],
    [...[expected.value, expected.low, expected.high].map(threeDigits), 7],
  );
  const prices = (await comparables(ids.get(subject.key), 'limit=20')).map(({ price }) => price);
  assert.deepEqual(
    prices.toSorted((a, b) => a - b),
    homes.map(({ price }) => price).toSorted((a, b) => a - b),
  );
});

test('prices are carried to the day along the trend of what closed around the place, half a year at the most', async () => {
  const at = town(7);
  const day = (age: number) => new Date(clock.now() - age * DAY).toISOString().slice(0, 10);
  const age = (closedAt: string) => (Math.floor(clock.now() / HOUR) * HOUR - Date.parse(closedAt)) / DAY;
  const home = (number: number, price: number): Home => ({
    key: `trend-${number}`,
    place: at(0.05 * number, 0.02 * number),
    price,
    livingArea: 2_000,
    ...known,
  });
  // Prices that grow by a hundredth a day. The last two closed before the days that the trend is fitted to.
  const ages = [1, 10, 25, 40, 55, 70, 85, 100, 115, 150, 300];
  const homes = ages.map((days, at) => home(at + 1, 500_000 * Math.exp(-days / 100)));
  const closings = ages.map((days) => day(days + 1));
  const subject = home(0, 1);
  const ids = await write(offered(subject), ...homes.map((each, at) => sold(each, closings[at] ?? '')));
  const { sale } = await estimate(ids.get(subject.key));
  const told = homes.map(({ price }, at) => ({ age: age(closings[at] ?? ''), log: Math.log(price) }));
  const slope = trendOf(told.filter((each) => each.age < 120));
  const carried = homes.map((each, at) => ({
    ...each,
    price: each.price * Math.exp(slope * Math.min(180, told[at]?.age ?? 0)),
  }));
  assert.ok(slope > 0);
  assert.deepEqual([sale.value, sale.n], [threeDigits(estimateOf(subject, carried).value), 11]);
  assert.notEqual(sale.value, threeDigits(estimateOf(subject, homes).value), 'the trend matters here');
});

/** The slope a day of closings in one cell, by the sums themselves; standing prices are believed with 500,000 square days. */
function trendOf(closings: readonly { readonly age: number; readonly log: number }[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [age, log] = [mean(closings.map((each) => each.age)), mean(closings.map((each) => each.log))];
  const products = closings.map((each) => (each.age - age) * (each.log - log));
  const squares = closings.map((each) => (each.age - age) ** 2);
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  return -sum(products) / (sum(squares) + 500_000);
}

test('no estimate where a source forbids it, too little is known, or too few compare', async () => {
  const at = town(6);
  const { subject, homes } = street(at, 'withheld');
  const forbidden = { display: { listing: true, address: true, estimate: false } };
  const ids = await write(
    offered(subject, forbidden),
    offered({ ...subject, key: 'sizeless' }, { livingArea: null }),
    offered({ ...subject, key: 'placeless' }, { location: null }),
    offered({ ...subject, key: 'lonely', place: town(30)(0, 0) }),
    ...homes.map((home) => sold(home, '2026-02-01')),
  );
  for (const [key, reason] of [
    [subject.key, 'withheld_by_source'],
    ['sizeless', 'living_area_unknown'],
    ['placeless', 'place_unknown'],
    ['lonely', 'too_few_comparables'],
  ] as const) {
    const { sale, rent } = await estimate(ids.get(key));
    assert.deepEqual(
      [sale.value, sale.low, sale.high, sale.reason, rent.value],
      [null, null, null, reason, null],
    );
  }
  const { sale } = await estimate(ids.get(subject.key), 'display=ignore', keys.internal);
  assert.ok(sale.value !== null, 'Internal callers may look past display rules');
  const restricted = await service.get(
    `/v1/property/${ids.get(subject.key)}/estimate?display=ignore`,
    keys.business,
  );
  assert.equal(restricted.status, 403);
  assert.deepEqual(await comparables(ids.get('placeless')), []);
});

test('a property includes what its parts answer, and its tag follows them', async () => {
  const { subject, homes } = street(town(9), 'include');
  const [first, ...others] = homes;
  assert.ok(first);
  const ids = await write(offered(subject), ...others.map((home) => sold(home, '2026-02-01')));
  const id = ids.get(subject.key);
  const path = `/v1/property/${id}?include=estimate,comparables,areas,photos`;
  const answer = await service.get(path, keys.free);
  const body = (await answer.json()) as Estimate & Record<string, unknown>;
  const { currency, sale, rent } = await estimate(id);
  assert.deepEqual(body.estimate, { currency, sale, rent });
  assert.deepEqual(body.comparables, await comparables(id));
  assert.deepEqual([body.photos, body.areas, body.listings], [[], [], null]);
  const plain: Record<string, unknown> = await service.json(`/v1/property/${id}`, keys.free);
  assert.deepEqual([plain.estimate, plain.comparables, plain.photos, plain.areas], [null, null, null, null]);
  const tag = { 'if-none-match': answer.headers.get('etag') ?? '' };
  assert.equal((await service.get(path, keys.free, tag)).status, 304);
  await write(sold(first, '2026-02-01'));
  assert.equal((await service.get(path, keys.free, tag)).status, 200, 'a neighbour’s sale changes it');
  const live: Record<string, unknown> = await service.json(path, keys.business);
  assert.deepEqual((live.estimate as Estimate).sale, (await estimate(id)).sale);
});
