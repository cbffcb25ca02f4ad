// Proves figures on real sales: by month, by postal code and within neighbourhoods, against the file itself.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { poll } from '../support/check/until.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { runCommand } from '../support/process/cli.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';

const data = process.env.FREEHOLD_TEST_DATA ?? '';
const skip =
  data !== '' && existsSync(join(data, 'sales.csv.gz'))
    ? false
    : 'needs FREEHOLD_TEST_DATA, a folder of real data';

interface Sale {
  readonly day: string;
  readonly price: number;
  readonly area: number;
  readonly bedrooms: number;
  readonly postalCode: string;
  readonly lng: number;
  readonly lat: number;
}
interface Figure {
  readonly value: number | null;
  readonly n: number;
  readonly p25: number | null;
  readonly p75: number | null;
}
type Figures = Record<string, Figure>;
type Ring = readonly (readonly [number, number])[];

async function readSales(): Promise<Sale[]> {
  const [heading = '', ...lines] = gunzipSync(await readFile(join(data, 'sales.csv.gz')))
    .toString()
    .trim()
    .split(/\r?\n/);
  const names = heading.replaceAll('"', '').split(',');
  return lines.map((line) => {
    const cells = line.replaceAll('"', '').split(',');
    const of = (name: string): string => cells[names.indexOf(name)] ?? '';
    const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})/.exec(of('date')) ?? [];
    return {
      day: `${year}-${month}-${day}`,
      price: Number(of('price')),
      area: Number(of('sqft_living')),
      bedrooms: Number(of('bedrooms')),
      postalCode: of('zipcode'),
      lng: Number(of('long')),
      lat: Number(of('lat')),
    };
  });
}

/** By order statistics counted out, not by a formula over a sorted list's middle. */
function quantile(values: readonly number[], part: number): number {
  const sorted = Float64Array.from(values).sort();
  const place = part * (sorted.length - 1);
  const below = sorted[Math.trunc(place)] ?? Number.NaN;
  return below + ((sorted[Math.trunc(place) + 1] ?? below) - below) * (place % 1);
}

const cents = (value: number): number => Math.round(value * 100) / 100;
const close = (a: number | null | undefined, b: number, what: string): void =>
  assert.ok(a != null && Math.abs(a - b) <= 0.0101, `${what}: ${a} is ${b}`);

/** Holds the figures of closings to the sales themselves. */
function hold(figures: Figures, sales: readonly Sale[], what: string): void {
  const prices = sales.map(({ price }) => price);
  assert.equal(figures.closed_listings?.value, sales.length, what);
  close(figures.sales_volume?.value, cents(prices.reduce((sum, price) => sum + price, 0)), what);
  const {
    median_close_price: median,
    average_close_price: mean,
    median_close_price_per_area: perArea,
  } = figures;
  if (sales.length < 5) {
    assert.equal(median?.value, null, what);
    return;
  }
  for (const [value, part] of [
    [median?.p25, 0.25],
    [median?.value, 0.5],
    [median?.p75, 0.75],
  ] as const)
    close(value, quantile(prices, part), `${what} at ${part}`);
  close(mean?.value, prices.reduce((sum, price) => sum + price, 0) / prices.length, `${what} mean`);
  close(
    perArea?.value,
    quantile(
      sales.map(({ price, area }) => price / area),
      0.5,
    ),
    `${what} per area`,
  );
}

/** By winding: another rule than the service's crossings. */
function winds(ring: Ring, x: number, y: number): boolean {
  let number = 0;
  for (const [at, [bx, by]] of ring.entries()) {
    const [ax, ay] = ring.at(at - 1) ?? [0, 0];
    const left = (bx - ax) * (y - ay) - (x - ax) * (by - ay);
    if (ay <= y && by > y && left > 0) number++;
    if (ay > y && by <= y && left < 0) number--;
  }
  return number !== 0;
}

