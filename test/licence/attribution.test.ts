// Attribution: the line and the age of a listing in each form that it has, and the sources that answers name.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { writeAreaBatch } from '../../src/ingest/area-writer.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { blockSource, writeTerms } from '../../src/licence/licence-store.ts';
import { OWN } from '../../src/licence/terms/terms.ts';
import { area, square } from '../support/catalogue/catalogue.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { until } from '../support/check/until.ts';
import { toolCaller } from '../support/mcp/call-tool.ts';
import { startService } from '../support/service/service.ts';

const at = { after };
const service = await startService(at);
const { database, clock, keys, json, get } = service;
const catalogue = createCatalogue(database);
const LOGO = 'https://board.example/mark.svg';
const BOARD = {
  id: 'board',
  name: 'Elm Board',
  attribution: 'Elm Board. © Elm Board, not guaranteed.',
  logoUrl: LOGO,
};
const OTHER = { id: 'files', name: 'files', attribution: 'files', logoUrl: null };
const LINE = 'Offered by Elm Homes (Ann <i>Lee</i>). © Elm Board, not guaranteed.';
const contact = { id: null, phone: null, email: null };
const home = (key: string, more: object = {}) =>
  draft(key, {
    listPrice: 100_000,
    livingArea: 1_000,
    location: { lat: 10, lng: 20, precision: 'exact' },
    address: { ...draft(key).address, full: `${key} Elm St`, streetNumber: key, streetName: 'Elm St' },
    ...more,
  });

await writeAreaBatch(database, 'test', [
  { ...area({ type: 'city', name: 'Elmton' }), boundary: square(19, 9, 2) },
]);
await database.transaction((tx) =>
  writeTerms(
    tx,
    'board',
    {
      ...OWN,
      attribution: 'Offered by {brokerage} ({agent})',
      disclaimer: '© {source}, not guaranteed.',
      logo: LOGO,
    },
    new Date(clock.now()),
  ),
);
const { ids } = await database.transaction((tx) =>
  catalogue.write(
    tx,
    'board',
    [
      home('1', {
        originatingSystem: 'Elm Board',
        office: { ...contact, name: 'Elm Homes' },
        agent: { ...contact, name: 'Ann\u202e <i>Lee</i>' },
      }),
    ],
    clock.now(),
  ),
);
await database.transaction((tx) =>
  catalogue.write(tx, 'files', [home('2'), home('3'), home('4')], clock.now()),
);
const id = ids.get('1') ?? assert.fail();
const plain = (sources: readonly object[]) =>
  sources.map((source) => {
    const { dataAsOf, ...rest } = source as { dataAsOf: string };
    assert.ok(Date.parse(dataAsOf) > 0);
    return rest;
  });

interface Credited {
  readonly attribution: string;
  readonly fetchedAt: string;
  readonly provider?: { readonly id: string };
}

const assertCredited = (record: Credited | undefined, what: string): void => {
  assert.equal(record?.attribution, LINE, what);
  assert.ok(Date.parse(record?.fetchedAt ?? '') > 0, what);
};

await until('it is found', async () => {
  const { data }: { data: unknown[] } = await json('/v1/search/sales', keys.business);
  return data.length === 4;
});

test('each form of a listing has its line and its age, whatever fields say', async () => {
  const search = `/v1/search/sales?ids=${id}`;
  for (const fields of ['', '&fields=id', '&fields=price,address.city', '&fields=summary']) {
    const { data }: { data: Credited[] } = await json(`${search}${fields}`, keys.business);
    assertCredited(data[0], `search${fields}`);
    const lines = await (await get(`${search}${fields}&format=ndjson`, keys.business)).text();
    assertCredited(JSON.parse(lines), `lines${fields}`);
    const csv = await (await get(`${search}${fields}&format=csv`, keys.business)).text();
    const [head = '', row = ''] = csv.split('\r\n');
    assert.ok(head.split(',').includes('attribution') && head.split(',').includes('fetchedAt'), fields);
    assert.ok(row.includes(LINE), fields);
    const map: { features: { properties: Credited }[] } = await json(
      `/v1/search/sales/geojson?ids=${id}${fields}`,
      keys.business,
    );
    assertCredited(map.features[0]?.properties, `geojson${fields}`);
  }
  assertCredited(await json(`/v1/listing/${id}/record`, keys.business), 'record');
  for (const fields of ['', '&fields=currentListing.price,listings.price']) {
    const property: Credited & { currentListing: Credited; listings: Credited[] } = await json(
      `/v1/property/${id}?include=listings&freshness=cached${fields}`,
      keys.business,
    );
    for (const record of [property, property.currentListing, ...property.listings])
      assertCredited(record, `property${fields}`);
  }
  const { data: listings }: { data: Credited[] } = await json(
    `/v1/property/${id}/listings?fields=price`,
    keys.business,
  );
  assertCredited(listings[0], 'listings');
  const stream = await (await get(`/v1/listing/${id}`, keys.business)).text();
  assertCredited(JSON.parse(/event: cached\ndata: (.*)/.exec(stream)?.[1] ?? '{}'), 'stream');
});

