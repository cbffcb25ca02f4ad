// Proof that listings are read again for open houses to come that their source does not name, and for no others.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listingsOfVanished } from './vanished.ts';

const NOW = Date.UTC(2026, 0, 5, 12);
const listing = (key: string, ...houses: readonly (readonly [id: string, startsAt: string])[]) => ({
  key,
  openHouses: houses.map(([id, startsAt]) => ({ id, startsAt })),
});
const LISTINGS = [
  listing('kept', ['k1', '2026-01-06T10:00:00Z']),
  listing('lost', ['l1', '2026-01-06T10:00:00Z'], ['l2', '2026-01-07T10:00:00']),
  listing('alone', ['a1', '2026-01-06T10:00:00']),
  listing('over', ['o1', '2026-01-05T11:00:00Z'], ['o2', '2025-12-30T10:00:00Z']),
  listing('keyless', ['2026-01-06T10:00:00Z', '2026-01-06T10:00:00Z']),
];

test('a house to come that the list does not name has its listing read again; one that is over, or has no key, does not', () => {
  const listed = new Map<string, ReadonlySet<string | null>>([
    ['kept', new Set(['k1', 'k2'])],
    ['lost', new Set(['l2'])],
    ['keyless', new Set([null])],
  ]);
  assert.deepEqual(listingsOfVanished(LISTINGS, listed, NOW), ['lost', 'alone']);
});

test('where the source has no list, all listings with a house to come are read again', () => {
  assert.deepEqual(listingsOfVanished(LISTINGS, 'unlisted', NOW), ['kept', 'lost', 'alone', 'keyless']);
});