test('real sales have the medians, quartiles and sums that the file says', { skip }, async (t) => {
  const service = await startService(t, { clock: manualClock(Date.UTC(2015, 5, 15)) });
  const folder = await temporaryFolder(t, 'market');
  const bring = async (kind: string, file: string, map: string): Promise<void> => {
    const examples = join(import.meta.dirname, '../../docs/examples');
    const rejected = ['--rejected', join(folder, 'rejected.csv')];
    const args = ['import', kind, join(data, file), '--map', join(examples, map), ...rejected];
    const end = await runCommand(args, { folder, environment: { DATABASE_URL: service.databaseUrl } });
    assert.equal(end.code, 0, end.stderr);
  };
  await bring('areas', 'areas/seattle-neighborhoods.geojson', 'seattle-neighborhoods.json');
  await bring('listings', 'sales.csv.gz', 'king-county-sales.json');
  const sales = await readSales();
  const METRICS =
    'closed_listings,sales_volume,median_close_price,average_close_price,median_close_price_per_area';
  /** Figures that are not finished in one request are, as the answer says, once it has been sent again. */
  const ask = <T>(path: string): Promise<T> =>
    poll(path, async () => {
      const answer = await service.get(`/v1/market/${path}`, service.keys.internal);
      const text = await answer.text();
      if (answer.status === 503 && answer.headers.has('retry-after')) return undefined;
      assert.equal(answer.status, 200, text);
      return JSON.parse(text) as T;
    });

  await t.test('month by month over ten years, and for all metrics', async () => {
    const path = 'history?listingType=sale&from=2005-06-01&to=2015-06-01&limit=500';
    const { points } = await ask<{ points: { start: string; end: string; metrics: Figures }[] }>(path);
    assert.equal(points.length, 120);
    for (const { start, end, metrics } of points) {
      const own = sales.filter(({ day }) => day >= start && day < end);
      hold(metrics, own, start);
    }
    const sold = points.reduce((sum, { metrics }) => sum + (metrics.closed_listings?.value ?? 0), 0);
    assert.equal(sold, sales.length);
    await ask(path);
  });

  const YEAR = 'from=2014-05-01&to=2015-06-01';
  await t.test('by postal code and number of bedrooms', async () => {
    for (const postalCode of [...new Set(sales.map((sale) => sale.postalCode))].filter(
      (_, at) => at % 7 === 0,
    )) {
      const path = `stats?listingType=sale&zipCode=${postalCode}&${YEAR}&groupBy=bedrooms&limit=100&metrics=${METRICS}`;
      const { metrics, groups } = await ask<{
        metrics: Figures;
        groups: { by: { bedrooms: number }; metrics: Figures }[];
      }>(path);
      const own = sales.filter((sale) => sale.postalCode === postalCode);
      hold(metrics, own, postalCode);
      assert.deepEqual(
        groups.map(({ by }) => by.bedrooms),
        [...new Set(own.map(({ bedrooms }) => bedrooms))].sort((a, b) => a - b),
      );
      for (const { by, metrics: part } of groups)
        hold(
          part,
          own.filter(({ bedrooms }) => bedrooms === by.bedrooms),
          `${postalCode} ${by.bedrooms}`,
        );
    }
  });

  await t.test('within the boundaries of neighbourhoods, side by side', async () => {
    const text = await readFile(join(data, 'areas/seattle-neighborhoods.geojson'), 'utf8');
    const { features } = JSON.parse(text) as {
      features: { properties: { name: string }; geometry: { coordinates: Ring[][] } }[];
    };
    const some = features.filter((_, at) => at % 9 === 0);
    const idOf = (name: string) => `neighborhood-seattle-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
    const ids = some.map(({ properties }) => idOf(properties.name));
    const { areas } = await ask<{ areas: { areaId: string; metrics: Figures }[] }>(
      `compare?listingType=sale&areaId=${ids}&${YEAR}&limit=50&metrics=${METRICS}`,
    );
    assert.deepEqual(
      areas.map(({ areaId }) => areaId),
      ids,
    );
    for (const [at, { geometry }] of some.entries()) {
      const inside = ({ lng, lat }: Sale) =>
        geometry.coordinates.some(
          ([shell = [], ...holes]) => winds(shell, lng, lat) && !holes.some((hole) => winds(hole, lng, lat)),
        );
      hold(areas[at]?.metrics ?? {}, sales.filter(inside), ids[at] ?? '');
    }
    await ask(`stats?listingType=sale&${YEAR}`);
    await ask(`stats?listingType=sale&from=2015-04-01&to=2015-05-01`);
  });
});
