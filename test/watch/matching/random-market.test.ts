// Proves over random searches and changes that watchers are told exactly what begins and ceases to match in SQL.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { EVERYTHING } from '../../../src/access/tiers/reach.ts';
import { writeAreaBatch } from '../../../src/ingest/area-writer.ts';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { Licences } from '../../../src/licence/licences.ts';
import { RentalSearchQuery, SaleSearchQuery } from '../../../src/search/query/parameters.ts';
import type { SavedSearch } from '../../../src/search/query/saved-search.ts';
import { whereSql } from '../../../src/search/sql/condition-sql.ts';
import { createFindCurrencies } from '../../../src/search/summaries/currency.ts';
import { freezeSearch } from '../../../src/watch/freeze-search.ts';
import { Matching } from '../../../src/watch/matching/matching.ts';
import { logWatchers } from '../../../src/watch/watcher-log.ts';
import { insertWatcher } from '../../../src/watch/watcher-store.ts';
import {
  factsArbitrary,
  NOW,
  toDraft,
  writeAreas,
  writeMarket,
} from '../../support/catalogue/random-market.ts';
import { searchParts } from '../../support/catalogue/search-backend.ts';
import type { ListingType } from '../../support/catalogue/search-client.ts';
import { createRandom } from '../../support/check/random.ts';
import { until } from '../../support/check/until.ts';
import { atEnd, testDatabase } from '../../support/database/database.ts';
import { asBody } from '../../support/oracle/query-body.ts';
import { watchedQueries } from '../../support/oracle/watched-search.ts';
import { isMatched } from '../../support/watch/matching-oracle.ts';

const LISTINGS = 80;
const WATCHERS = 160;
const ROUNDS = 16;
const LATE_ROUND = 12;

const { database } = await testDatabase({ after });
const catalogue = createCatalogue(database);
const random = createRandom(7);
await writeAreas(database);
const samples = <T>(arbitrary: fc.Arbitrary<T>, count: number, seed: number): T[] =>
  fc.sample(arbitrary, { numRuns: count, seed });
const market = await writeMarket(database, catalogue, samples(factsArbitrary, LISTINGS, 1));
const ids = new Map(market.map(({ key, id }) => [key, id]));

interface Watched {
  readonly id: string;
  readonly search: SavedSearch;
  readonly query: object;
}

async function freezeAll(): Promise<Omit<Watched, 'id'>[]> {
  const findCurrencies = createFindCurrencies(database, { version: () => 0, monotonic: () => 0 });
  const { backend } = searchParts(database);
  const frozen: Omit<Watched, 'id'>[] = [];
  for (const listingType of ['sale', 'rental'] satisfies ListingType[]) {
    const schema = listingType === 'sale' ? SaleSearchQuery : RentalSearchQuery;
    for (const query of samples(watchedQueries(listingType, 3), WATCHERS / 2, 2)) {
      const keys = query.ids?.split(',').map((key) => ids.get(key) ?? 'lst_of_another_market');
      const body = asBody(keys === undefined ? query : { ...query, ids: keys.join() }, schema);
      const caller = { tier: 'internal' as const, account: 'sub:tests', reach: EVERYTHING };
      const request = { caller, listingType, query: body, now: NOW };
      const { search } = await freezeSearch(
        { database, findCurrencies, defaultCurrency: null, backend },
        { ...request, pointer: '/target/query' },
      );
      frozen.push({ search, query: body });
    }
  }
  return frozen;
}

async function createWatchers(): Promise<Watched[]> {
  const frozen = await freezeAll();
  return database.transaction(async (tx) => {
    const watched: Watched[] = [];
    for (const [at, { search, query }] of frozen.entries()) {
      const { listingType, ignoreDisplayRules } = search;
      const id = `wat_market${at}`;
      const watcher = await insertWatcher(
        tx,
        {
          id,
          owner: 'sub:1',
          allowance: 'sub:1',
          subscription: '1',
          grant: null,
          name: null,
          target: { type: 'search', listingType, query: {} },
          search,
          interpretation: null,

          events: ['search.match_added', 'search.match_removed'],
          cadence: 'instant',
          requestedCadence: null,
          timeZone: 'UTC',
          eventsPerHour: null,
          ignoreDisplayRules,
          backfill: false,
          expiresAt: null,
          metadata: {},
          initialMatchCount: 0,
        },
        new Date(NOW),
      );
      await logWatchers(tx, 'created', [watcher], NOW);
      watched.push({ id, search, query });
    }
    return watched;
  });
}

