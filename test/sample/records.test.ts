// Proves what the sample market holds besides listings, and what it does when it is told to: photos, lookups, areas, changes by hand.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { askToken, type SampleProcess, startSample } from '../support/sample/process.ts';
import { type Page, property, type Row, sampleClient } from '../support/sample/requests.ts';

const sample = await startSample();
after(() => sample.stop());
const { page } = sampleClient(sample);

test('PhotosCount is the number of photos, the first of which comes as a thumbnail too, and each is an SVG of its own under 6 kB', async () => {
  const { value } = await page(property({ $expand: 'Media', $filter: 'PhotosCount gt 6', $top: '12' }));
  const drawings = new Set<string>();
  let photos = 0;
  for (const row of value) {
    const media = row.Media as { MediaURL: string; Order: number }[];
    assert.equal(media.length, Number(row.PhotosCount) + 1);
    for (const { MediaURL } of media.slice(0, 5)) {
      const response = await fetch(MediaURL);
      assert.equal(response.headers.get('content-type'), 'image/svg+xml; charset=utf-8');
      assert.match(response.headers.get('cache-control') ?? '', /max-age/);
      const drawing = await response.text();
      assert.ok(drawing.startsWith('<svg ') && drawing.length < 6144, `${MediaURL}: ${drawing.length}`);
      drawings.add(drawing);
      photos += 1;
      assert.equal(await (await fetch(MediaURL)).text(), drawing);
    }
  }
  assert.equal(drawings.size, photos);
});

test('a thumbnail is the same drawing, narrower', async () => {
  const { value } = await page(property({ $filter: 'PhotosCount gt 0', $top: '1' }));
  const photo = `${sample.url}/photos/${value[0]?.ListingKey}/0.svg`;
  assert.match(await (await fetch(`${photo}?w=240`)).text(), /^<svg [^>]*width="240" height="160"/);
  assert.equal((await fetch(`${photo}?w=wide`)).status, 400);
  assert.equal((await fetch(`${sample.url}/photos/none/0.svg`)).status, 404);
});

test('lookups list both spellings and can be had by name and time', async () => {
  const { value } = await page(
    `/odata/Lookup?${new URLSearchParams({ $filter: "LookupName eq 'StandardStatus' and ModificationTimestamp ge 2020-01-01T00:00:00Z" })}`,
  );
  assert.equal(value.length, 11);
  const contract = value.find((row) => row.LookupValue === 'Active Under Contract');
  assert.equal(contract?.LegacyODataValue, 'ActiveUnderContract');
  assert.equal((await page(`/odata/Lookup?${new URLSearchParams({ $top: '5' })}`)).value.length, 5);
});

test('every enumerated value served is in the lookups, in either spelling', async () => {
  const legacy = await startSample('--enums', 'legacy');
  try {
    for (const [server, spelling] of [
      [sample, 'LookupValue'],
      [legacy, 'LegacyODataValue'],
    ] as const) {
      await everyValueIsKnown(server, spelling);
    }
  } finally {
    await legacy.stop();
  }
});

async function everyValueIsKnown(server: SampleProcess, spelling: string): Promise<void> {
  const known = new Map<string, Set<unknown>>();
  const xml = await (await server.get('/odata/$metadata')).text();
  const lookups = (await (
    await server.get('/odata/Lookup', { Prefer: 'odata.maxpagesize=1000' })
  ).json()) as Page;
  assert.equal(lookups['@odata.nextLink'], undefined);
  // Names of places are spelled one way only.
  const proper = new Set([
    'City',
    'PostalCity',
    'CountyOrParish',
    'MLSAreaMajor',
    'Country',
    'StateOrProvince',
  ]);
  for (const row of lookups.value) {
    const name = String(row.LookupName);
    const values = known.get(name) ?? new Set();
    known.set(name, values.add(proper.has(name) ? row.LookupValue : row[spelling]));
  }
  const fields = [
    ...xml.matchAll(
      /Property Name="(\w+)"[^>]*><Annotation Term="RESO.OData.Metadata.LookupName" String="(\w+)"/g,
    ),
  ];
  assert.ok(fields.length > 30);
  const rows = (await (
    await server.get('/odata/Property', { Prefer: 'odata.maxpagesize=1000' })
  ).json()) as Page;
  for (const row of rows.value) {
    for (const [, field = '', lookup = ''] of fields) {
      for (const value of [row[field] ?? []].flat())
        assert.ok(known.get(lookup)?.has(value), `${spelling}: ${field} ${value}`);
    }
  }
}

