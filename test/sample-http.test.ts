// Proves over HTTP that the sample market speaks enough RESO Web API for a replicator to believe it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { askToken, CREDENTIALS, type SampleProcess, startSample } from './sample/process.ts';

const sample = await startSample();
after(() => sample.stop());

type Row = Record<string, unknown>;
interface Page {
  readonly value: Row[];
  readonly '@odata.count'?: number;
  readonly '@odata.nextLink'?: string;
}

async function page(path: string, headers?: Record<string, string>): Promise<Page> {
  const response = await sample.get(path, headers);
  assert.equal(response.status, 200, `${path}: ${await response.clone().text()}`);
  return (await response.json()) as Page;
}

const property = (options: Record<string, string>): string =>
  `/odata/Property?${new URLSearchParams(options)}`;

async function walk(
  options: Record<string, string>,
  size: number,
  between: () => Promise<unknown> = async () => undefined,
): Promise<Row[]> {
  const rows: Row[] = [];
  let next: string | undefined = property(options);
  while (next !== undefined) {
    const answer: Page = await page(next, { Prefer: `odata.maxpagesize=${size}` });
    assert.ok(answer.value.length <= size);
    rows.push(...answer.value);
    next = answer['@odata.nextLink'];
    await between();
  }
  return rows;
}

async function errorOf(response: Response): Promise<[number, unknown]> {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  assert.equal(typeof error.message, 'string');
  return [response.status, error.code];
}

test('a token is given for the right secret only, in the form or in a Basic header', async () => {
  const basic = `Basic ${Buffer.from(`${encodeURIComponent(CREDENTIALS.id)}:${encodeURIComponent(CREDENTIALS.secret)}`).toString('base64')}`;
  for (const response of [
    await askToken(sample.url, { client_id: CREDENTIALS.id, client_secret: CREDENTIALS.secret }),
    await askToken(sample.url, {}, { Authorization: basic }),
  ]) {
    assert.equal(response.status, 200);
    const body = (await response.json()) as Row;
    assert.equal(body.token_type, 'Bearer');
    assert.equal(body.expires_in, 3600);
  }
  assert.equal(
    (await askToken(sample.url, { client_id: CREDENTIALS.id, client_secret: 'wrong' })).status,
    401,
  );
  assert.equal((await askToken(sample.url)).status, 401);
  assert.equal((await askToken(sample.url, { grant_type: 'password' })).status, 400);
});

test('OData answers 401 without a good token, and after all tokens were expired', async () => {
  for (const headers of [{}, { Authorization: 'Bearer nonsense' }]) {
    assert.deepEqual(await errorOf(await fetch(`${sample.url}/odata/Property`, { headers })), [
      401,
      'Unauthorized',
    ]);
  }
  assert.equal((await sample.get('/odata/Property?$top=1')).status, 200);
  await sample.control('POST', 'expire-tokens');
  assert.equal((await sample.get('/odata/Property?$top=1')).status, 401);
  await sample.login();
  assert.equal((await sample.get('/odata/Property?$top=1')).status, 200);
});

test('the metadata names every field that a record has', async () => {
  const xml = await (await sample.get('/odata/$metadata')).text();
  const { value } = await page(property({ $top: '1', $expand: 'Media,OpenHouse' }));
  for (const name of Object.keys(value[0] ?? {}))
    assert.match(xml, new RegExp(`Property Name="${name}"`), name);
});

test('pages give every listing once, at most as many as preferred, and the count is of all', async () => {
  const rows = await walk({ $select: 'ListingKey' }, 170);
  assert.equal(rows.length, 500);
  assert.equal(new Set(rows.map((row) => row.ListingKey)).size, 500);
  const first = await page(property({ $count: 'true', $select: 'ListingKey' }));
  assert.equal(first['@odata.count'], 500);
  assert.equal(first.value.length, 200);
  const most = await sample.get(property({ $select: 'ListingKey' }), { Prefer: 'odata.maxpagesize=5000' });
  assert.equal(most.headers.get('preference-applied'), 'odata.maxpagesize=1000');
});

test('$top is a total: the walk stops after as many rows', async () => {
  assert.equal((await walk({ $top: '230', $select: 'ListingKey' }, 100)).length, 230);
});

