// Proves how old a cached property can be.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PropertyCache } from './property-cache.ts';
import type { StoredListing, StoredProperty } from './store.ts';

/** A cache over one property whose reads end when the test lets them; each read has the next version. */
function stage() {
  let now = 0;
  let version = 0;
  const ends: (() => void)[] = [];
  const read = async <T>(make: (version: number) => T): Promise<T> => {
    version += 1;
    const found = make(version);
    await new Promise<void>((resolve) => ends.push(resolve));
    return found;
  };
  const listing = (at: number) => ({ id: 'l1', propertyId: 'p1', version: at }) as StoredListing;
  const cache = new PropertyCache(
    {
      listing: () => read(listing),
      property: () => read((at): StoredProperty => ({ id: 'p1', listings: [listing(at)], history: [] })),
    },
    () => now,
  );
  cache.connected();
  return {
    cache,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    end: (which: 'oldest' | 'newest' = 'oldest') => (which === 'oldest' ? ends.shift() : ends.pop())?.(),
    reads: () => version,
  };
}

test('the five seconds of a record count from the beginning of its reading', async () => {
  const { cache, pass, end, reads } = stage();
  const slow = cache.property('p1');
  pass(2_500);
  end();
  await slow;
  pass(2_499);
  await cache.property('p1');
  assert.equal(reads(), 1);
  pass(2);
  const next = cache.property('p1');
  end();
  assert.equal((await next)?.listings[0]?.version, 2);
});

test('a listing that was read earlier does not replace what was read later', async () => {
  const { cache, pass, end } = stage();
  const early = cache.listing('l1');
  pass(1_000);
  const late = cache.property('p1');
  end('newest');
  await late;
  end('oldest');
  await early;
  assert.equal((await cache.listing('l1'))?.version, 2);
});
