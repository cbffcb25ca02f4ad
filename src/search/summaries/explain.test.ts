// Proves that explaining a search costs by the number of its filters, not by the square of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../postgres/client/database.ts';
import type { SearchQuery } from '../query/parameters.ts';
import { planSearch } from '../query/plan.ts';
import { explainSearch } from './explain.ts';

/** A database that keeps the text of the statement that it is asked to run, and finds nothing. */
function statementKeeper() {
  const statements: string[] = [];
  const sql = {
    unsafe(text: string) {
      statements.push(text);
      return Promise.resolve([]);
    },
  };
  const database = { read: (work: (on: unknown) => unknown) => work(sql) } as unknown as Database;
  return { statements, database };
}

test('each condition of an explained search is written once, however many filters there are', async () => {
  const query: SearchQuery = {
    ...{ minPrice: 1, maxPrice: 2, minBathrooms: 1, minStories: 1, minFloor: 1, minParking: 1 },
    ...{ city: ['a'], state: ['b'], waterfront: true, hasPhotos: true, features: ['pool'] },
    polygon: JSON.stringify([
      [
        [0, 0],
        [1, 0],
        [1, 1],
      ],
      [
        [5, 5],
        [6, 5],
        [6, 6],
      ],
    ]),
  };
  const { statements, database } = statementKeeper();
  const resolved = {
    areas: [],
    areaNos: [],
    areaListings: 0,
    inShape: null,
    words: new Map(),
    sizes: new Map(),
  };
  const { filters } = await explainSearch(database, planSearch('sale', query, 10, 0), resolved, query);
  assert.equal(filters.length, 12);
  const [statement = ''] = statements;
  assert.equal(statement.match(/::polygon/g)?.length, 2, 'once for each part');
  assert.equal(statement.match(/"city" = any/g)?.length, 1);
  assert.equal(statement.match(/"stories" >=/g)?.length, 1);
});
