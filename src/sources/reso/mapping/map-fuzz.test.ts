// Proves that no record is too strange to be read.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mapped } from '../../../../test/support/sources/mapping.ts';
import { LISTING_TYPES, PRICE_FREQUENCIES, PROPERTY_TYPES, STATUSES } from '../../../listings/vocabulary.ts';
import { PROPERTY_FIELDS } from './property-fields.ts';

const strange = fc.oneof(
  fc.jsonValue(),
  fc.string(),
  fc.constantFrom<unknown>(
    'TBD',
    '12.0',
    '2026-01-05',
    '2026-01-05T10:00:00',
    'Active',
    'Residential Lease',
    'https://x.test/a',
    -1,
    1e300,
    Number.NaN,
    { toString: 1 },
    '__proto__',
    'constructor',
  ),
);
const child = fc.dictionary(
  fc.constantFrom('MediaKey', 'MediaURL', 'Order', 'MediaCategory', 'OpenHouseStartTime', 'Permission'),
  strange,
);
const anyRecord = fc.record({
  fields: fc.dictionary(fc.constantFrom(...PROPERTY_FIELDS), strange),
  media: fc.oneof(strange, fc.array(fc.oneof(child, strange))),
});

function isStorable(value: unknown): boolean {
  const text = JSON.stringify(value);
  return !text.includes('\\u0000') && !/\\ud[89a-f]/i.test(text) && text === JSON.stringify(JSON.parse(text));
}

test('whatever a server sends becomes a valid draft and never an exception', () => {
  fc.assert(
    fc.property(anyRecord, ({ fields, media }) => {
      const draft = mapped({ ...fields, ListingKey: 'k1', Media: media, OpenHouse: media });
      assert.ok(isStorable(draft), 'storable');
      assert.ok(STATUSES.includes(draft.status) && LISTING_TYPES.includes(draft.listingType));
      assert.ok(
        PROPERTY_TYPES.includes(draft.propertyType) && PRICE_FREQUENCIES.includes(draft.priceFrequency),
      );
      for (const price of [draft.listPrice, draft.closePrice, draft.livingArea, draft.lotSize, draft.tax]) {
        assert.ok(price === null || (Number.isFinite(price) && price >= 0));
      }
      for (const count of [draft.bedrooms, draft.rooms, draft.stories, draft.floor, draft.photoCount]) {
        assert.ok(count === null || Number.isSafeInteger(count));
      }
      assert.match(draft.upstreamModifiedAt ?? 'Z', /^(\d{4}-.*)?Z$/);
      for (const time of [draft.listedAt, draft.pendingAt])
        assert.ok(time === null || /^\d{4}-\d\d-\d\d(T.*Z)?$/.test(time));
      for (const date of [draft.closedAt, draft.expiresOn])
        assert.ok(date === null || /^\d{4}-\d\d-\d\d$/.test(date));
      assert.deepEqual(draft.features, [...new Set(draft.features)].sort());
      assert.deepEqual(draft.photos?.map(({ order }) => order) ?? [], [...(draft.photos ?? []).keys()]);
    }),
    { numRuns: 500 },
  );
});
