// Tests of the catalogue: what is written when listings change, who sees what of them, and where they lie.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ListingDraft } from '../../src/listings/draft.ts';
import type { Listing } from '../../src/listings/record.ts';
import { at, startCatalogue } from '../support/catalogue/catalogue.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';

const { catalogue, clock, database, found, keys, property, service, write } = await startCatalogue({ after });

test('a price and a status change are each one line of history, with the price before', async () => {
  const first = {
    listPrice: 500_000,
    listedAt: '2025-12-01T10:00:00.000Z',
    onMarketDate: '2025-12-01',
  } satisfies Partial<ListingDraft>;
  const { ids } = await write(draft('moving', first));
  const id = ids.get('moving') ?? '';
  clock.advance(60_000);
  const { outcomes, created, changed, unchanged, removed } = await write(
    draft('moving', { ...first, listPrice: 450_000 }),
  );
  assert.deepEqual(
    { created, changed, unchanged, removed },
    { created: 0, changed: 1, unchanged: 0, removed: 0 },
  );
  assert.equal(outcomes.get(id)?.result, 'changed');
  await write(draft('moving', { ...first, listPrice: 450_000, status: 'PENDING' }));
  await write(
    draft('moving', {
      ...first,
      listPrice: 450_000,
      status: 'CLOSED',
      closePrice: 440_000,
      closedAt: '2026-01-05',
    }),
  );
  const { history, listings, lastSale } = await property(id);
  assert.deepEqual(history?.map(({ event, price, previousPrice }) => [event, price, previousPrice]).sort(), [
    ['CLOSED', 440_000, null],
    ['LISTED', 500_000, null],
    ['PENDING', 450_000, null],
    ['PRICE_CHANGED', 450_000, 500_000],
  ]);
  assert.equal(listings?.[0]?.status, 'CLOSED');
  assert.deepEqual(lastSale, { date: '2026-01-05', price: 440_000 });
});

test('a reading that says nothing new writes nothing at all', async () => {
  const same = draft('still', { listPrice: 1, upstreamModifiedAt: '2026-01-01T00:00:00.000Z' });
  await write(same);
  const rows = () =>
    database.read((sql) => sql`select xmin::text, version from listing where listing_key = 'still'`);
  const before = await rows();
  clock.advance(1_000);
  const { unchanged } = await write({ ...same, upstreamModifiedAt: '2026-01-02T00:00:00.000Z' });
  assert.equal(unchanged, 1);
  assert.deepEqual(await rows(), before);
});

test('an older reading never overwrites a newer one', async () => {
  const reading = (price: number, modified: string) =>
    draft('raced', { listPrice: price, upstreamModifiedAt: modified });
  const { ids } = await write(reading(2, '2026-01-02T00:00:00.000Z'));
  await write(reading(1, '2026-01-01T00:00:00.000Z'));
  assert.equal((await property(ids.get('raced') ?? '')).currentListing?.price, 2);
});

test('a lost listing that is shown again is restored, also with the time of an earlier change', async () => {
  const reading = (price: number, modified: string, facts: Partial<ListingDraft> = {}) =>
    draft('back', { listPrice: price, upstreamModifiedAt: modified, ...facts });
  const { ids } = await write(reading(3, '2026-01-03T00:00:00.000Z'));
  const id = ids.get('back') ?? '';
  const losses = [
    () => database.transaction((tx) => catalogue.write(tx, 'test', [], clock.now(), ['back'])),
    () => write(reading(3, '2026-01-04T00:00:00.000Z', { status: 'DELETED' })),
  ];
  for (const lose of losses) {
    await lose();
    await write(reading(2, '2026-01-02T00:00:00.000Z', { status: 'DELETED' }));
    assert.equal((await property(id)).listings?.[0]?.price, 3, 'an older loss says nothing new');
    const { outcomes } = await write(reading(2, '2026-01-02T00:00:00.000Z'));
    assert.equal(outcomes.get(id)?.result, 'changed');
    const { currentListing } = await property(id);
    assert.deepEqual([currentListing?.status, currentListing?.price], ['ACTIVE', 2]);
    await write(reading(3, '2026-01-03T00:00:00.000Z'));
  }
});

test('media that a reading does not carry is kept', async () => {
  const photo = {
    id: 'p',
    url: 'https://photos.example/1',
    thumbnailUrl: null,
    width: 1,
    height: 1,
    caption: null,
    category: null,
    order: 0,
  };
  const { ids } = await write(draft('pictured', { photos: [photo] }));
  await write(draft('pictured', { photos: null, openHouses: null, listPrice: 5 }));
  const { currentListing } = await property(ids.get('pictured') ?? '');
  assert.equal(currentListing?.photos[0]?.url, photo.url);
  assert.equal(currentListing?.price, 5);
});

