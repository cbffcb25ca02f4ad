// Tests of imports on real data: figures worked out here from the files themselves, by other code, must come out.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';
import { runCommand } from '../support/process/cli.ts';
import { startService } from '../support/service/service.ts';

const EXAMPLES = join(import.meta.dirname, '../../docs/examples');
const data = process.env.FREEHOLD_TEST_DATA ?? '';
const skip =
  existsSync(join(data, 'sales.csv.gz')) && data !== ''
    ? false
    : 'needs FREEHOLD_TEST_DATA, a folder of real data';

type Row = Readonly<Record<string, string>>;
type Ring = readonly (readonly [number, number])[];
interface Feature {
  readonly id?: string;
  readonly properties: Row;
  readonly geometry: {
    readonly type: string;
    readonly coordinates: readonly Ring[] | readonly (readonly Ring[])[];
  };
}

/**
 * Some rows of a gzipped CSV file, about a quarter, written to `file`: by a reader of its own, with quotes, doubled quotes, one record a
 * line. `isKept` sees each row with its number.
 */
async function takeRows(
  name: string,
  file: string,
  isKept: (row: Row, at: number) => boolean,
): Promise<Row[]> {
  const [heading = '', ...lines] = gunzipSync(await readFile(join(data, name)))
    .toString()
    .trim()
    .split(/\r?\n/);
  const cells = (line: string) =>
    [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = '']) =>
      cell.replace(/^"|"$/g, '').replaceAll('""', '"'),
    );
  const names = cells(heading);
  const rowOf = (line: string): Row => {
    const values = cells(line);
    return Object.fromEntries(names.map((cell, at) => [cell, values[at] ?? '']));
  };
  const kept = lines.map((line) => ({ line, row: rowOf(line) })).filter(({ row }, at) => isKept(row, at));
  await writeFile(file, `${[heading, ...kept.map(({ line }) => line)].join('\n')}\n`);
  return kept.map(({ row }) => row);
}

async function readFeatures(name: string): Promise<Feature[]> {
  const text = await readFile(join(data, 'areas', `${name}.geojson`), 'utf8');
  return (JSON.parse(text) as { features: Feature[] }).features;
}

/** By winding: another rule than the service's crossings. */
function isInside({ geometry }: Feature, x: number, y: number): boolean {
  const polygons = (
    geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates
  ) as readonly (readonly Ring[])[];
  const winds = (ring: Ring): boolean => {
    let number = 0;
    for (const [at, [bx, by]] of ring.entries()) {
      const [ax, ay] = ring[at === 0 ? ring.length - 1 : at - 1] ?? [0, 0];
      const left = (bx - ax) * (y - ay) - (x - ax) * (by - ay);
      if (ay <= y && by > y && left > 0) number++;
      if (ay > y && by <= y && left < 0) number--;
    }
    return number !== 0;
  };
  return polygons.some(([shell = [], ...holes]) => winds(shell) && !holes.some(winds));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.ceil((sorted.length - 1) / 2)],
  ];
  return ((low ?? 0) + (high ?? 0)) / 2;
}

const monthly = ({ price, price_type: type }: Row): number =>
  type === 'Monthly' ? Number(price) : Math.round(((Number(price) * 52) / 12) * 100) / 100;

