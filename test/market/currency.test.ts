// Figures of the market over listings in three currencies: each answer in one currency, held against plain loops.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { AreaDraft } from '../../src/areas/area.ts';
import { writeAreaBatch } from '../../src/ingest/area-writer.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import {
  END,
  type ListingHistory,
  listingHistories,
  writeHistories,
} from '../support/catalogue/listing-histories.ts';
import { writeAreas } from '../support/catalogue/random-market.ts';
import { expect } from '../support/oracle/market-oracle.ts';
import { manualClock } from '../support/service/clock.ts';
import { problemOf } from '../support/service/http-server.ts';
import { startService } from '../support/service/service.ts';

const DAY = 86_400_000;
const service = await startService({ after }, { clock: manualClock(END) });
const catalogue = createCatalogue(service.database);
await writeAreas(service.database);
const [all = []] = fc.sample(listingHistories, { seed: 91, numRuns: 1 });
/** What lies in Crane is in yen; in Aldern dollars and euros stand side by side. */
const currencyOf = ({ city, key }: ListingHistory): string =>
  city === 'Crane' ? 'JPY' : Number(key.slice('key-'.length)) % 3 === 0 ? 'EUR' : 'USD';
await writeHistories(service.database, catalogue, all, currencyOf);

const city = (name: string): AreaDraft => ({
  type: 'city',
  externalId: name.toLowerCase(),
  name,
  aliases: [],
  codes: {},
  parentReference: null,
  population: null,
  boundary: null,
});

interface Figure {
  readonly value: number | null;
  readonly n: number;
}
type Figures = Record<string, Figure>;
interface Told {
  readonly scope: { readonly currency: string | null };
  readonly period: { readonly start: string; readonly end: string };
  readonly metrics: Figures;
  readonly groups: readonly {
    readonly by: { readonly bedrooms: number | null };
    readonly metrics: Figures;
  }[];
  readonly points: readonly { readonly start: string; readonly end: string; readonly metrics: Figures }[];
  readonly areas: readonly {
    readonly areaId: string;
    readonly currency: string | null;
    readonly currencyChoice: object | null;
    readonly metrics: Figures;
  }[];
  readonly bands: readonly {
    readonly value: number | null;
    readonly nRentals: number;
    readonly nSales: number;
  }[];
  readonly n: number;
  readonly percentiles: Record<string, number | null>;
  readonly page: { readonly nextCursor: string | null };
}

const ask = (path: string): Promise<Told> => service.json(`/v1/market/${path}`, service.keys.internal);

/** The currencies that a refusal names. */
async function named(path: string): Promise<readonly string[] | null> {
  const answer = await service.get(`/v1/market/${path}`, service.keys.internal);
  assert.equal(answer.status, 400, path);
  const { code, errors = [] } = await problemOf(answer);
  assert.equal(code, 'INVALID_PARAMETER', path);
  assert.equal(errors[0]?.parameter, 'currency', path);
  return errors[0]?.detail?.match(/\b[A-Z]{3}\b/g) ?? null;
}

const at = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const PERIODS = [['2025-12-01', '2026-01-01'], ['2025-06-01', '2025-09-01'], ['2025-01-01', '2026-01-01']] as const; // biome-ignore format: a table
const TYPES = ['sale', 'rental'] as const;
const MONEY = { sale: ['median_list_price', 'average_list_price', 'median_close_price', 'sales_volume'], rental: ['median_rent', 'median_rent_per_area'] }; // biome-ignore format: a table

/** Holds figures to the loops; gives how many values there were. */
function hold(
  figures: Figures,
  type: 'sale' | 'rental',
  [start, end]: readonly [string, string],
  keeps: (life: ListingHistory) => boolean,
): number {
  const expected = expect(all, { listingType: type, keeps, start: at(start), end: at(end) });
  let values = 0;
  for (const [id, { value, n }] of Object.entries(figures)) {
    const want = expected[id];
    assert.ok(want, id);
    assert.equal(n, want.n, `${id} rests on those of its currency`);
    if (value === null || want.value === null) continue;
    assert.ok(
      Math.abs(value - want.value) <= 0.0051 || Math.abs(value / want.value - 1) < 1e-6,
      `${id}: ${value} is ${want.value}`,
    );
    values += 1;
  }
  return values;
}