test('a withheld listing is shown to Internal alone, and only when it asks', async () => {
  const { ids } = await write(
    draft('hidden', { display: { listing: false, address: true, estimate: true } }),
  );
  const id = ids.get('hidden') ?? '';
  assert.equal((await service.get(`/v1/property/${id}`, keys.business)).status, 404);
  assert.equal((await service.get(`/v1/property/${id}`, keys.internal)).status, 404);
  assert.equal((await service.get(`/v1/property/${id}?display=ignore`, keys.business)).status, 403);
  assert.equal((await property(id, keys.internal, '&display=ignore')).currentListing?.id, id);
  assert.equal((await found(`ids=${id}`)).length, 0);
  assert.equal((await found(`ids=${id}&display=ignore`)).length, 1);
});

test('a withheld address shows the town, and no circle finds the house', async () => {
  const address = {
    ...NO_ADDRESS,
    streetNumber: '7',
    streetName: 'Elm Street',
    city: 'Aldern',
    state: 'WA',
    postalCode: '98001',
  };
  const { ids } = await write(
    draft('masked', {
      address,
      location: at(47.123456, -122.654321),
      display: { listing: true, address: false, estimate: true },
      parcelNumber: '42',
    }),
  );
  const id = ids.get('masked') ?? '';
  const { currentListing, parcelNumber } = await property(id);
  assert.deepEqual(currentListing?.location, {
    lat: 47.12,
    lng: -122.65,
    precision: 'approximate',
    source: 'provided',
  });
  assert.equal(currentListing?.address.full, 'Aldern, WA 98001');
  assert.equal(currentListing?.address.line1, null);
  assert.equal(parcelNumber, null);
  assert.deepEqual(await found(`ids=${id}&lat=47.123456&lng=-122.654321&radius=100m`), []);
  const internal = await property(id, keys.internal, '&display=ignore');
  assert.equal(internal.currentListing?.address.full, '7 Elm Street, Aldern, WA 98001');
});

test('listings of one parcel are one property, found by the id of any of them', async () => {
  const place = {
    parcelNumber: '000123',
    address: { ...NO_ADDRESS, county: 'King', state: 'WA' },
    status: 'CLOSED',
  } as const satisfies Partial<ListingDraft>;
  const { ids } = await write(
    draft('sale-1', { ...place, closePrice: 300_000, closedAt: '2014-05-01' }),
    draft('sale-2', { ...place, closePrice: 500_000, closedAt: '2015-03-01' }),
  );
  const [one, two] = [await property(ids.get('sale-1') ?? ''), await property(ids.get('sale-2') ?? '')];
  assert.equal(one.id, two.id);
  assert.deepEqual(
    one.listings?.map((listing) => listing.closePrice),
    [500_000, 300_000],
  );
  assert.deepEqual(one.lastSale, { date: '2015-03-01', price: 500_000 });
  assert.equal((await property(one.id)).id, one.id);
});

test('a listing without an asking price shows what it closed at, and claims no original price', async () => {
  const { ids } = await write(
    draft('silent', {
      status: 'CLOSED',
      closePrice: 9,
      originalPrice: 11,
      livingArea: 3,
      closedAt: '2020-02-02',
    }),
  );
  const [listing] = await found(`ids=${ids.get('silent')}&status=any`);
  assert.deepEqual([listing?.price, listing?.originalPrice, listing?.pricePerArea], [9, null, 3]);
});

test('rents of any frequency compare by the month', async () => {
  const rent = { listingType: 'rental', listPrice: 300, priceFrequency: 'WEEKLY' } as const;
  const { ids } = await write(draft('weekly', rent));
  const answer: { data: Listing[] } = await service.json(
    '/v1/search/rentals?minPrice=1300&maxPrice=1300',
    keys.pro,
  );
  assert.deepEqual(
    answer.data.map(({ id, price, priceMonthly }) => [id, price, priceMonthly]),
    [[ids.get('weekly'), 300, 1300]],
  );
});

test('days on market leave out the time on hold', async () => {
  const since = new Date(clock.now()).toISOString();
  const base = { listedAt: since, onMarketDate: null } as const satisfies Partial<ListingDraft>;
  const { ids } = await write(draft('paused', base));
  clock.advance(10 * 86_400_000);
  await write(
    draft('paused', { ...base, status: 'HOLD', statusChangedAt: new Date(clock.now()).toISOString() }),
  );
  clock.advance(30 * 86_400_000);
  await write(
    draft('paused', { ...base, status: 'ACTIVE', statusChangedAt: new Date(clock.now()).toISOString() }),
  );
  clock.advance(5 * 86_400_000);
  const { currentListing } = await property(ids.get('paused') ?? '');
  assert.equal(currentListing?.daysOnMarket, 15);
});