/** The ids of the listings that match now, by SQL. */
async function matchesNow({ search }: Watched): Promise<Set<string>> {
  const resolved = {
    areas: [],
    areaNos: search.areaNos,
    words: new Map(Object.entries(search.words)),
  };
  const rows = await database.read(
    (sql) => sql<{ id: string }[]>`
      select id from listing_search where ${whereSql(sql, { ...search, startedAt: NOW }, resolved)}`,
  );
  return new Set(rows.map(({ id }) => id));
}

const matchesOf = async (watched: readonly Watched[]) => {
  const all = new Map<string, Set<string>>();
  for (const each of watched) all.set(each.id, await matchesNow(each));
  return all;
};

/** Other facts about some listings: they move, change their type, are hidden and shown. */
async function changeListings(round: number): Promise<void> {
  const keys = [...new Set(Array.from({ length: 12 }, () => `key-${random.below(LISTINGS + 10)}`))];
  const facts = samples(factsArbitrary, keys.length, 100 + round);
  const drafts = facts.map((each, at) => toDraft(keys[at] ?? '', each));
  await database.transaction((tx) => catalogue.write(tx, 'test', drafts, NOW + round * 60_000));
}

/** The county moves. */
async function redrawArea(round: number): Promise<void> {
  const [west, east] = [20 - round / 100, 20.5 + round / 50];
  const ring = [
    [west, 10],
    [east, 10],
    [east, 11],
    [west, 11],
    [west, 10],
  ];
  await writeAreaBatch(database, 'test', [
    {
      type: 'county',
      externalId: 'ring',
      name: 'Ring',
      parentReference: 'umbra',
      aliases: [],
      codes: {},
      population: null,
      boundary: { type: 'Polygon', coordinates: [ring] },
    },
  ]);
}

async function eventsAfter(sequence: number): Promise<string[]> {
  const rows = await database.read(
    (sql) => sql<{ watcher: string; type: string; listing: string }[]>`
      select watcher_id as watcher, type, listing_id as listing from watch_event where sequence > ${sequence}`,
  );
  return rows.map(({ watcher, type, listing }) => `${watcher} ${type} ${listing}`).sort();
}

async function head(): Promise<number> {
  const [row] = await database.read(
    (sql) => sql<{ head: number }[]>`select max(first_sequence + changes - 1) as head from change_batch`,
  );
  return row?.head ?? 0;
}

test('watchers are told what begins and ceases to match, whatever they search for and whatever changes', async () => {
  const watched = await createWatchers();
  const errors: unknown[] = [];
  const matching = new Matching({
    database,
    clock: systemClock,
    licences: new Licences({ database, clock: systemClock, report: () => {} }),
    report: (error) => errors.push(error),
  });
  const totals = { added: 0, removed: 0 };
  const expected: string[] = [];
  const first = await head();
  let before = await matchesOf(watched);
  for (let round = 1; round <= ROUNDS; round++) {
    // Until then nobody matches: what listings were, their words too, is to be had from the log alone.
    if (round === LATE_ROUND) {
      matching.start();
      atEnd({ after }, () => matching.stop());
    }
    if (round % 5 === 0) await redrawArea(round);
    else await changeListings(round);
    const now = await matchesOf(watched);
    for (const { id } of watched) {
      const [was, is] = [before.get(id) ?? new Set<string>(), now.get(id) ?? new Set<string>()];
      const added = [...is.difference(was)].map((listing) => `${id} search.match_added ${listing}`);
      const removed = [...was.difference(is)].map((listing) => `${id} search.match_removed ${listing}`);
      expected.push(...added, ...removed);
      totals.added += added.length;
      totals.removed += removed.length;
    }
    before = now;
  }
  await until('all changes are matched', () => isMatched(database));
  assert.deepEqual(await eventsAfter(first), expected.sort());
  assert.deepEqual(errors, []);
  assert.ok(totals.added > 200 && totals.removed > 200, JSON.stringify(totals));
});
