// Proves that explaining a search costs by the number of its filters, not by the square of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import postgres from 'postgres';
import { EVERYTHING } from '../../access/tiers/reach.ts';
import type { Database } from '../../postgres/client/database.ts';
import { createSql, formatStatement, type Sql, type SqlFragment } from '../../postgres/client/sql.ts';
import type { SearchQuery } from '../query/parameters.ts';
import { planSearch } from '../query/plan.ts';
import type { SearchBackend } from '../query/search-backend.ts';
import { countEach } from '../sql/count-store.ts';
import { explainSearch } from './explain.ts';

/** A database that keeps the text of each statement that it is asked to run, and finds nothing. */
function statementKeeper() {
  const statements: string[] = [];
  const sql = createSql(postgres({ host: '127.0.0.1', port: 1 }));
  const database = {
    async read(work: (on: Sql) => SqlFragment) {
      statements.push(formatStatement(work(sql)).text);
      return [];
    },
  } as unknown as Database;
  return { statements, database };
}

test('each condition of an explained search is written once, however many filters there are', async () => {
  const query: SearchQuery = {
    minPrice: 1,
    maxPrice: 2,
    minBathrooms: 1,
    minStories: 1,
    minFloor: 1,
    minParking: 1,
    city: ['a'],
    state: ['b'],
    waterfront: true,
    hasPhotos: true,
    features: ['pool'],
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
    words: new Map(),
  };
  const plan = planSearch('sale', query, 10, 0, EVERYTHING);
  const backend: Pick<SearchBackend, 'countEach'> = {
    countEach: (search, sets) => countEach(database, search, sets),
  };
  const { filters } = await explainSearch(backend, { plan, resolved }, query);
  assert.equal(filters.length, 12);
  const [statement = ''] = statements;
  assert.equal(statement.match(/::polygon/g)?.length, 2, 'once for each part');
  assert.equal(statement.match(/"city" = any/g)?.length, 1);
  assert.equal(statement.match(/"stories" >=/g)?.length, 1);
});
