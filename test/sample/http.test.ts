// Proves over HTTP that the sample market speaks enough RESO Web API for a replicator to believe it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { askToken, CREDENTIALS, startSample } from '../support/sample/process.ts';
import { errorOf, property, type Row, sampleClient } from '../support/sample/requests.ts';

const sample = await startSample();
after(() => sample.stop());
const { page, walk } = sampleClient(sample);

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
