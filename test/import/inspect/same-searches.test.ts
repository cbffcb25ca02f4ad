// Proves over HTTP on real data that files imported by an inspection alone answer searches as those imported by maps by hand do.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { inspectFile } from '../../../src/import/inspect/inspect-file.ts';
import { mapText } from '../../../src/import/inspect/map-text.ts';
import { type ImportMap, parseMap, readMap } from '../../../src/import/mapping/map.ts';
import { runImport } from '../../../src/import/run.ts';
import { openDatabase } from '../../../src/postgres/client/database.ts';
import { EXAMPLES } from '../../support/catalogue/import-service.ts';
import { temporaryFolder } from '../../support/database/database.ts';
import { manualClock } from '../../support/service/clock.ts';
import { startService, type TestService } from '../../support/service/service.ts';

const data = process.env.FREEHOLD_TEST_DATA ?? '';
const skip =
  data !== '' && existsSync(join(data, 'sales.csv.gz'))
    ? false
    : 'needs FREEHOLD_TEST_DATA, a folder of real data';

/** A part of the rows of each file, by the first column: all sales of a parcel, or none. */
const FILES = [
  { name: 'sales', byHand: 'king-county-sales', nth: 110 },
  { name: 'rents', byHand: 'us-rentals', nth: 10 },
] as const;

const SALES = [
  '',
  '&sort=price',
  '&sort=-price,-livingArea',
  '&sort=-closedAt',
  '&minPrice=400000&maxPrice=600000',
  '&bedrooms=3&sort=price',
  '&minBedrooms=4&minBathrooms=2.5&sort=-livingArea',
  '&minLivingArea=2000&maxLivingArea=2500&sort=livingArea',
  '&minLotSize=20000&sort=-yearBuilt',
  '&minYearBuilt=2010&sort=-yearBuilt',
  '&maxYearBuilt=1920&minClosePrice=500000',
  '&waterfront=true&sort=price',
  '&postalCode=98103&sort=price',
  '&state=WA&country=US&closedSince=2015-01-01&closedBefore=2015-02-01',
  '&bbox=-122.4,47.6,-122.3,47.7&sort=price',
  '&lat=47.61&lng=-122.33&radius=5km&sort=price',
  '&maxPricePerArea=200&sort=price',
  '&facets=bedrooms,bathrooms,yearBuiltDecade&stats=median_list_price,median_price_per_area',
  '&facets=priceBucket&priceBucket=100000',
  '&cluster=true&bbox=-122.6,47.1,-121.3,47.8&zoom=10',
  '&ids=unknown',
].map((query) => `/v1/search/sales?status=CLOSED${query}`);
const RENTALS = [
  '',
  '&sort=price',
  '&sort=-livingArea',
  '&city=seattle&facets=bedrooms',
  '&state=TX&minBedrooms=2&sort=price',
  '&pets=cats&sort=price',
  '&pets=dogs&noFee=true',
  '&hasPhotos=true&sort=-price',
  '&minPrice=1000&maxPrice=1500&bathrooms=2',
  '&minLivingArea=1500&sort=-livingArea',
  '&q=austin&sort=price',
  '&bbox=-125,32,-114,42&sort=price',
  '&hasLivingArea=true&currency=USD',
  '&facets=city,propertyType,bathrooms',
  '&facets=priceBucket&priceBucket=500',
  '&cluster=true&bbox=-125,25,-66,49&zoom=4',
].map((query) => `/v1/search/rentals?count=exact${query}`);

/** What maps by hand state and no column does, what only the inspection finds, and what is of the request itself. */
const LEFT_OUT: readonly string[] = [
  'county',
  'stories',
  'propertyId',
  'url',
  'requestId',
  'nextCursor',
  'dataAsOf',
];

const comparable = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (name, value: unknown) => (LEFT_OUT.includes(name) ? undefined : value)));

/** Writes the rows whose id is a multiple: no cell of these files has a line break. */
async function takeRows(folder: string, { name, nth }: (typeof FILES)[number]): Promise<string> {
  const [heading, ...lines] = gunzipSync(await readFile(join(data, `${name}.csv.gz`)))
    .toString()
    .trim()
    .split('\n');
  const path = join(folder, `${name}.csv`);
  await writeFile(
    path,
    `${[heading, ...lines.filter((line) => Number.parseInt(line.replace('"', ''), 10) % nth === 0)].join('\n')}\n`,
  );
  return path;
}

async function serviceWith(
  t: TestContext,
  mapOf: (file: string, byHand: ImportMap) => Promise<ImportMap>,
): Promise<TestService> {
  const service = await startService(t);
  const folder = await temporaryFolder(t, 'rows');
  // At one moment, so that order among equals does not depend on it.
  const database = openDatabase({ url: service.databaseUrl, clock: manualClock() });
  t.after(() => database.close());
  for (const each of FILES) {
    const file = await takeRows(folder, each);
    const byHand = await readMap(join(EXAMPLES, `${each.byHand}.json`), 'listings');
    const map = await mapOf(file, byHand);
    const { created, rejected } = await runImport(database, { file, map, mapFile: 'map.json' });
    assert.ok(created > 900 && rejected === 0, `${each.name}: ${created} created, ${rejected} rejected`);
  }
  return service;
}

test('searches, facets, figures and clusters are the same by an inspection alone as by maps by hand', {
  skip,
}, async (t) => {
  const byHand = await serviceWith(t, async (_, map) => map);
  // Ids of listings are made of the source: it has the same here.
  const inspected = await serviceWith(t, async (file, { source }) => ({
    ...parseMap('map.json', mapText((await inspectFile({ file })).map)),
    source,
  }));
  let found = 0;
  for (const path of [...SALES, ...RENTALS]) {
    const limited = path.includes('cluster=') ? path : `${path}&limit=50`;
    const [expected, answer] = await Promise.all(
      [byHand, inspected].map(async (service) =>
        comparable(await service.json(limited, service.keys.internal)),
      ),
    );
    assert.deepEqual(answer, expected, path);
    const lists = Object.values(expected as object).filter((member) => Array.isArray(member));
    if (lists.some((list) => list.length > 0)) found++;
  }
  assert.ok(found >= 30, `${found} searches find something`);
});
