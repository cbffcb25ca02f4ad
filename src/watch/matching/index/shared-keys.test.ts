// Proves that the index finds the right ones of many watchers with the same keys, which share conditions.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CONDITIONS, rowArbitrary } from '../../../../test/support/catalogue/search-rows.ts';
import { runs } from '../../../../test/support/check/runs.ts';
import {
  type IndexOperation,
  runOperations,
  type WatchedStep,
} from '../../../../test/support/watch/watcher-loop.ts';
import type { ListingSummary } from '../../../listings/change-state.ts';
import type { SearchRow } from '../../../listings/search-row.ts';
import { PROPERTY_TYPES, STATUSES } from '../../../listings/vocabulary.ts';
import type { Condition } from '../../../search/query/condition.ts';
import type { SavedSearch } from '../../../search/query/saved-search.ts';
import type { IndexedWatcher } from './indexed-watcher.ts';
import { WatcherIndex } from './watcher-index.ts';

const PRICES = [0, 100, 200, 300, 400];
const NUMBERS = [1, 2, 3];
const STATUS = STATUSES.slice(0, 3);
const TYPES = PROPERTY_TYPES.slice(0, 3);
const WORDS = ['oak', 'umbra', '12'];
const FIELDS = ['id', 'address', 'area', 'description'] as const;
const MAX_NO = 150;

const optional = <T>(...values: T[]) => fc.constantFrom<T | undefined>(undefined, ...values);
const range = (column: 'price' | 'bedrooms' | 'bathrooms', values: number[], hasMax: boolean) =>
  fc.record({
    kind: fc.constant('range' as const),
    column: fc.constant(column),
    min: optional(...values),
    max: hasMax ? optional(...values) : fc.constant(undefined),
  });
const text = fc.record({
  kind: fc.constant('text' as const),
  words: fc.subarray(WORDS, { minLength: 1 }),
  fields: fc.oneof(
    { weight: 3, arbitrary: fc.constant([...FIELDS]) },
    fc.subarray([...FIELDS], { minLength: 1 }),
  ),
});

const OPTIONAL_CONDITIONS: readonly fc.Arbitrary<Condition>[] = [
  range('price', PRICES, true),
  range('bedrooms', NUMBERS, true),
  range('bathrooms', NUMBERS, false),
  fc.record({
    kind: fc.constant('words' as const),
    column: fc.constant('propertyType' as const),
    values: fc.subarray(TYPES, { minLength: 2 }),
  }),
  fc.constantFrom('USD', 'EUR').map((currency) => ({
    kind: 'words' as const,
    column: 'currency' as const,
    values: [currency],
  })),
  fc.oneof(text, text, CONDITIONS.list, CONDITIONS.circle),
];

/** Watchers that have some of these conditions, so that many require about the same. */
function watchersWith(usual: readonly fc.Arbitrary<Condition>[]): fc.Arbitrary<IndexedWatcher> {
  const statuses = fc.record({
    kind: fc.constant('statuses' as const),
    statuses: fc.subarray(STATUS, { minLength: 2 }),
  });
  const conditions = fc.tuple(statuses, ...usual.map((each) => fc.option(each, { freq: 3 })));
  return fc
    .record({
      no: fc.integer({ min: 1, max: MAX_NO }),
      conditions,
      isExempt: fc.integer({ min: 0, max: 9 }),
      areaNos: fc.constantFrom([1], [1], [1], [1, 2], ...(usual.includes(text) ? [[]] : [])),
      listingType: fc.constantFrom('sale', 'sale', 'sale', 'sale', 'rental'),
      hasAreaWord: fc.boolean(),
      wants: fc.integer({ min: 0, max: 9 }),
    })
    .map((drawn) => watcherOf(drawn));
}

interface DrawnWatcher {
  readonly no: number;
  readonly conditions: readonly (object | null)[];
  readonly areaNos: readonly number[];
  readonly listingType: string;
  readonly isExempt: number;
  readonly hasAreaWord: boolean;
  readonly wants: number;
}

function watcherOf({ no, conditions, areaNos, listingType, ...drawn }: DrawnWatcher): IndexedWatcher {
  const ignoreDisplayRules = drawn.isExempt === 0;
  const areas = areaNos.length > 0 ? [{ kind: 'areas', ids: [] }] : [];
  const search = {
    listingType,
    areaNos,
    ignoreDisplayRules,
    names: {},
    units: 'imperial',
    currency: null,
    words: drawn.hasAreaWord ? { oak: { spellings: ['oak', 'umbra'], areaNos: [1] } } : {},
    conditions: [...areas, ...conditions.filter((each) => each !== null)],
  } as SavedSearch;
  return {
    no,
    ignoreDisplayRules,
    target: { type: 'search', search },
    events: [drawn.wants === 0 ? 'listing.updated' : 'search.match_added'],
  };
}

