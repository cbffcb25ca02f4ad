// Proves that the JSON put together from kept text is what the record itself, read and shown, would be written as.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { draft } from '../../test/support/catalogue/drafts.ts';
import type { ListingDraft, RentalTerms } from './draft.ts';
import { keptRecord } from './listing.ts';
import { presentListing, type View } from './present.ts';
import { listingJson, opened, type WrittenListing } from './present-text.ts';
import { resolveDates } from './reported-dates.ts';
import { LISTING_TYPES } from './vocabulary.ts';

const START = Date.UTC(2026, 0, 5);

const PLAIN_RENTAL: RentalTerms = {
  ...{
    availableFrom: null,
    leaseTerm: [],
    leaseTermMonths: null,
    furnished: null,
    pets: [],
    petsAllowed: null,
  },
  ...{ utilitiesIncluded: [], moveInCosts: [], noFee: null, monthsFree: null, netEffectivePrice: null },
};

/** Texts that look like what the reading goes by. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(',"property":{', '"rentControl":', '}}', '\\",\\"property\\":{', '\u2028é😀'),
);

const drafts: fc.Arbitrary<ListingDraft> = fc
  .record({
    listingType: fc.constantFrom(...LISTING_TYPES),
    description: fc.option(text),
    listPrice: fc.option(fc.integer({ min: 1, max: 5_000_000 })),
    livingArea: fc.option(fc.double({ min: 1, max: 9_000, noNaN: true })),
    features: fc.array(text, { maxLength: 3 }),
    buildingName: fc.option(text),
    taxes: fc.array(
      fc.record({ year: fc.integer(), amount: fc.integer(), assessedValue: fc.constant(null) }),
    ),
    rental: fc.option(fc.record({ furnished: fc.option(text), rentControl: fc.option(fc.boolean()) })),
  })
  .map(({ rental, ...facts }) =>
    draft('A-1', { ...facts, rental: rental && { ...PLAIN_RENTAL, ...rental } }),
  );

const kept = (told: ListingDraft) =>
  keptRecord(
    'source',
    { listing: 'lst_1', property: 'prp_1' },
    { draft: told, dates: resolveDates(told, 'UTC'), before: null, observedAt: START },
  );

const view: fc.Arbitrary<View> = fc.record({
  units: fc.constantFrom('imperial', 'metric'),
  source: fc.constantFrom('live', 'cached'),
  ignoreDisplayRules: fc.boolean(),
  allDaysOnMarket: fc.boolean(),
  now: fc.integer({ min: START, max: START + 1e10 }),
  publicUrl: fc.constant('http://127.0.0.1'),
});

const listing: fc.Arbitrary<WrittenListing> = fc
  .tuple(drafts, fc.boolean(), fc.boolean(), fc.option(fc.integer({ min: 0, max: 1e9 })), fc.boolean())
  .map(([told, displayed, addressDisplayed, onMarket, isOld]) => {
    const record = kept(told);
    const time = new Date(START).toISOString();
    const old = record.rental && { ...record.rental, rentControl: undefined };
    return {
      ...{
        id: 'lst_1',
        source: 'source',
        listingKey: 'A-1',
        propertyId: 'prp_1',
        version: 3,
        earlierDays: 4,
      },
      ...{ listingType: record.listingType, status: record.status, displayed, addressDisplayed },
      ...{ areaIds: ['are_1', 'are_2'], createdAt: time, updatedAt: time, fetchedAt: time, clockEnd: null },
      clockStart: onMarket === null ? null : new Date(START - onMarket).toISOString(),
      json: Buffer.from(JSON.stringify(isOld ? { ...record, rental: old } : record)),
    };
  });

test('a listing put together from its text is the listing that is read, shown and written', () => {
  fc.assert(
    fc.property(listing, view, (written, seen) => {
      const json = listingJson(written, seen);
      const read = json && JSON.parse(`${json.kept}${json.rest}`);
      const shown = presentListing(opened(written), seen);
      assert.deepEqual(read, shown && JSON.parse(JSON.stringify(shown)));
    }),
    { numRuns: 500 },
  );
});

test('what a record says of its property is the last of it, and an object', () => {
  const record = kept(draft('A-1'));
  assert.equal(Object.keys(record).at(-1), 'property');
  assert.ok(JSON.stringify(record).endsWith(`,"property":${JSON.stringify(record.property)}}`));
});