test('stats and histories of one currency are those of its listings alone; of several they are refused by name', async () => {
  let values = 0;
  for (const type of TYPES) {
    for (const period of PERIODS) {
      const query = `stats?listingType=${type}&from=${period[0]}&to=${period[1]}`;
      assert.deepEqual(await named(query), ['EUR', 'JPY', 'USD']);
      assert.deepEqual(await named(`${query}&city=aldern`), ['EUR', 'USD']);
      const crane = await ask(`${query}&city=crane`);
      assert.equal(crane.scope.currency, 'JPY');
      values += hold(crane.metrics, type, period, (life) => life.city === 'Crane');
      for (const currency of ['EUR', 'JPY', 'USD']) {
        const told = await ask(`${query}&currency=${currency}&groupBy=bedrooms&limit=50`);
        assert.equal(told.scope.currency, currency);
        const keeps = (life: ListingHistory) => currencyOf(life) === currency;
        values += hold(told.metrics, type, period, keeps);
        for (const { by, metrics } of told.groups)
          hold(metrics, type, period, (life) => keeps(life) && life.bedrooms === by.bedrooms);
      }
    }
    const history = await ask(
      `history?listingType=${type}&periods=6&currency=eur&metrics=${MONEY[type].join()}`,
    );
    assert.equal(history.scope.currency, 'EUR');
    for (const { start, end, metrics } of history.points)
      values += hold(metrics, type, [start, end], (life) => currencyOf(life) === 'EUR');
  }
  assert.ok(values > 200, `${values} values were held`);
});

test('figures without money go over all currencies', async () => {
  for (const period of PERIODS) {
    const told = await ask(
      `stats?listingType=sale&from=${period[0]}&to=${period[1]}&metrics=inventory,new_listings,sale_to_list_ratio`,
    );
    assert.equal(told.scope.currency, null);
    hold(told.metrics, 'sale', period, () => true);
  }
  const spread = await ask('distribution?listingType=sale&measure=livingArea');
  assert.equal(spread.scope.currency, null);
  assert.deepEqual(await named('stats?listingType=sale&metrics=inventory&minPrice=5'), ['EUR', 'JPY', 'USD']);
});

test('a distribution of prices is of one currency', async () => {
  assert.deepEqual(await named('distribution?listingType=sale&measure=price'), ['EUR', 'JPY', 'USD']);
  assert.deepEqual(await named('distribution?listingType=rental&measure=pricePerArea'), [
    'EUR',
    'JPY',
    'USD',
  ]);
  const period = PERIODS[0];
  let medians = 0;
  for (const currency of ['EUR', 'JPY', 'USD']) {
    const told = await ask(
      `distribution?listingType=rental&measure=price&currency=${currency}&from=${period[0]}&to=${period[1]}`,
    );
    const figures = { median_rent: { value: told.percentiles.p50 ?? null, n: told.n } };
    assert.equal(told.scope.currency, currency);
    medians += hold(figures, 'rental', period, (life) => currencyOf(life) === currency);
  }
  assert.ok(medians > 0);
});

/** Six homes that came on the market in December, in a city without any other. */
const homes = (type: 'sale' | 'rental', currency: string, unit: number, city: string, length = 6) =>
  Array.from({ length }, (_, index) =>
    draft(`${city}-${type}-${index}`, {
      listingType: type,
      currency,
      bedrooms: 2,
      listPrice: unit * (index + 1),
      priceFrequency: type === 'sale' ? 'ONE_TIME' : 'MONTHLY',
      listedAt: new Date(Date.UTC(2025, 11, 2 + index)).toISOString(),
      universalPropertyId: `${city}-${currency}-${index}`,
      address: { ...NO_ADDRESS, city, state: 'Verge' },
    }),
  );

test('areas that are compared are each in their own currency; one that has several is refused by its name', async () => {
  await writeAreaBatch(service.database, 'test', [city('Pine'), city('Reed')]);
  await service.database.transaction((tx) =>
    catalogue.write(
      tx,
      'test',
      [
        ...homes('sale', 'EUR', 100_000, 'Pine'),
        ...homes('rental', 'EUR', 1_000, 'Pine'),
        ...homes('sale', 'JPY', 10_000_000, 'Reed'),
        ...homes('rental', 'USD', 2_000, 'Reed'),
      ],
      END - DAY,
    ),
  );
  const query = 'compare?listingType=sale&metrics=median_list_price';
  const { areas, scope } = await ask(`${query}&areaId=city-pine&areaId=city-reed`);
  assert.equal(scope.currency, null);
  assert.deepEqual(
    areas.map(({ currency, metrics }) => [currency, metrics.median_list_price?.value]),
    [
      ['EUR', 350_000],
      ['JPY', 35_000_000],
    ],
  );
  assert.deepEqual(await named(`${query}&areaId=city-pine&areaId=city-aldern`), ['EUR', 'USD']);
  // A bound is of one amount of money, and so of one currency for all of them.
  assert.deepEqual(await named(`${query}&areaId=city-pine&areaId=city-reed&minPrice=5`), ['EUR', 'JPY']);
  const inYen = await ask(`${query}&areaId=city-pine&areaId=city-reed&minPrice=5&currency=JPY`);
  assert.deepEqual(
    inYen.areas.map(({ currency, metrics }) => [currency, metrics.median_list_price?.n]),
    [
      ['JPY', 0],
      ['JPY', 6],
    ],
  );
});

