// Tests of records as they are stored.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { draft } from '../../test/support/catalogue/drafts.ts';
import type { ListingDraft } from './draft.ts';
import { recordText, wholeAddress, wholeRecord } from './lean-record.ts';
import { resolveDates } from './reported-dates.ts';
import { buildStoredRecord, type StoredRecord } from './stored-record.ts';

const recordOf = (facts: Partial<ListingDraft>): StoredRecord => {
  const own = draft('key', facts);
  const dates = resolveDates(own, 'UTC');
  return buildStoredRecord(
    'test',
    { listing: 'lst_1', property: 'prp_1' },
    { draft: own, dates, before: null, observedAt: 0 },
  );
};

const photo = {
  id: '1',
  url: 'https://a.example/1',
  thumbnailUrl: null,
  width: 3,
  height: null,
  caption: null,
  category: null,
  order: 0,
};
const text = fc.option(fc.string());
const facts = fc.record(
  {
    listPrice: fc.option(fc.nat()),
    bedrooms: fc.option(fc.nat(9)),
    description: text,
    agent: fc.option(fc.record({ id: text, name: text, phone: text, email: text })),
    photos: fc.array(
      fc.constantFrom(
        photo,
        { ...photo, caption: 'A' },
        {
          order: 1,
          id: '2',
          url: null,
          thumbnailUrl: null,
          width: 1,
          height: 1,
          caption: null,
          category: null,
        },
      ),
    ),
    listedAt: fc.constantFrom(null, '2026-01-05', '2026-01-05T10:00:00Z'),
    statusRaw: text,
    waterfront: fc.option(fc.boolean()),
    rental: fc.constantFrom(null),
  },
  { requiredKeys: [] },
);

test('a record is the same after it was stored, text for text', () => {
  fc.assert(
    fc.property(facts, (chosen) => {
      const record = recordOf(chosen as Partial<ListingDraft>);
      const stored = JSON.parse(recordText(record)) as object;
      const same = JSON.parse(JSON.stringify(record)) as StoredRecord;
      assert.equal(JSON.stringify(wholeRecord(stored)), JSON.stringify(same));
      assert.deepEqual(wholeAddress((stored as StoredRecord).address), same.address);
    }),
    { numRuns: 300 },
  );
});

test('a stored record has no members that are null, but in lists of others and in parts that are not the usual ones', () => {
  assert.doesNotMatch(recordText(recordOf({ description: 'null', photos: [photo] })), /:null/);
});

test('a record of an earlier release, with all its members, is itself; one with too few has them as null', () => {
  const record = recordOf({ listPrice: 5 });
  assert.equal(JSON.stringify(wholeRecord(record)), JSON.stringify(record));
  const { waterfront: _, ...earlier } = record;
  assert.deepEqual(wholeRecord(earlier), record);
});