const rowOf = fc
  .record({
    other: rowArbitrary,
    price: fc.constantFrom(null, 50, 150, 199.5, 200, 300, 1e9),
    displayed: fc.boolean(),
    bedrooms: fc.constantFrom(null, 1, 2.5, 3),
    bathrooms: fc.constantFrom(null, 1, 2.5),
    status: fc.constantFrom(...STATUS),
    type: fc.constantFrom(...TYPES),
    areaNos: fc.constantFrom([1], [1, 2], [2, 1], [2], []),
    isSale: fc.integer({ min: 0, max: 4 }),
  })
  .map(({ other, areaNos, isSale, type, ...columns }) => ({
    tokens: other.tokens,
    row: {
      ...other.row,
      ...columns,
      id: 'lst_1',
      property_type: type,
      area_nos: areaNos,
      listing_type: isSale > 0 ? 'sale' : 'rental',
    } as SearchRow,
  }));

/** Columns that differ between the sides; null: all, or there is no side before. */
const differing: fc.Arbitrary<readonly (keyof SearchRow)[] | null> = fc.oneof(
  ...[
    ['price'],
    ['price', 'updated_at'],
    ['status'],
    ['displayed'],
    ['area_nos'],
    ['bedrooms', 'bathrooms'],
  ].map((columns) => fc.constant(columns as (keyof SearchRow)[])),
  ...[['currency'], ['property_type', 'price'], ['listing_type'], ['features'], ['location']].map((columns) =>
    fc.constant(columns as (keyof SearchRow)[]),
  ),
  fc.constant(null),
);

const stepArbitrary: fc.Arbitrary<WatchedStep> = fc
  .record({
    previous: rowOf,
    current: rowOf,
    columns: differing,
    isNew: fc.boolean(),
    otherWords: fc.boolean(),
  })
  .map(({ previous, current, columns, isNew, otherWords }) => {
    const names = columns ?? (Object.keys(current.row) as (keyof SearchRow)[]);
    const before = Object.fromEntries(names.map((name) => [name, previous.row[name]]));
    const words = new Set(current.tokens);
    return {
      change: {
        sequence: 1,
        at: 0,
        kind: 'updated',
        listingId: 'lst_1',
        propertyId: 'prp_1',
        quiet: false,
        changed: otherWords ? ['words'] : [],
        wordsBefore: null,
        after: { row: current.row, listing: {} as ListingSummary },
        before: isNew && columns === null ? null : { row: before, listing: {} },
      },
      words: { before: otherWords ? new Set(previous.tokens) : words, after: words },
    } as WatchedStep;
  });

const operationWith = (watcher: fc.Arbitrary<IndexedWatcher>) =>
  fc.oneof(
    { weight: 12, arbitrary: stepArbitrary.map((step) => ({ kind: 'change', step }) as const) },
    { weight: 4, arbitrary: watcher.map((each) => ({ kind: 'add', watcher: each }) as const) },
    {
      weight: 4,
      arbitrary: fc.integer({ min: 1, max: MAX_NO }).map((no) => ({ kind: 'remove', no }) as const),
    },
  );

/** First watchers, and what happens to them. Text is one of the usual conditions twice, alone and among others. */
const historyArbitrary = fc.subarray([...OPTIONAL_CONDITIONS, text], { minLength: 1 }).chain((usual) => {
  const watcher = watchersWith(usual);
  return fc.record({
    first: fc.array(watcher, { minLength: 200, maxLength: 300, size: 'max' }),
    operations: fc.array(operationWith(watcher), { minLength: 30, maxLength: 60, size: 'max' }),
  });
});

test('watchers that share a key are found one by one, however they were added and removed', () => {
  let results = 0;
  fc.assert(
    fc.property(historyArbitrary, ({ first, operations }) => {
      const index = new WatcherIndex<string>();
      const watchers = new Map<number, IndexedWatcher>();
      const added = first.map((watcher): IndexOperation => ({ kind: 'add', watcher }));
      results += runOperations(index, watchers, [...added, ...operations]);
    }),
    runs(50, 7),
  );
  assert.ok(results > 3_000, `results are common: ${results}`);
});