test('the areas are GeoJSON for anyone', async () => {
  const response = await fetch(`${sample.url}/areas.geojson`);
  assert.equal(response.headers.get('content-type'), 'application/geo+json');
  const { type, features } = (await response.json()) as { type: string; features: unknown[] };
  assert.equal(type, 'FeatureCollection');
  assert.equal(features.length, 188);
});

test('a change by hand moves the stamps that belong to it', async () => {
  const { value } = await page(property({ $filter: "StandardStatus eq 'Active'", $top: '1' }));
  const before = value[0] ?? {};
  const key = String(before.ListingKey);
  const set = { ListPrice: 123_456, StandardStatus: 'Pending', PublicRemarks: 'Changed' };
  assert.equal((await sample.control('POST', 'change', { key, set })).status, 200);
  const row = (await (await sample.get(`/odata/Property('${key}')`)).json()) as Row;
  assert.equal(row.ListPrice, 123_456);
  assert.equal(row.PreviousListPrice, before.ListPrice);
  assert.equal(row.StandardStatus, 'Pending');
  assert.equal(row.PublicRemarks, 'Changed');
  assert.ok(String(row.ModificationTimestamp) > String(before.ModificationTimestamp));
  assert.equal(row.StatusChangeTimestamp, row.ModificationTimestamp);
  assert.equal(row.PriceChangeTimestamp, row.ModificationTimestamp);
  assert.equal(row.PendingTimestamp, row.ModificationTimestamp);
});

test('a removed listing is nowhere to be found until it is restored', async () => {
  const { value } = await page(property({ $top: '1' }));
  const key = String(value[0]?.ListingKey);
  const found = async (): Promise<[number, number]> => [
    (await sample.get(`/odata/Property('${key}')`)).status,
    (await page(property({ $filter: `ListingKey eq '${key}'` }))).value.length,
  ];
  await sample.control('POST', 'remove', { key });
  assert.deepEqual(await found(), [404, 0]);
  assert.equal((await sample.control('POST', 'remove', { key })).status, 404);
  await sample.control('POST', 'restore', { key });
  assert.deepEqual(await found(), [200, 1]);
});

test('control refuses what it does not know', async () => {
  const faulty: [string, string, unknown][] = [
    ['POST', 'advance', { steps: 0 }],
    ['POST', 'advance', { step: 1 }],
    ['POST', 'advance', []],
    ['POST', 'change', { key: 'x', set: { Nothing: 1 } }],
    ['POST', 'change', { key: 'x', set: { ListPrice: '1' } }],
    ['POST', 'change', { key: 'x', set: { StandardStatus: 'Sold' } }],
    ['POST', 'change', { key: 'x', set: { ModificationTimestamp: '2026-01-01T00:00:00Z' } }],
    ['POST', 'change', { key: 'x', set: {} }],
    ['POST', 'remove', {}],
    ['PUT', 'faults', {}],
    ['PUT', 'faults', { kind: 'flood' }],
    ['PUT', 'faults', { kind: 'status' }],
    ['PUT', 'faults', { kind: 'reset', status: 500 }],
    ['PUT', 'faults', { kind: 'reset', share: 2 }],
    ['PUT', 'faults', { kind: 'reset', resource: 'photos' }],
  ];
  for (const [method, path, body] of faulty) {
    assert.equal((await sample.control(method, path, body)).status, 400, JSON.stringify(body));
  }
  const form = await fetch(`${sample.url}/control/advance`, { method: 'POST', body: '{"steps":1}' });
  assert.equal(form.status, 415);
  assert.equal((await sample.control('GET', 'nothing')).status, 404);
});

test('requests are counted by kind', async () => {
  const stats = async () => (await sample.control('GET', 'stats')).body as Record<string, number>;
  const before = await stats();
  await sample.get(property({ $top: '1' }));
  await sample.get("/odata/Property('x')");
  await sample.get("/odata/Property('x')");
  await fetch(`${sample.url}/photos/x/0.svg`);
  await askToken(sample.url);
  const now = await stats();
  const grown = Object.fromEntries(
    ['collection', 'entity', 'photos', 'token'].map((kind) => [kind, (now[kind] ?? 0) - (before[kind] ?? 0)]),
  );
  assert.deepEqual(grown, { collection: 1, entity: 2, photos: 1, token: 1 });
});
