// Proves that the index of watchers finds what checking every watcher finds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  CONDITIONS,
  type IndexedRow,
  namesArbitrary,
  rowArbitrary,
} from '../../../../test/support/catalogue/search-rows.ts';
import { runs } from '../../../../test/support/check/runs.ts';
import {
  type IndexOperation,
  runOperations,
  type WatchedStep,
} from '../../../../test/support/watch/watcher-loop.ts';
import type { ListingChange } from '../../../changes/change.ts';
import type { ChangeState, ListingSummary } from '../../../listings/change-state.ts';
import type { SearchRow } from '../../../listings/search-row.ts';
import type { Condition } from '../../../search/query/condition.ts';
import type { SavedSearch } from '../../../search/query/saved-search.ts';
import type { EventType } from '../../events/event-types.ts';
import { AFTER, BEFORE } from './change-sides.ts';
import type { IndexedWatcher, WatcherTarget } from './indexed-watcher.ts';
import { WatcherIndex } from './watcher-index.ts';

const IDS = ['lst_1', 'lst_2'] as const;

/** Ranges of the numbers that columns hold, which most watchers have. */
const usualRange = fc.record({
  kind: fc.constant('range' as const),
  column: fc.constantFrom('price', 'bedrooms', 'bathrooms'),
  min: fc.option(fc.constantFrom(0, 0.5, 1, 99.99, 100), { nil: undefined }),
  max: fc.option(fc.constantFrom(0, 1, 2, 100, 1e12), { nil: undefined }),
  below: fc.option(fc.constantFrom(1, 100), { nil: undefined, freq: 2 }),
});

const condition = fc
  .oneof(
    ...(Object.values(CONDITIONS) as fc.Arbitrary<Condition>[]),
    { weight: 4, arbitrary: usualRange as fc.Arbitrary<Condition> },
    CONDITIONS.range.filter(({ column }) => column === 'updatedAt'),
  )
  .filter((each) => !('column' in each && each.column === 'daysOnMarket'));

const searchArbitrary: fc.Arbitrary<SavedSearch> = fc
  .record({
    listingType: fc.constantFrom('sale', 'rental'),
    conditions: fc.array(condition, { maxLength: 4 }),
  })
  .chain(({ listingType, conditions }) =>
    fc.record({
      listingType: fc.constant(listingType),
      conditions: fc.constant(conditions),
      ignoreDisplayRules: fc.boolean(),
      names: fc.constant({}),
      units: fc.constant('imperial'),
      currency: fc.constant(null),
      resolved: namesArbitrary,
    }),
  )
  .map(({ resolved, ...search }) => ({ ...search, ...resolved }) as SavedSearch);

const targetArbitrary: fc.Arbitrary<WatcherTarget> = fc.oneof(
  {
    weight: 8,
    arbitrary: searchArbitrary.map((search) => ({ type: 'search', search }) as const),
  },
  fc.constantFrom(...IDS).map((listingId) => ({ type: 'listing', listingId }) as const),
  fc.constantFrom('prp_1', 'prp_2').map((propertyId) => ({ type: 'property', propertyId }) as const),
);

const watcherArbitrary: fc.Arbitrary<IndexedWatcher> = fc
  .record({ no: fc.integer({ min: 1, max: 40 }), target: targetArbitrary, wants: fc.boolean() })
  .map(({ no, target, wants }) => ({
    no,
    target,
    events: (wants ? ['listing.updated'] : ['search.match_added', 'search.match_removed']) as EventType[],
    ignoreDisplayRules: target.type === 'search' && target.search.ignoreDisplayRules,
  }));

/** Columns that differ between two rows: all, a few, or the price alone. */
const differingArbitrary: fc.Arbitrary<readonly (string | number)[] | null> = fc.oneof(
  fc.constant(null),
  fc.constant(['price', 'updated_at']),
  fc.constant(['displayed']),
  fc.constant(['updated_at']),
  fc.constant(['listing_type', 'status']),
  fc.array(fc.nat(60), { maxLength: 4 }),
);

const stepArbitrary: fc.Arbitrary<WatchedStep> = fc
  .record({
    previous: rowArbitrary,
    now: rowArbitrary,
    id: fc.constantFrom(...IDS),
    isNew: fc.boolean(),
    columns: differingArbitrary,
    sameWords: fc.boolean(),
    moved: fc.boolean(),
  })
  .map(({ previous, now, id, isNew, columns, sameWords, moved }) => {
    const after = { ...now.row, id };
    const names = Object.keys(after) as (keyof SearchRow)[];
    const differing =
      columns?.map((name) => (typeof name === 'number' ? names[name % names.length] : name)) ?? names;
    const before = Object.fromEntries(
      differing.flatMap((name) => (name === 'id' ? [] : [[name, previous.row[name as keyof SearchRow]]])),
    );
    const keepsWords = sameWords || columns !== null;
    return {
      change: {
        sequence: 1,
        at: 0,
        kind: 'updated',
        listingId: id,
        propertyId: 'prp_1',
        quiet: false,
        changed: keepsWords ? [] : ['words'],
        after: { row: after, listing: {} as ListingSummary },
        before:
          isNew && columns === null ? null : { row: before, listing: moved ? { propertyId: 'prp_2' } : {} },
        wordsBefore: null,
      },
      words: { before: new Set((keepsWords ? now : previous).tokens), after: new Set(now.tokens) },
    } as WatchedStep;
  });