test('real sales, rentals and areas come out as independent figures say, in SQL and over HTTP', {
  skip,
}, async (t) => {
  const service = await startService(t);
  const folder = await temporaryFolder(t, 'data');
  const { database, keys } = service;
  async function bring(kind: string, file: string, map: string): Promise<Record<string, number>> {
    const args = [
      'import',
      kind,
      file,
      '--map',
      join(EXAMPLES, map),
      '--rejected',
      join(folder, 'rejected.csv'),
      '--json',
    ];
    const end = await runCommand(args, { folder, environment: { DATABASE_URL: service.databaseUrl } });
    assert.equal(end.code, 0, end.stderr);
    const outcome = JSON.parse(end.stdout) as Record<string, number>;
    t.diagnostic(`${file}: ${outcome.rows} rows in ${outcome.seconds} s`);
    return outcome;
  }
  const total = async (path: string): Promise<number> =>
    ((await service.json(`${path}&count=exact&limit=1`, keys.internal)) as { total: { value: number } }).total
      .value;
  const one = async (path: string): Promise<Record<string, unknown>> =>
    ((await service.json(`${path}&limit=1`, keys.internal)) as { data: Record<string, unknown>[] }).data[0] ??
    {};

  const [salesFile, rentsFile] = [join(folder, 'sales.csv'), join(folder, 'rents.csv')];
  // All sales of a parcel, or none.
  const sales = await takeRows('sales.csv.gz', salesFile, ({ id }) => Number(id) % 4 === 0);
  const rents = await takeRows('rents.csv.gz', rentsFile, (_, at) => at % 4 === 0);
  const [neighborhoods, zctas] = [
    await readFeatures('seattle-neighborhoods'),
    await readFeatures('seattle-zcta'),
  ];
  const bringAreas = async (name: string) =>
    (await bring('areas', join(data, `areas/${name}.geojson`), `${name}.json`)).created;
  assert.equal(await bringAreas('us-counties'), 3_221);
  assert.equal(await bringAreas('seattle-zcta'), zctas.length);
  assert.equal((await bring('listings', salesFile, 'king-county-sales.json')).created, sales.length);
  assert.equal((await bring('listings', rentsFile, 'us-rentals.json')).created, rents.length);
  // After the listings, which are then placed again.
  assert.equal(await bringAreas('seattle-neighborhoods'), neighborhoods.length);

  await t.test('prices, counts, the cheapest and the newest', async () => {
    const [figures] = await database.read(
      (sql) => sql`
        select percentile_cont(0.5) within group (order by price) filter (where listing_type = 'sale') as sale,
          percentile_cont(0.5) within group (order by price) filter (where listing_type = 'rental') as rent,
          count(*) filter (where bedrooms is null)::int as bedless, count(*) filter (where bathrooms is null)::int as bathless,
          count(*) filter (where location is null)::int as nowhere
        from listing_search`,
    );
    assert.equal(figures?.sale, median(sales.map(({ price }) => Number(price))));
    assert.equal(figures?.rent, median(rents.map(monthly)));
    assert.equal(figures?.bedless, rents.filter(({ bedrooms }) => bedrooms === 'null').length);
    assert.equal(figures?.bathless, rents.filter(({ bathrooms }) => bathrooms === 'null').length);
    const centre = (row: Row) => row.latitude === '39.8163' && row.longitude === '-98.5576';
    assert.equal(figures?.nowhere, rents.filter((row) => row.latitude === '' || centre(row)).length);
    const newest = sales.reduce((latest, { date = '' }) => (date > latest ? date : latest), '');
    const last = await one('/v1/search/sales?status=CLOSED&sort=-closedAt');
    assert.equal(String(last.closedAt).replaceAll('-', ''), newest.slice(0, 8));
    const cheapest = await one('/v1/search/rentals?sort=price');
    assert.equal(cheapest.priceMonthly, Math.min(...rents.map(monthly)));
    const photos = await total('/v1/search/rentals?hasPhotos=true');
    assert.equal(photos, rents.filter((row) => row.has_photo !== 'No').length);
    const seattle = await total('/v1/search/rentals?city=seattle&minBedrooms=2');
    assert.equal(
      seattle,
      rents.filter((row) => row.cityname === 'Seattle' && Number(row.bedrooms) >= 2).length,
    );
    const water = await database.read(
      (sql) => sql`select count(*)::int as n from listing where (record ->> 'waterfront')::boolean`,
    );
    assert.equal(water[0]?.n, sales.filter(({ waterfront }) => waterfront === '1').length);
  });

  await t.test('a total is told without being asked for, and is what paging to the end finds', async () => {
    interface Answer {
      readonly data: readonly { readonly id: string }[];
      readonly total: { readonly value: number };
      readonly page: { readonly nextCursor: string | null };
    }
    const ask = async (path: string) => (await service.json(path, keys.internal)) as unknown as Answer;
    const cheap = (row: Row) => Number(row.price) <= 600_000 && Number(row.bedrooms) >= 2;
    const asked: readonly (readonly [path: string, expected: number])[] = [
      ['/v1/search/sales?status=CLOSED', sales.length],
      ['/v1/search/sales?status=CLOSED&maxPrice=600000&minBedrooms=2', sales.filter(cheap).length],
      ['/v1/search/rentals?sort=price', rents.length],
      ['/v1/search/rentals?minBedrooms=2', rents.filter((row) => Number(row.bedrooms) >= 2).length],
    ];
    for (const [path, expected] of asked) {
      assert.equal(
        (await ask(`${path}${path.includes('?') ? '&' : '?'}limit=1`)).total.value,
        expected,
        path,
      );
      assert.equal(await total(path), expected, path);
      const found = new Set<string>();
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await ask(`${path}&limit=500&count=none${cursor && `&cursor=${cursor}`}`);
        for (const { id } of page.data) found.add(id);
        cursor = page.page.nextCursor;
      }
      assert.equal(found.size, expected, path);
    }
  });

  await t.test('areas hold what lies within their boundaries', async () => {
    const ballard = neighborhoods.find(({ properties }) => properties.name === 'Loyal Heights');
    const sample = [ballard, ...neighborhoods.filter((_, at) => at % 12 === 0)].filter(
      (feature) => feature !== undefined,
    );
    for (const feature of sample) {
      const id = `neighborhood-seattle-${String(feature.properties.name)
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')}`;
      const own = sales.filter(({ lat, long }) => isInside(feature, Number(long), Number(lat))).length;
      assert.equal(await total(`/v1/search/sales?status=CLOSED&areaId=${id}`), own, id);
    }
    for (const feature of zctas.filter((_, at) => at % 6 === 0)) {
      const code = feature.properties.ZCTA5CE10 ?? '';
      const own = rents.filter(({ longitude, latitude }) =>
        isInside(feature, Number(longitude), Number(latitude)),
      ).length;
      assert.equal(await total(`/v1/search/rentals?areaId=postal-code-${code}`), own, code);
    }
    const king = (await readFeatures('us-counties')).find(({ id }) => id === '53033');
    assert.ok(king);
    const own = sales.filter(({ lat, long }) => isInside(king, Number(long), Number(lat))).length;
    assert.equal(await total('/v1/search/sales?status=CLOSED&areaId=county-53033'), own);
    const named = (await service.json('/v1/areas?q=washington&type=county&limit=100', keys.internal)) as {
      data: unknown[];
    };
    assert.ok(named.data.length > 25, 'thirty-odd counties have one name, each an area of its own');
  });

  await t.test('a parcel sold more than once is one property with every sale in its history', async () => {
    const byParcel = Map.groupBy(sales, ({ id }) => id);
    const [places] = await database.read(
      (sql) => sql`select count(distinct property_id)::int as n from listing where source = 'king-county'`,
    );
    assert.equal(places?.n, byParcel.size);
    const [parcel, times] =
      [...byParcel].find(([id, rows]) => rows.length === 3 && id?.startsWith('0')) ?? [];
    assert.ok(parcel && times, 'the data has a parcel with leading zeros that was sold three times');
    const [listing] = await database.read(
      (sql) =>
        sql`select id from listing where record -> 'property' ->> 'parcelNumber' = ${String(parcel)} limit 1`,
    );
    const property = (await service.json(
      `/v1/property/${listing?.id}?include=listings,history`,
      keys.pro,
    )) as {
      parcelNumber: string;
      listings: unknown[];
      history: { event: string; price: number; at: string }[];
    };
    assert.equal(property.parcelNumber, parcel);
    assert.equal(property.listings.length, 3);
    const closed = property.history.filter(({ event }) => event === 'CLOSED');
    const told = closed.map(({ at, price }) => `${at.slice(0, 10).replaceAll('-', '')} ${price}`).sort();
    assert.deepEqual(
      told,
      times.map(({ date = '', price }) => `${date.slice(0, 8)} ${Number(price)}`).sort(),
    );
  });

  await t.test('a second import of the sales changes no row', async () => {
    const versions = () =>
      database.read(
        (sql) => sql`
          select md5(string_agg(id || v, ',' order by id)) as all from (
            select id, xmin::text as v from listing union all select id, xmin::text from listing_search
            union all select id, xmin::text from property) as row`,
      );
    const before = await versions();
    const again = await bring('listings', salesFile, 'king-county-sales.json');
    assert.deepEqual([again.created, again.changed, again.unchanged], [0, 0, sales.length]);
    assert.deepEqual(await versions(), before);
  });
});

