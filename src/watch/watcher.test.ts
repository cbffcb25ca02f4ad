// Proof of which events each target can send, and which it sends by itself.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultEventsOf, eventsOf } from './watcher.ts';

test('a search that names no events sends its matches, a listing everything that happens to it', () => {
  assert.deepEqual(defaultEventsOf('search'), ['search.match_added', 'search.match_removed']);
  assert.deepEqual(defaultEventsOf('listing'), eventsOf('listing'));
  assert.ok(eventsOf('listing').includes('listing.price_decreased'));
});

test('only a search can send matches, and no watcher chooses events about itself', () => {
  assert.ok(!eventsOf('listing').includes('search.match_added'));
  assert.ok(!eventsOf('property').includes('search.match_added'));
  assert.ok(eventsOf('search').includes('listing.created'));
  for (const target of ['listing', 'property', 'search'] as const)
    assert.deepEqual(
      eventsOf(target).filter((type) => type.startsWith('watcher.')),
      [],
    );
});