test('a later listing of a property continues the days of an earlier one when the gap is short', async () => {
  const place = {
    parcelNumber: '77',
    address: { ...NO_ADDRESS, county: 'King', state: 'WA' },
  } as const satisfies Partial<ListingDraft>;
  const { ids } = await write(
    draft('again-1', { ...place, status: 'EXPIRED', onMarketDate: '2026-01-01', offMarketAt: '2026-01-11' }),
    draft('again-2', { ...place, onMarketDate: '2026-01-21' }),
  );
  const { currentListing } = await property(ids.get('again-2') ?? '', keys.pro, '&include=daysOnMarket');
  assert.equal((currentListing?.cumulativeDaysOnMarket ?? 0) - (currentListing?.daysOnMarket ?? 0), 10);
});

test('a listing that is gone upstream leaves every search, stays readable, and is relisted when it returns', async () => {
  const base = draft('fleeting', { listPrice: 10, listedAt: '2026-01-01T00:00:00.000Z' });
  const id = (await write(base)).ids.get('fleeting') ?? '';
  const remove = () =>
    database.transaction((tx) => catalogue.write(tx, 'test', [], clock.now(), ['fleeting']));
  assert.equal((await remove()).removed, 1);
  assert.equal((await remove()).removed, 0);
  assert.deepEqual(await found(`ids=${id}&status=any`), []);
  assert.equal((await property(id)).listings?.[0]?.status, 'DELETED');
  await write(base);
  const { history } = await property(id);
  assert.deepEqual(
    history
      ?.map((line) => line.event)
      .filter((event) => event !== 'LISTED')
      .sort(),
    ['DELISTED', 'RELISTED'],
  );
  assert.equal((await found(`ids=${id}`)).length, 1);
});

test('sparse fields take paths and slices', async () => {
  const { ids } = await write(
    draft('sparse', { address: { ...NO_ADDRESS, city: 'Crane' }, features: ['pool', 'gym', 'view'] }),
  );
  const [listing] = await found(`ids=${ids.get('sparse')}&fields=price,address.city,features[2]`);
  assert.deepEqual(listing as object, {
    id: ids.get('sparse'),
    object: 'listing',
    price: null,
    address: { city: 'Crane' },
    features: ['pool', 'gym'],
    attribution: 'test',
    fetchedAt: listing?.fetchedAt,
  });
  assert.ok(listing?.fetchedAt);
});

test('the field summary is the short record of a listing, with its attribution and when it was confirmed', async () => {
  const { ids } = await write(
    draft('summed', { listPrice: 7, attribution: 'Courtesy of Ann', description: 'Long.' }),
  );
  const id = ids.get('summed') ?? '';
  const [listing] = await found(`ids=${id}&fields=summary,photoCount`);
  assert.deepEqual(Object.keys(listing ?? {}).toSorted(), [
    'address',
    'areaUnit',
    'attribution',
    'bathrooms',
    'bedrooms',
    'closePrice',
    'closedAt',
    'currency',
    'daysOnMarket',
    'fetchedAt',
    'id',
    'listingType',
    'livingArea',
    'object',
    'photoCount',
    'price',
    'priceFrequency',
    'propertyId',
    'propertyType',
    'status',
    'yearBuilt',
  ]);
  assert.equal(listing?.attribution, 'Courtesy of Ann');
  assert.deepEqual(Object.keys(listing?.address ?? {}), ['full', 'neighborhood']);
  const { currentListing } = (await service.json(
    `/v1/property/${id}?fields=currentListing.summary`,
    keys.internal,
  )) as { currentListing: Partial<Listing> };
  const { photoCount: _, ...summary } = listing ?? {};
  assert.deepEqual(currentListing, summary);
});

test('fields that overlap are refused, since one of them would be ignored', async () => {
  for (const fields of [
    'photos[1],photos.url',
    'photos.url,photos',
    'address,address.city',
    'photos[1],photos[2]',
  ]) {
    assert.equal((await service.get(`/v1/search/sales?fields=${fields}`, keys.internal)).status, 400, fields);
  }
  assert.equal(
    (await service.get('/v1/search/sales?fields=id,address.city,address.state,id', keys.internal)).status,
    200,
  );
});
