// Proves that an encoded listing is, at any moment, what the presenter shows at that moment, for every listing and view.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Placement } from '../../src/areas/placement.ts';
import { planWrite } from '../../src/ingest/write-plan.ts';
import { formatTime } from '../../src/lib/clock.ts';
import { encodeListing } from '../../src/listings/encoded-listing.ts';
import { presentListing, type ReaderView } from '../../src/listings/presenter.ts';
import { ListingSchema } from '../../src/listings/record.ts';
import { parseFields, selectFields } from '../../src/listings/sparse-fields.ts';
import type { StoredListing } from '../../src/listings/store.ts';
import { DAY, factsArbitrary, NOW, toDraft } from '../support/catalogue/random-market.ts';
import { runs } from '../support/check/runs.ts';

const NOWHERE = new Placement([]);
const time = fc
  .oneof(
    fc.constantFrom(-400 * DAY, -1, 0, 1, DAY - 1, DAY, 45 * DAY),
    fc.integer({ min: -DAY, max: 60 * DAY }),
  )
  .map((offset) => NOW + offset);

const storedArbitrary = fc
  .record({
    facts: factsArbitrary,
    text: fc.option(fc.string({ unit: 'binary' }), { nil: null }),
    version: fc.nat(9),
    areaIds: fc.subarray(['area_1', 'area_2', 'area_3']),
    earlierDays: fc.nat(40),
    fetchedAt: time,
  })
  .map(({ facts, text, fetchedAt, ...rest }): StoredListing => {
    const draft = { ...toDraft('key', facts), ...(text !== null && { description: text }) };
    const write = planWrite('test', draft, null, NOWHERE, NOW) ?? assert.fail();
    const { id, source, propertyId, clock } = write;
    return {
      ...{ id, source, propertyId, listingKey: 'key', listingType: draft.listingType, status: draft.status },
      ...{ displayed: draft.display.listing, addressDisplayed: draft.display.address },
      record: JSON.parse(JSON.stringify(write.record)),
      ...{ daysOnMarketStart: formatTime(clock.start), daysOnMarketEnd: formatTime(clock.end) },
      ...{ createdAt: new Date(NOW).toISOString(), updatedAt: new Date(NOW + 5).toISOString() },
      ...{ fetchedAt: new Date(fetchedAt).toISOString(), ...rest },
    };
  });

const lastingArbitrary = fc.record({
  units: fc.constantFrom<ReaderView['units']>('imperial', 'metric'),
  ignoreDisplayRules: fc.boolean(),
  allDaysOnMarket: fc.boolean(),
  publicUrl: fc.constant('https://homes.example'),
});
const momentArbitrary = fc.record({
  source: fc.constantFrom<ReaderView['source']>('cached', 'live'),
  now: time,
});
const fieldsArbitrary = fc
  .option(
    fc.uniqueArray(
      fc.constantFrom(
        ...['id', 'price', 'daysOnMarket', 'address.city', 'photos[1]', 'fetchedAt', 'description'],
        ...['openHouses.startsAt', 'source', 'location', 'livingArea'],
      ),
      { minLength: 1 },
    ),
    { nil: undefined },
  )
  .map((paths) => parseFields(paths, ListingSchema));

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('whenever it is shown, an encoded listing is what the presenter shows then, to the byte where nothing is selected', () => {
  let shown = 0;
  fc.assert(
    fc.property(
      ...([storedArbitrary, lastingArbitrary, fieldsArbitrary, momentArbitrary] as const),
      fc.array(momentArbitrary, { minLength: 1, maxLength: 4 }),
      (stored, lasting, fields, first, moments) => {
        const encoded = encodeListing(stored, { ...lasting, ...first }, fields, 0);
        for (const moment of moments) {
          const view = { ...lasting, ...moment };
          const listing = presentListing(stored, view);
          assert.equal(encoded === null, listing === null);
          if (encoded === null || listing === null) continue;
          shown++;
          const json = encoded.json(view);
          assert.deepEqual(JSON.parse(json), plain(selectFields(listing, fields)));
          if (fields === null) assert.equal(json, JSON.stringify(listing));
          assert.equal(json, encodeListing(stored, view, fields, 0)?.json(view));
          assert.deepEqual([encoded.id, encoded.version], [stored.id, stored.version]);
          assert.deepEqual(encoded.location, listing.location);
        }
      },
    ),
    runs(500, 31),
  );
  assert.ok(shown > 200, `${shown} were shown`);
});

test('a confirmation is shown, one that was read earlier turns nothing back, and only who shows it needs it', () => {
  const [stored = assert.fail()] = fc.sample(
    storedArbitrary.filter(({ displayed, status }) => displayed && status !== 'INCOMPLETE'),
    { numRuns: 1, seed: 4 },
  );
  const view: ReaderView = {
    ...{ units: 'imperial', ignoreDisplayRules: false, allDaysOnMarket: false, publicUrl: '' },
    ...{ source: 'cached', now: NOW },
  };
  const encode = (...paths: string[]) =>
    encodeListing(stored, view, parseFields(paths.length === 0 ? undefined : paths, ListingSchema), 100) ??
    assert.fail();
  const encoded = encode();
  const fetchedAt = () => JSON.parse(encoded.json(view)).fetchedAt;
  assert.equal(fetchedAt(), stored.fetchedAt);
  assert.deepEqual([encoded.isConfirmedBefore(100), encoded.isConfirmedBefore(101)], [false, true]);
  encoded.confirm('2026-02-01T00:00:00.000Z', 200);
  encoded.confirm('2026-01-01T00:00:00.000Z', 150);
  assert.equal(fetchedAt(), '2026-02-01T00:00:00.000Z');
  encoded.confirm(undefined, 300);
  assert.equal(fetchedAt(), '2026-02-01T00:00:00.000Z');
  assert.deepEqual([encoded.isConfirmedBefore(300), encoded.isConfirmedBefore(301)], [false, true]);
  assert.equal(encode('price', 'daysOnMarket').isConfirmedBefore(1_000), false);
  assert.equal(encode('fetchedAt').isConfirmedBefore(1_000), true);
});
