// Proves that records whose numbers are the same are told apart.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { storedArbitrary } from '../../../test/support/catalogue/stored-listings.ts';
import { momentsOf } from '../../listings/presenter.ts';
import { EncodedListing, RecordCache } from './record-cache.ts';

test('of two records with one number the later is kept, and found for its own view and id alone', () => {
  const cache = new RecordCache({ bytes: 100_000, monotonic: () => 0 });
  const [stored = assert.fail()] = fc.sample(storedArbitrary, { numRuns: 1, seed: 5 });
  const [one, other] = ['one', 'other'].map((id) => {
    const moving = { fields: null, moments: momentsOf(stored), readAt: 0 };
    return new EncodedListing(
      { id, version: 1, location: null, provider: stored.record.provider },
      '{}',
      moving,
    );
  });
  assert.ok(one && other);
  cache.add(7, 'metric', one);
  assert.equal(cache.find(7, 'metric', 'one', 1), one);
  assert.equal(cache.find(7, 'metric', 'one', 2), undefined);
  assert.equal(cache.find(7, 'imperial', 'one', 1), undefined);
  assert.equal(cache.find(7, 'metric', 'other', 1), undefined);
  cache.add(7, 'metric', other);
  assert.equal(cache.find(7, 'metric', 'other', 1), other);
  assert.equal(cache.find(7, 'metric', 'one', 1), undefined);
});
