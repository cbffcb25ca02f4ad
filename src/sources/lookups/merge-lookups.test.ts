// Proves that lookups keep their former spellings, and their meaning after they left, within their bounds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_LOOKUPS, mergeLookups } from './merge-lookups.ts';
import type { KnownLookup, StatedLookup } from './source-lookups.ts';

const stated = (key: string, value: string, more: Partial<StatedLookup> = {}): StatedLookup => ({
  origin: 'resource',
  lookup: 'PropertySubType',
  key,
  value,
  standard: null,
  legacy: null,
  modifiedAt: null,
  ...more,
});
const known = (key: string, value: string, more: Partial<KnownLookup> = {}): KnownLookup => ({
  ...stated(key, value),
  former: [],
  isGone: false,
  ...more,
});

test('a renamed value keeps the spellings that it had, the last one first, and not those that it has again', () => {
  const before = [known('1', 'Condo', { legacy: 'Cnd', former: ['Flat'] })];
  const { changed } = mergeLookups(before, { lookups: [stated('1', 'Flat')], whole: [] });
  assert.deepEqual(changed, [known('1', 'Flat', { former: ['Condo', 'Cnd'] })]);
});

test('what a whole reading lacks is gone, and nothing else is; what stayed as it was is not written', () => {
  const text = known('b', 'Text', { origin: 'metadata' });
  const before = [known('1', 'Condo'), known('2', 'Loft'), text];
  const lookups = [stated('1', 'Condo')];
  assert.deepEqual(mergeLookups(before, { lookups, whole: [] }), { changed: [], dropped: [] });
  const { changed, dropped } = mergeLookups(before, { lookups, whole: ['resource'] });
  assert.deepEqual([changed, dropped], [[known('2', 'Loft', { isGone: true })], []]);
  const again = mergeLookups(changed, { lookups: [stated('2', 'Loft')], whole: [] });
  assert.deepEqual(again.changed, [known('2', 'Loft')]);
});

test('where there is no room, those that left go first, and what comes too late is not kept', () => {
  const before = [known('old', 'Old', { isGone: true })];
  const lookups = Array.from({ length: MAX_LOOKUPS + 5 }, (_, at) => stated(`k${at}`, `v${at}`));
  const { changed, dropped } = mergeLookups(before, { lookups, whole: [] });
  assert.equal(changed.length, MAX_LOOKUPS);
  assert.deepEqual(dropped, before);
});

test('texts together have a bound, too', () => {
  const lookups = Array.from({ length: 45_000 }, (_, at) => stated(`k${at}`, 'v'.repeat(200)));
  const { changed } = mergeLookups([], { lookups, whole: [] });
  assert.ok(changed.length > 35_000 && changed.length < 40_000, String(changed.length));
});
