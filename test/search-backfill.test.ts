// Proves that listings of an earlier release are found as new ones are: the migration writes what the service would write.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCatalogue } from '../src/catalogue/catalogue.ts';
import { MIGRATIONS_FOLDER } from '../src/postgres/migrate.ts';
import { testDatabase } from './support/database.ts';
import { draft, NO_ADDRESS } from './support/drafts.ts';

const ADDRESS = {
  ...{
    ...NO_ADDRESS,
    full: '12 Oak Street, St. Louis, MO 63101',
    streetNumber: '12',
    streetName: 'Oak Street',
  },
  ...{ city: 'St. Louis', neighborhood: 'Fälldale', county: "Queen's", state: 'MO', postalCode: '63101' },
};
const HOUSE = { remarks: null, livestreamUrl: null, appointmentRequired: null, type: null };
const TERMS = {
  ...{
    availableFrom: '2026-02-01',
    leaseTerm: [],
    leaseTermMonths: 12,
    furnished: 'Furnished',
    pets: ['Cats'],
  },
  ...{
    petsAllowed: true,
    utilitiesIncluded: ['water'],
    noFee: true,
    monthsFree: 1.5,
    netEffectivePrice: 2_100.5,
  },
};

const DRAFTS = [
  draft('plain'),
  draft('hidden', {
    ...{ address: ADDRESS, display: { listing: false, address: false, estimate: true } },
    ...{ virtualTourUrl: 'https://tour.example/1' },
  }),
  draft('sale', {
    ...{ address: ADDRESS, listingId: 'ML-17', listPrice: 400_000, previousPrice: 500_000, tax: 300 },
    ...{
      associationFee: 50,
      features: ['gym', 'pool'],
      saleConditions: ['Short Sale'],
      stories: 2,
      floor: 3,
    },
    ...{
      parkingSpaces: 1,
      garageSpaces: 0,
      newConstruction: true,
      waterfront: false,
      propertySubType: 'Cabin',
    },
    ...{ priceChangedAt: '2026-01-02T00:00:00.000Z', virtualTourUrl: 'https://tour.example/2' },
    ...{ agent: { id: 'A1', name: 'Ann', phone: null, email: null }, description: 'It’s near École 9.' },
    openHouses: [
      { ...HOUSE, id: '1', startsAt: '2026-01-10T10:00:00Z', endsAt: '2026-01-10T12:00:00Z', status: null },
      { ...HOUSE, id: '2', startsAt: '2026-01-11T10:00:00Z', endsAt: null, status: 'Active' },
      { ...HOUSE, id: '3', startsAt: '2026-01-12T10:00:00Z', endsAt: null, status: 'Canceled' },
    ],
  }),
  draft('rental', {
    ...{ listingType: 'rental', listPrice: 2_000, priceFrequency: 'MONTHLY' },
    rental: {
      ...TERMS,
      moveInCosts: [
        { type: 'deposit', amount: 500 },
        { type: 'fee', amount: 20.5 },
      ],
    },
  }),
  draft('unknown costs', {
    ...{ listingType: 'rental', listPrice: 2_000, priceFrequency: 'MONTHLY' },
    rental: { ...TERMS, moveInCosts: [{ type: 'deposit', amount: null }] },
  }),
];

const BEFORE = [
  ...['id', 'listing_type', 'status', 'displayed', 'property_type', 'price', 'close_price', 'price_per_area'],
  ...[
    'bedrooms',
    'bathrooms',
    'living_area',
    'lot_size',
    'year_built',
    'has_photos',
    'listed_at',
    'updated_at',
  ],
  ...[
    'closed_at',
    'price_changed_at',
    'clock_start',
    'clock_end',
    'location',
    'area_nos',
    'city',
    'neighborhood',
  ],
  ...['county', 'state', 'postal_code', 'country'],
];

test('the migration writes of kept listings what the service would write of them', async (t) => {
  const { database } = await testDatabase(t);
  await database.transaction((tx) =>
    createCatalogue(database).apply(tx, 'test', DRAFTS, Date.UTC(2026, 0, 5)),
  );
  const tables = () =>
    database.read(async (sql) => [
      await sql`select to_jsonb(row) as row from listing_search as row order by id`,
      await sql`select to_jsonb(row) as row from listing_text as row order by listing_id`,
      await sql`select * from area_listing order by listing_id, area_no`,
      await sql`select * from listing_currency order by listing_type, currency`,
      await sql`select word, array(select unnest(trigrams) order by 1) as trigrams from search_word order by word`,
    ]);
  const written = await tables();
  const names = [
    '009_search',
    '014_rental_and_reso',
    '015_area_pages',
    '017_words',
    '018_one_index_an_order',
    '024_currency',
  ];
  const [migration, later, areas, words, orders, currency] = await Promise.all(
    names.map((name) => readFile(join(MIGRATIONS_FOLDER, `${name}.sql`), 'utf8')),
  );
  await database.transaction(async (tx) => {
    await tx.unsafe(`create table before as select ${BEFORE.join()} from listing_search;
      drop table listing_search, listing_text, search_word cascade; alter table before rename to listing_search;
      alter table listing_search add primary key (id)`);
    await tx.unsafe(migration ?? '');
    await tx.unsafe(`drop table listing_reso; ${later}`);
    await tx.unsafe(`drop table area_listing; drop index market_stay_listing, market_event_listing;
      drop function area_listing_added, area_listing_changed, area_listing_removed; ${areas}`);
    await tx.unsafe(words ?? '');
    await tx.unsafe(orders ?? '');
    await tx.unsafe(`drop table listing_currency; ${currency}`);
  });
  assert.deepEqual(await tables(), written);
});
