// Proof that a first load is one entry of the log for each transaction, and that all who read the log end with its listings.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isListingChange } from '../../src/changes/change.ts';
import { headSequence, readChanges } from '../../src/changes/change-store.ts';
import { deleteOldBatches, dropOldChanges } from '../../src/changes/retention-store.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import type { SavedSearch } from '../../src/search/query/saved-search.ts';
import { findMatchesAt } from '../../src/watch/matching/backfill-store.ts';
import { startCatalogue } from '../support/catalogue/catalogue.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { until } from '../support/check/until.ts';

const { catalogue, database, clock, keys, service, write } = await startCatalogue({ after });

interface Change {
  readonly sequence: number;
  readonly type: string;
  readonly listingId: string;
  readonly listing: { readonly price: number } | null;
}
interface ChangePage {
  readonly data: readonly Change[];
  readonly page: { readonly hasMore: boolean; readonly nextCursor: string };
}

const head = () => database.read(headSequence);

/** Writes drafts as a first load does; gives their ids in the same order. */
async function load(...drafts: ListingDraft[]): Promise<string[]> {
  const { ids } = await database.transaction((tx) =>
    catalogue.write(tx, 'test', drafts, clock.now(), [], true),
  );
  return drafts.map(({ listingKey }) => ids.get(listingKey) ?? '');
}

async function readAll(from: number, limit: number): Promise<Change[]> {
  const changes: Change[] = [];
  for (let [cursor, more] = [String(from), true]; more; ) {
    const { data, page }: ChangePage = await service.json(
      `/v1/changes?after=${cursor}&limit=${limit}`,
      keys.business,
    );
    assert.ok(data.length <= limit);
    changes.push(...data);
    [cursor, more] = [page.nextCursor, page.hasMore];
  }
  return changes;
}

const brief = (changes: readonly Change[]) =>
  changes.map(({ type, listingId, listing }) => [type, listingId, listing?.price]);

test('what a first load creates has no rows in the log, and comes from it once each, in pages of any size', async () => {
  const from = await head();
  const [one, two, three] = await load(
    draft('one', { listPrice: 1 }),
    draft('two', { listPrice: 2 }),
    draft('three', { listPrice: 3 }),
  );
  const [four, five] = await load(draft('four', { listPrice: 4 }), draft('five', { listPrice: 5 }));
  const entries = await database.read((sql) => readChanges(sql, from, 100));
  assert.deepEqual(
    entries.map(({ kind, sequence }) => [kind, sequence - from]),
    [
      ['load', 3],
      ['load', 5],
    ],
  );
  const rows = await database.read((sql) => sql`select from change`);
  assert.equal(rows.length, 0);
  const all = await readAll(from, 200);
  assert.deepEqual(brief(all), [
    ['created', one, 1],
    ['created', two, 2],
    ['created', three, 3],
    ['created', four, 4],
    ['created', five, 5],
  ]);
  assert.deepEqual(
    all.map(({ sequence }) => sequence - from),
    [1, 2, 3, 4, 5],
  );
  for (const limit of [1, 2, 3, 4]) assert.deepEqual(await readAll(from, limit), all);
  assert.deepEqual(await readAll(from + 1, 1), all.slice(1), 'from the middle of a load');
});

test('a loaded listing that changes later comes as that change, with what it was before', async () => {
  const from = await head();
  const [one, two] = await load(draft('changes', { listPrice: 1 }), draft('stays', { listPrice: 2 }));
  await load(draft('changes', { listPrice: 10 }), draft('late', { listPrice: 3 }));
  const [late] = (await write(draft('late', { listPrice: 30 }))).ids.values();
  for (const limit of [1, 2, 200])
    assert.deepEqual(brief(await readAll(from, limit)), [
      ['created', two, 2],
      ['updated', one, 10],
      ['updated', late, 30],
    ]);
  const changes = (await database.read((sql) => readChanges(sql, from, 100))).filter(isListingChange);
  assert.deepEqual(
    changes.map(({ quiet, loadedBy }) => [quiet, loadedBy !== undefined]),
    [
      [true, true],
      [false, true],
    ],
  );
  await write(draft('late', { listPrice: 31 }));
  const [newest] = (await database.read((sql) => readChanges(sql, changes.at(-1)?.sequence ?? 0, 1))).filter(
    isListingChange,
  );
  assert.equal(newest?.loadedBy, undefined, 'its second change since has the one before in the log');
});

test('searches find what another writer loads without loading all again, and what becomes of it', async () => {
  const loads = service.app.searchEngine.status().loads;
  const total = async (query: string): Promise<number | undefined> => {
    const answer: { total?: { value: number } } = await service.json(
      `/v1/search/sales?limit=1&count=exact&${query}`,
      keys.pro,
    );
    return answer.total?.value;
  };
  const homes = Array.from({ length: 120 }, (_, at) =>
    draft(`found-${at}`, {
      listPrice: 7_000_000 + at,
      status: at < 100 ? 'ACTIVE' : 'CLOSED',
      description: 'A quillbyish home',
    }),
  );
  await load(...homes);
  await until('all are found', async () => (await total('minPrice=7000000&q=quillbyish')) === 100);
  await write(draft('found-0', { listPrice: 1, description: 'Plain' }));
  await until('one has left', async () => (await total('minPrice=7000000&q=quillbyish')) === 99);
  assert.equal(service.app.searchEngine.status().loads, loads);
});

test('what matched a search at a sequence has nothing that was loaded since, though it has changed after that', async () => {
  await load(draft('before', { listPrice: 5_000_001 }));
  const at = await head();
  await load(draft('since', { listPrice: 5_000_002 }));
  const { ids } = await write(
    draft('since', { listPrice: 5_000_003 }),
    draft('before', { listPrice: 5_000_004 }),
  );
  const search: SavedSearch = {
    listingType: 'sale',
    conditions: [{ kind: 'range', column: 'price', min: 5_000_000, max: 5_000_100 }],
    ignoreDisplayRules: true,
    areaNos: [],
    words: {},
    units: 'imperial',
    currency: null,
    names: {},
  };
  const found = await findMatchesAt(database, search, at, 10);
  assert.deepEqual(
    found.map(({ listingId }) => listingId),
    [ids.get('before')],
  );
});

test('a load that is older than the log comes from the listings as they are', async () => {
  const from = await head();
  const [old] = await load(draft('old', { listPrice: 8 }));
  clock.advance(40 * 86_400_000);
  await write(draft('new', { listPrice: 9 }));
  await dropOldChanges(database, clock.now());
  await deleteOldBatches(database, () => false);
  const listed = (await readAll(from, 1)).filter(({ listingId }) => listingId === old);
  assert.deepEqual(
    listed.map(({ listing }) => listing?.price),
    [8],
  );
});