test('comparables carry theirs, also where fields leave out the listing', async () => {
  const { data, meta }: { data: { listing: Credited }[]; meta: { sources: object[] } } = await json(
    `/v1/property/${id}/comparables`,
    keys.business,
  );
  assert.equal(data.length, 3);
  for (const { listing } of data) assert.equal(listing.attribution, 'files');
  assert.deepEqual(plain(meta.sources), [BOARD, OTHER]);
  const { comparables }: { comparables: { price: number; listing: object }[] } = await json(
    `/v1/property/${id}?include=comparables&fields=comparables.price&freshness=cached`,
    keys.business,
  );
  for (const { listing } of comparables)
    assert.deepEqual(Object.keys(listing).toSorted(), ['attribution', 'fetchedAt']);
});

test('the log of changes, watchers and their events carry them too', async () => {
  const changes = await (await get('/v1/changes/ndjson', keys.business)).text();
  const all = changes
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { listingId: string; listing: Credited });
  assertCredited(all.find(({ listingId }) => listingId === id)?.listing, 'changes');
  const created = await fetch(`${service.url}/v1/watchers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.business}`, 'content-type': 'application/json' },
    body: JSON.stringify({ target: { type: 'listing', listingId: id }, events: ['listing.price_decreased'] }),
  });
  const watcher = (await created.json()) as { id: string };
  const { data, meta }: { data: Credited[]; meta: { sources: object[] } } = await json(
    `/v1/watchers/${watcher.id}/matches?fields=price`,
    keys.business,
  );
  assertCredited(data[0], 'matches');
  assert.deepEqual(plain(meta.sources), [BOARD]);
  clock.advance(60_000);
  await database.transaction((tx) =>
    catalogue.write(
      tx,
      'board',
      [
        home('1', {
          listPrice: 90_000,
          originatingSystem: 'Elm Board',
          office: { ...contact, name: 'Elm Homes' },
          agent: { ...contact, name: 'Ann\u202e <i>Lee</i>' },
        }),
      ],
      clock.now(),
    ),
  );
  await until('the event is there', async () => {
    const { data: events }: { data: { data: { object: Credited } }[] } = await json(
      '/v1/events',
      keys.business,
    );
    if (events.length === 0) return false;
    assertCredited(events[0]?.data.object, 'events');
    return true;
  });
});

test('answers name the sources of what they show or count, and no others', async () => {
  const sourcesOf = async (path: string): Promise<object[]> =>
    plain(((await json(path, keys.business)) as { meta: { sources: object[] } }).meta.sources);
  assert.deepEqual(await sourcesOf('/v1/search/sales'), [BOARD, OTHER]);
  assert.deepEqual(await sourcesOf('/v1/search/sales?providerId=files'), [OTHER]);
  assert.deepEqual(await sourcesOf(`/v1/search/sales?ids=${id}`), [BOARD]);
  // A page shows one of them, its figures are of both.
  assert.equal((await sourcesOf('/v1/search/sales?limit=1')).length, 1);
  assert.deepEqual(await sourcesOf('/v1/search/sales?limit=1&facets=propertyType'), [BOARD, OTHER]);
  assert.deepEqual(await sourcesOf('/v1/search/sales?maxPrice=1'), []);
  assert.deepEqual(await sourcesOf('/v1/market/stats?listingType=sale'), [BOARD, OTHER]);
  assert.deepEqual(await sourcesOf(`/v1/property/${id}/listings`), [BOARD]);
  assert.deepEqual(await sourcesOf('/v1/areas'), [BOARD, OTHER]);
  assert.deepEqual(await sourcesOf('/v1/areas?include=ancestors'), []);
});

test('pages show the line and the mark as text of others, and agents get it set apart', async () => {
  const escaped = LINE.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  for (const path of ['/explore', `/explore/listing/${id}`]) {
    const answer = await get(path);
    const text = await answer.text();
    assert.ok(text.includes(escaped), path);
    assert.ok(!text.includes('<i>Lee'), path);
    assert.ok(text.includes(`src="${LOGO}"`), path);
    const pictures = /img-src ([^;]*)/.exec(answer.headers.get('content-security-policy') ?? '')?.[1];
    assert.match(pictures ?? '', /https:(?: |$)|https:\/\/board\.example/, path);
  }
  const view = (await json('/explore/view', keys.business)) as {
    list: { id: string; attribution: string }[];
  };
  assert.equal(view.list.find((row) => row.id === id)?.attribution, LINE);
  const answer = JSON.stringify(await toolCaller(service.url, keys.business)('search_sales', { limit: 10 }));
  assert.match(answer, /\/data\/\d\/attribution/);
  assert.ok(answer.includes('Offered by Elm Homes'));
});

test('a source that is closed is named nowhere', async () => {
  await database.write((sql) => blockSource(sql, 'board', ['all'], new Date(clock.now())));
  const paths = [
    '/v1/search/sales?stats=median_list_price',
    '/v1/search/sales',
    '/v1/market/stats?listingType=sale',
    '/v1/areas',
    '/explore/view',
  ];
  await until('the block is heard of', async () => {
    const texts = await Promise.all(paths.map(async (path) => (await get(path, keys.business)).text()));
    return texts.every((text) => !/board|Elm (?:Board|Homes)/.test(text));
  });
});