test('while the market moves under a walk, each listing that does not change is met exactly once', async () => {
  const before = new Map(
    (await walk({ $select: 'ListingKey,ModificationTimestamp' }, 1000)).map((row) => [
      row.ListingKey,
      row.ModificationTimestamp,
    ]),
  );
  const met = await walk(
    { $orderby: 'ModificationTimestamp,ListingKey', $select: 'ListingKey,ModificationTimestamp' },
    60,
    () => sample.control('POST', 'advance', { steps: 1 }),
  );
  const now = new Map(
    (await walk({ $select: 'ListingKey,ModificationTimestamp' }, 1000)).map((row) => [
      row.ListingKey,
      row.ModificationTimestamp,
    ]),
  );
  let steady = 0;
  for (const [key, stamp] of before) {
    if (now.get(key) !== stamp) continue;
    steady += 1;
    assert.equal(met.filter((row) => row.ListingKey === key).length, 1, String(key));
  }
  assert.ok(steady > 300, `${steady} listings did not change`);
});

test('an incremental filter by time gives exactly what changed', async () => {
  const { value } = await page(
    property({ $orderby: 'ModificationTimestamp desc', $top: '1', $select: 'ModificationTimestamp' }),
  );
  const watermark = String(value[0]?.ModificationTimestamp);
  const { body } = await sample.control('POST', 'advance', { steps: 2 });
  const filter = `ModificationTimestamp gt ${watermark}`;
  const rows = await walk(
    { $filter: filter, $orderby: 'ModificationTimestamp,ListingKey', $select: 'ListingKey' },
    10,
  );
  assert.deepEqual(
    rows.map((row) => row.ListingKey).toSorted(),
    (body as { changed: string[] }).changed.toSorted(),
  );
});

test('filters on status, price and place narrow as they say', async () => {
  const { value } = await page(
    property({
      $filter:
        "StandardStatus in ('Active','Pending') and ListPrice lt 400000 and PropertyType ne 'Residential Lease' and WaterfrontYN ne true",
    }),
  );
  assert.ok(value.length > 0);
  for (const row of value) {
    assert.ok(row.StandardStatus === 'Active' || row.StandardStatus === 'Pending');
    assert.ok(
      Number(row.ListPrice) < 400_000 &&
        row.PropertyType !== 'Residential Lease' &&
        row.WaterfrontYN !== true,
    );
  }
});

test('unknown fields, options and broken filters are refused with an OData error', async () => {
  const faulty = [
    { $select: 'Nothing' },
    { $filter: 'Nothing eq 1' },
    { $filter: 'ListPrice eq' },
    { $skip: '10' },
    { $expand: 'Rooms' },
    { $orderby: 'ListPrice up' },
    { $top: '-1' },
    { $skiptoken: 'x' },
    { $select: '' },
    { colour: 'red' },
  ];
  for (const options of faulty) {
    assert.deepEqual(
      await errorOf(await sample.get(property(options as Record<string, string>))),
      [400, 'BadRequest'],
      JSON.stringify(options),
    );
  }
});

test('a listing is had by its key, plain or percent-encoded, with its photos', async () => {
  const { value } = await page(property({ $filter: 'PhotosCount gt 3', $top: '1' }));
  const key = String(value[0]?.ListingKey);
  for (const path of [`/odata/Property('${key}')`, `/odata/Property(%27${key}%27)`]) {
    const response = await sample.get(`${path}?$expand=Media($top=2),OpenHouse&$select=ListingKey`);
    const body = (await response.json()) as { ListingKey: string; Media: Row[]; OpenHouse: Row[] };
    assert.equal(body.ListingKey, key);
    assert.deepEqual(
      body.Media.map((media) => media.Order),
      [0, 1],
    );
    assert.ok(Array.isArray(body.OpenHouse));
  }
});

test('a key that is not there is 404, one with a doubled quote is read, one without quotes is 400', async () => {
  assert.deepEqual(await errorOf(await sample.get("/odata/Property('nowhere')")), [404, 'NotFound']);
  const quoted = await sample.get("/odata/Property('O%27%27Hara')");
  assert.match(await quoted.text(), /O'Hara/);
  assert.deepEqual(await errorOf(await sample.get('/odata/Property(123)')), [400, 'BadRequest']);
});

test('PhotosCount is the number of photos, and each is an SVG of its own under 6 kB', async () => {
  const { value } = await page(property({ $expand: 'Media', $filter: 'PhotosCount gt 6', $top: '12' }));
  const drawings = new Set<string>();
  let photos = 0;
  for (const row of value) {
    const media = row.Media as { MediaURL: string; Order: number }[];
    assert.equal(media.length, row.PhotosCount);
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
