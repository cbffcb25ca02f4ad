// Proves that a difference between the backends is found in any of their answers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResolvedSearch } from '../../search/query/plan.ts';
import type { SearchBackend } from '../../search/query/search-backend.ts';
import { findDifference } from './doctor-compare.ts';

const search = {
  plan: { conditions: [{ kind: 'boxes', boxes: [] }] },
  resolved: {},
} as unknown as ResolvedSearch;

const backend = (other: object = {}): SearchBackend =>
  ({
    page: async () => ({ hits: [{ listing: { id: 'a' }, values: () => [1] }], more: false, total: 1 }),
    count: async () => 1,
    facets: async () => ({ total: 1, values: new Map([['city', [{ value: 'x', count: 1 }]]]) }),
    cells: async () => [],
    summaries: async () => ({ total: 1, measures: new Map() }),
    countEach: async () => [1],
    sources: async () => ['test'],
    ...other,
  }) as unknown as SearchBackend;

test('backends with the same answers have no difference, also where one counts along and one reads records', async () => {
  const page = async () => ({
    hits: [{ listing: { id: 'a', version: 2 }, values: () => [1] }],
    more: false,
    total: null,
  });
  const { state, detail } = await findDifference(backend(), backend({ page }), [search, search]);
  assert.deepEqual([state, detail.startsWith('2 random searches')], ['ok', true]);
});

test('a difference in any answer fails, with both answers and the search', async () => {
  const others: Readonly<Record<string, object>> = {
    page: { page: async () => ({ hits: [], more: false, total: 1 }) },
    total: { count: async () => 7 },
    facets: { facets: async () => ({ total: 1, values: new Map() }) },
    clusters: { cells: async () => [1] },
    statistics: { summaries: async () => ({ total: 2, measures: new Map() }) },
    explanation: { countEach: async () => [0] },
    sources: { sources: async () => [] },
  };
  for (const [name, other] of Object.entries(others)) {
    const { state, detail, remedy } = await findDifference(backend(other), backend(), [search]);
    assert.equal(state, 'fail');
    assert.match(
      detail,
      new RegExp(`^the ${name} of one search differs: memory has .*PostgreSQL .*"kind":"boxes"`),
    );
    assert.match(remedy ?? '', /SEARCH_ENGINE=postgres/);
  }
});
