// Proves where a listing tells cumulativeDaysOnMarket and daysOnMarketReported: under include=daysOnMarket, and nowhere else.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import type { Listing } from '../../src/listings/record.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { problemOf } from '../support/service/http-server.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after });
const { database, clock, keys } = service;
const day = (daysAgo: number): string =>
  new Date(clock.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
const home = {
  parcelNumber: '77',
  address: { ...NO_ADDRESS, county: 'King', state: 'WA' },
  listPrice: 500_000,
  livingArea: 1_000,
  location: { lat: 40, lng: -90, precision: 'exact' },
} as const satisfies Partial<ListingDraft>;
const { ids } = await database.transaction((tx) =>
  createCatalogue(database).write(
    tx,
    'test',
    [
      draft('early', { ...home, status: 'EXPIRED', onMarketDate: day(40), offMarketAt: day(30) }),
      draft('late', { ...home, onMarketDate: day(20), daysOnMarketReported: 77 }),
      draft('near', { ...home, parcelNumber: '78', onMarketDate: day(5), daysOnMarketReported: 6 }),
    ],
    clock.now(),
  ),
);
const id = ids.get('late') ?? assert.fail();

/** Both members as an answer has them; undefined: it has not. */
const daysOf = ({ cumulativeDaysOnMarket, daysOnMarketReported }: Listing) => [
  cumulativeDaysOnMarket,
  daysOnMarketReported,
];
const ABSENT = [undefined, undefined];
const search = `/v1/search/sales?ids=${id}`;
const post = async (body: object): Promise<Listing> => {
  const answer = await fetch(`${service.url}/v1/search/sales`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${keys.business}` },
  });
  assert.equal(answer.status, 200);
  return ((await answer.json()) as { data: [Listing] }).data[0];
};

/** The listing as each answer tells it. */
const answers = async (include: string): Promise<Readonly<Record<string, Listing>>> => {
  const list: { data: [Listing] } = await service.json(`${search}${include}`, keys.pro);
  const metric: { data: [Listing] } = await service.json(`${search}&units=metric${include}`, keys.pro);
  const map: { features: [{ properties: Listing }] } = await service.json(
    `${search}&format=geojson${include}`,
    keys.pro,
  );
  const lines = await service.get(`${search}&format=ndjson${include}`, keys.business);
  const property: { currentListing: Listing } = await service.json(
    `/v1/property/${id}?freshness=cached${include}`,
    keys.pro,
  );
  const periods: { data: [Listing] } = await service.json(
    `/v1/property/${id}/listings?limit=5${include}`,
    keys.pro,
  );
  return {
    list: list.data[0],
    metric: metric.data[0],
    map: map.features[0].properties,
    lines: JSON.parse(await lines.text()),
    current: property.currentListing,
    period: periods.data[0],
    body: await post({ ids: [id], ...(include && { include: ['daysOnMarket'] }) }),
  };
};

test('cumulative and reported days on market are absent where nobody asks for them, and daysOnMarket is there', async () => {
  for (const [where, listing] of Object.entries(await answers(''))) {
    assert.deepEqual(daysOf(listing), ABSENT, where);
    assert.equal(listing.daysOnMarket, 20, where);
  }
});

test('include=daysOnMarket adds both, wherever it is taken', async () => {
  for (const [where, listing] of Object.entries(await answers('&include=daysOnMarket')))
    assert.deepEqual(daysOf(listing), [30, 77], where);
});

test('answers that take no include tell neither', async () => {
  const record = await service.get(`/v1/listing/${id}`, keys.pro, { accept: 'application/json' });
  assert.deepEqual(daysOf((await record.json()) as Listing), ABSENT, 'as JSON');
  const stream = await (await service.get(`/v1/listing/${id}`, keys.pro)).text();
  const [, cached = ''] = /event: cached\ndata: (.*)/.exec(stream) ?? [];
  assert.deepEqual(daysOf(JSON.parse(cached) as Listing), ABSENT, 'in the stream');
  for (const part of ['similar', 'comparables']) {
    const { data }: { data: { listing: Listing }[] } = await service.json(
      `/v1/property/${id}/${part}`,
      keys.pro,
    );
    assert.equal(data.length, 1, part);
    for (const { listing } of data) assert.deepEqual(daysOf(listing), ABSENT, part);
  }
});

test('csv has their columns where they are included', async () => {
  const head = async (query: string): Promise<string[]> => {
    const text = await (await service.get(`${search}&format=csv${query}`, keys.business)).text();
    return text.slice(0, text.indexOf('\r')).split(',');
  };
  const [plain, included] = [await head(''), await head('&include=daysOnMarket')];
  const both = ['cumulativeDaysOnMarket', 'daysOnMarketReported'];
  assert.deepEqual(
    included.filter((column) => !plain.includes(column)),
    both,
  );
  assert.deepEqual(await head(`&include=daysOnMarket&fields=${both.join()}`), [
    'id',
    ...both,
    'fetchedAt',
    'attribution',
  ]);
  const row = await service.get(
    `${search}&format=csv&include=daysOnMarket&fields=${both.join()}`,
    keys.business,
  );
  assert.match(await row.text(), /\r\nlst_\w+,30,77,[\d:.TZ-]+,\w+(?:\r\n|$)/);
});

test('fields that only include adds are refused without it, with what to add', async () => {
  for (const path of [
    `${search}&fields=id,daysOnMarketReported`,
    `/v1/property/${id}?fields=currentListing.cumulativeDaysOnMarket`,
    `/v1/property/${id}/listings?fields=cumulativeDaysOnMarket`,
  ]) {
    const answer = await service.get(path, keys.pro);
    assert.equal(answer.status, 400, path);
    const { errors } = await problemOf(answer);
    assert.equal(errors?.[0]?.parameter, 'fields');
    assert.match(errors?.[0]?.detail ?? '', /include=daysOnMarket/);
    assert.equal((await service.get(`${path}&include=daysOnMarket`, keys.pro)).status, 200, path);
  }
});