test('the watchers that a change concerns are those that a check of every watcher finds', () => {
  let results = 0;
  const operation = fc.oneof(
    { weight: 6, arbitrary: stepArbitrary.map((step) => ({ kind: 'change', step }) as const) },
    { weight: 4, arbitrary: watcherArbitrary.map((watcher) => ({ kind: 'add', watcher }) as const) },
    fc.integer({ min: 1, max: 40 }).map((no) => ({ kind: 'remove', no }) as const),
  );
  const start = fc.array(watcherArbitrary, { minLength: 30, maxLength: 60 });
  fc.assert(
    fc.property(start, fc.array(operation, { minLength: 20, maxLength: 60 }), (first, operations) => {
      const index = new WatcherIndex<string>();
      const watchers = new Map<number, IndexedWatcher>();
      // Watchers with the same conditions share what is compiled of them.
      const added = first.flatMap((watcher) =>
        [watcher.no, watcher.no + 40].map(
          (no): IndexOperation => ({ kind: 'add', watcher: { ...watcher, no } }),
        ),
      );
      results += runOperations(index, watchers, [...added, ...operations]);
      assert.equal(index.size, watchers.size);
    }),
    runs(150, 31),
  );
  assert.ok(results > 5_000, `results are common: ${results}`);
});

test('removed watchers are found no more, and their numbers can be used again', () => {
  const [sample] = fc.sample(watcherArbitrary, { numRuns: 1, seed: 5 });
  assert.ok(sample !== undefined);
  const index = new WatcherIndex<number>();
  for (let round = 0; round < 3; round++) {
    for (let no = 1; no <= 3_000; no++)
      index.add({ ...sample, no, target: { type: 'listing', listingId: 'lst_1' } }, no);
    for (let no = 1; no <= 2_900; no++) index.remove(no);
  }
  const [row] = fc.sample(rowArbitrary, { numRuns: 1, seed: 5 }) as [IndexedRow];
  const shown: SearchRow = { ...row.row, status: 'ACTIVE', displayed: true };
  const change = {
    listingId: 'lst_1',
    propertyId: 'prp_1',
    after: { row: shown },
    before: null,
    changed: [],
  };
  const found: number[] = [];
  index.match(change as unknown as ListingChange<ChangeState>, null, (_no, _sides, detail) =>
    found.push(detail),
  );
  assert.deepEqual(
    found.sort((a, b) => a - b),
    Array.from({ length: 100 }, (_, at) => 2_901 + at),
  );
});

test('a price that becomes known, or unknown again, begins and ends matches', () => {
  const sample = fc.sample(watcherArbitrary, { numRuns: 1, seed: 5 })[0];
  const [{ row }] = fc.sample(rowArbitrary, { numRuns: 1, seed: 5 }) as [IndexedRow];
  assert.ok(sample !== undefined);
  const search: SavedSearch = {
    listingType: 'sale',
    conditions: [{ kind: 'range', column: 'price', max: 100 }],
    ignoreDisplayRules: false,
    names: {},
    units: 'imperial',
    currency: null,
    areaNos: [],
    words: {},
  } as SavedSearch;
  const index = new WatcherIndex<number>();
  index.add({ ...sample, events: ['search.match_added'], target: { type: 'search', search } }, 1);
  const shown: SearchRow = { ...row, listing_type: 'sale', status: 'ACTIVE', displayed: true };
  const sidesOf = (before: number | null, after: number | null): number[] => {
    const sides: number[] = [];
    const change = {
      listingId: 'lst_1',
      propertyId: 'prp_1',
      changed: ['price'],
      after: { row: { ...shown, price: after } },
      before: { row: { price: before } },
    };
    index.match(change as unknown as ListingChange<ChangeState>, null, (_, each) => sides.push(each));
    return sides;
  };
  assert.deepEqual(sidesOf(null, 50), [AFTER]);
  assert.deepEqual(sidesOf(50, null), [BEFORE]);
  assert.deepEqual(sidesOf(null, 200), []);
  assert.deepEqual(sidesOf(50, 60), []);
});