test('listings lie in the same areas whichever came first', { skip }, async (t) => {
  const folder = await temporaryFolder(t, 'order');
  const lines = gunzipSync(await readFile(join(data, 'sales.csv.gz')))
    .toString()
    .split('\n');
  const sales = join(folder, 'sales.csv');
  await writeFile(sales, lines.slice(0, 2_001).join('\n'));
  const areas = [
    'areas',
    join(data, 'areas/seattle-neighborhoods.geojson'),
    '--map',
    join(EXAMPLES, 'seattle-neighborhoods.json'),
  ];
  // As if they were for sale: only what is active is counted.
  const map = join(folder, 'map.json');
  const text = await readFile(join(EXAMPLES, 'king-county-sales.json'), 'utf8');
  await writeFile(map, text.replace('"CLOSED"', '"ACTIVE"'));
  const listings = ['listings', sales, '--map', map];
  const places: unknown[] = [];
  for (const order of [
    [areas, listings],
    [listings, areas],
  ]) {
    const { database, url } = await testDatabase(t);
    for (const args of order) {
      const command = ['import', ...args, '--rejected', join(folder, 'rejected.csv')];
      const end = await runCommand(command, { folder, environment: { DATABASE_URL: url } });
      assert.equal(end.code, 0, end.stderr);
    }
    const found = await database.read(
      (sql) => sql`
        select listing_key, l.area_nos = s.area_nos as same,
          array(select area.id from area where no = any(l.area_nos) order by area.id) as areas
        from listing l join listing_search s using (id) order by listing_key`,
    );
    const counts = await database.read(
      (sql) =>
        sql`select area.id, active from area_count join area on no = area_no where active <> 0 order by id`,
    );
    assert.ok(counts.length > 50, 'areas have counts to compare');
    places.push({ found: [...found], counts: [...counts] });
  }
  assert.deepEqual(places[0], places[1]);
});