test('an area that is compared keeps the currency of nearly all of its listings, and says what is left out', async () => {
  await writeAreaBatch(service.database, 'test', [city('Fen')]);
  const strays = homes('sale', 'USD', 5, 'Fen', 2).map((each) => ({
    ...each,
    listingKey: `stray-${each.listingKey}`,
  }));
  await service.database.transaction((tx) =>
    catalogue.write(tx, 'fen', [...homes('sale', 'EUR', 1_000, 'Fen', 21), ...strays], END - DAY),
  );
  const query = 'compare?listingType=sale&metrics=median_list_price&areaId=city-fen&areaId=city-reed';
  const { areas } = await ask(query);
  assert.deepEqual(
    areas.map(({ currency, currencyChoice, metrics }) => [
      currency,
      currencyChoice,
      metrics.median_list_price?.n,
    ]),
    [
      ['EUR', { reason: 'majority', excluded: 2, otherCurrencies: ['USD'] }, 21],
      ['JPY', null, 6],
    ],
  );
});

test('a yield is of rents and prices in one currency', async () => {
  const pine = await ask('yield?areaId=city-pine');
  assert.equal(pine.scope.currency, 'EUR');
  assert.deepEqual(
    pine.bands.map(({ value }) => value),
    [0.12],
  );
  assert.deepEqual(await named('yield?areaId=city-reed'), ['JPY', 'USD']);
  const reed = await ask('yield?areaId=city-reed&currency=JPY');
  assert.deepEqual(
    reed.bands.map(({ value, nRentals, nSales }) => [value, nRentals, nSales]),
    [[null, 0, 6]],
  );
});

test('pages of a series stay in the currency of the first, whatever comes meanwhile', async () => {
  const query =
    'history?listingType=sale&areaId=city-pine&metrics=median_list_price&periods=4&to=2026-01-01&limit=2';
  const first = await ask(query);
  assert.equal(first.scope.currency, 'EUR');
  await service.database.transaction((tx) =>
    catalogue.write(tx, 'other', homes('sale', 'USD', 7, 'Pine'), END - DAY),
  );
  assert.deepEqual(await named(query), ['EUR', 'USD']);
  const next = await ask(`${query}&cursor=${first.page.nextCursor}`);
  assert.equal(next.scope.currency, 'EUR');
  assert.equal(next.points.at(-1)?.metrics.median_list_price?.n, 6);
});

test('comparables and estimates are of the currency of the home, however near others lie', async () => {
  const at = (index: number, currency: string, near: number) =>
    draft(`near-${currency}-${index}`, {
      currency,
      bedrooms: 2,
      listPrice: 300_000 + index,
      livingArea: 1_000,
      location: { lat: 30 + near * index, lng: 30, precision: 'exact' },
      listedAt: '2025-12-02T00:00:00.000Z',
    });
  const range = (count: number) => Array.from({ length: count }, (_, index) => index);
  const { ids } = await service.database.transaction((tx) =>
    catalogue.write(
      tx,
      'test',
      [
        ...range(8).map((index) => at(index, 'EUR', 1e-3)),
        ...range(250).map((index) => at(index, 'JPY', 1e-6)),
      ],
      END - DAY,
    ),
  );
  const path = `/v1/property/${ids.get('near-EUR-0')}`;
  const told: { currency: string; data: { listing: { currency: string } }[] } = await service.json(
    `${path}/comparables`,
    service.keys.internal,
  );
  assert.equal(told.currency, 'EUR');
  assert.deepEqual(
    told.data.map(({ listing }) => listing.currency),
    Array(7).fill('EUR'),
  );
  const estimate: { currency: string; sale: { value: number | null; n: number } } = await service.json(
    `${path}/estimate`,
    service.keys.internal,
  );
  assert.deepEqual([estimate.currency, estimate.sale.n], ['EUR', 7]);
});
