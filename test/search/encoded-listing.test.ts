// Proves that an encoded listing is, at any moment, what the presenter shows at that moment, for every listing and view.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EVERYTHING, NOTHING } from '../../src/access/tiers/reach.ts';
import { presentListing, type ReaderView } from '../../src/listings/presenter.ts';
import { ListingSchema } from '../../src/listings/record.ts';
import { parseFields, selectFields } from '../../src/listings/sparse-fields.ts';
import { encodeListing } from '../../src/search/http/record-cache.ts';
import { NOW } from '../support/catalogue/random-market.ts';
import { storedArbitrary, momentArbitrary as time } from '../support/catalogue/stored-listings.ts';
import { runs } from '../support/check/runs.ts';

const lastingArbitrary = fc.record({
  units: fc.constantFrom<ReaderView['units']>('imperial', 'metric'),
  ignoreDisplayRules: fc.boolean(),
  allDaysOnMarket: fc.boolean(),
  reach: fc.constantFrom(EVERYTHING, EVERYTHING, NOTHING),
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
        'id',
        'price',
        'daysOnMarket',
        'address.city',
        'photos[1]',
        'fetchedAt',
        'description',
        'openHouses.startsAt',
        'source',
        'location',
        'livingArea',
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
      storedArbitrary,
      lastingArbitrary,
      fieldsArbitrary,
      momentArbitrary,
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

test('a confirmation is shown, and one that was read earlier turns nothing back: every form shows it', () => {
  const [stored = assert.fail()] = fc.sample(
    storedArbitrary.filter(({ displayed, status }) => displayed && status !== 'INCOMPLETE'),
    { numRuns: 1, seed: 4 },
  );
  const view: ReaderView = {
    units: 'imperial',
    ignoreDisplayRules: false,
    reach: EVERYTHING,
    allDaysOnMarket: false,
    publicUrl: '',
    source: 'cached',
    now: NOW,
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
  assert.equal(encode('price', 'daysOnMarket').isConfirmedBefore(1_000), true);
});
