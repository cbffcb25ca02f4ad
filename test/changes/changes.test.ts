// Proof that GET /v1/changes tells every change once and in order, under the reader's display rules, and always completely.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { appendPrivateEntries } from '../../src/changes/change-store.ts';
import { deleteOldBatches, dropOldChanges } from '../../src/changes/retention-store.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import { at, startCatalogue } from '../support/catalogue/catalogue.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { runs } from '../support/check/runs.ts';

interface Change {
  readonly sequence: number;
  readonly type: string;
  readonly listingId: string;
  readonly changedFields: readonly string[];
  readonly listing: { readonly price: number; readonly status: string; readonly address: object } | null;
}
interface ChangePage {
  readonly data: readonly Change[];
  readonly page: { readonly limit: number; readonly hasMore: boolean; readonly nextCursor: string };
}

const { catalogue, database, clock, keys, service, write, writtenIds } = await startCatalogue({ after });

const read = (query = '', key = keys.business): Promise<ChangePage> =>
  service.json(`/v1/changes?${query}`, key);
const head = async () => (await read('after=now')).page.nextCursor;
const statusOf = async (query: string, key: string) => {
  const answer = await service.get(`/v1/changes?${query}`, key);
  const { code, detail } = (await answer.json()) as { code?: string; detail?: string };
  return { status: answer.status, code, detail };
};

/** Everything after a cursor, page by page. */
async function readAll(from: string, query: string, key = keys.business): Promise<Change[]> {
  const changes: Change[] = [];
  for (let [after, more] = [from, true]; more; ) {
    const { data, page } = await read(`after=${after}&${query}`, key);
    changes.push(...data);
    [after, more] = [page.nextCursor, page.hasMore];
  }
  return changes;
}

/** Listings that these tests never show to ordinary readers. */
const neverShown = new Set<string>();

test('changes come once and in order, in pages of any size or as lines; private entries of the log do not', async () => {
  const from = await head();
  const [one = '', two = ''] = await writtenIds(
    draft('one', { listPrice: 1 }),
    draft('two', { listPrice: 5 }),
  );
  await database.transaction(async (tx) =>
    appendPrivateEntries(tx, [{ watcherId: 'wat_x', action: 'created', data: {} }], clock.now()),
  );
  await write(draft('one', { listPrice: 2 }));
  await write(draft('two', { listPrice: 5, status: 'DELETED' }));
  const all = await readAll(from, 'limit=200');
  assert.deepEqual(
    all.map(({ type, listingId, listing }) => [type, listingId, listing?.price]),
    [
      ['created', one, 1],
      ['created', two, 5],
      ['updated', one, 2],
      ['removed', two, 5],
    ],
  );
  assert.ok(all[2]?.changedFields.includes('price') && !all[2].changedFields.includes('status'));
  for (const limit of [1, 2, 3]) assert.deepEqual(await readAll(from, `limit=${limit}`), all);
  await database.transaction(async (tx) =>
    appendPrivateEntries(tx, [{ watcherId: 'wat_x', action: 'paused', data: {} }], clock.now()),
  );
  const { page } = await read(`after=${from}`);
  assert.deepEqual([page.hasMore, page.nextCursor], [false, await head()], 'past private entries');
  for (const query of [`after=${from}`, `after=${from}&limit=4`]) {
    const answer = await service.get(`/v1/changes?${query}`, keys.business, {
      accept: 'application/x-ndjson',
    });
    assert.equal(answer.headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
    const lines = (await answer.text()).trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      all,
    );
  }
});

test('as lines come all changes there are, of more than one read and with more bytes than a socket takes at once', async () => {
  const from = await head();
  const address = { ...NO_ADDRESS, full: `${'long '.repeat(40)}road` };
  await writtenIds(...Array.from({ length: 230 }, (_, home) => draft(`line-${home}`, { address })));
  const answer = await service.get(`/v1/changes?after=${from}`, keys.business, {
    accept: 'application/x-ndjson',
    'accept-encoding': 'identity',
  });
  const lines = (await answer.text()).trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    await readAll(from, 'limit=200'),
  );
});

const display = (listing: boolean, address = true) => ({ display: { listing, address, estimate: true } });
const ADDRESS = { ...NO_ADDRESS, full: '7 Quillby Court, Aldern', city: 'Aldern', streetNumber: '7' };

test('a listing that a reader may not see is told as removed, with its id alone; also in what was told of it before', async () => {
  const from = await head();
  const facts = { listPrice: 7, address: ADDRESS, location: at(60.123, 20.456) };
  const [id = ''] = await writtenIds(draft('hides', facts));
  assert.equal((await readAll(from, ''))[0]?.listing?.price, 7);
  await write(draft('hides', { ...facts, ...display(false) }));
  const hidden = await readAll(from, '');
  assert.equal(hidden.length, 2);
  for (const { sequence, ...rest } of hidden)
    assert.deepEqual(rest, {
      object: 'change',
      type: 'removed',
      listingId: id,
      propertyId: null,
      at: null,
      changedFields: [],
      listing: null,
      url: null,
    });
  const whole = await readAll(from, 'display=ignore', keys.internal);
  assert.deepEqual(
    whole.map(({ type, listing }) => [type, listing?.price]),
    [
      ['created', 7],
      ['updated', 7],
    ],
  );
  assert.equal((await statusOf('display=ignore', keys.business)).code, 'TIER_RESTRICTED');
  await write(draft('hides', { ...facts, ...display(true, false) }));
  const masked = await readAll(from, '');
  assert.deepEqual(
    masked.map(({ type }) => type),
    ['created', 'removed', 'updated'],
  );
  for (const { listing } of masked.filter((change) => change.listing !== null)) {
    assert.doesNotMatch(JSON.stringify(listing), /Quillby|60\.123/);
    assert.match(JSON.stringify(listing), /Aldern/);
  }
  assert.match(
    JSON.stringify((await readAll(from, 'display=ignore', keys.internal)).at(-1)),
    /Quillby.*60\.123/,
  );
});

test('a listing that was never shown adds nothing, until it is shown; whoever may ignore display rules is told', async () => {
  const from = await head();
  const [hidden = '', incomplete = ''] = await writtenIds(
    draft('unseen', { listPrice: 1, ...display(false) }),
    draft('unfinished', { listPrice: 1, status: 'INCOMPLETE' }),
  );
  neverShown.add(hidden);
  const writeBoth = (facts: Partial<ListingDraft>) =>
    write(
      draft('unseen', { ...display(false), ...facts }),
      draft('unfinished', { status: 'INCOMPLETE', ...facts }),
    );
  await writeBoth({ listPrice: 2 });
  await writeBoth({ listPrice: 3 });
  assert.deepEqual(await readAll(from, ''), []);
  const whole = await readAll(from, 'display=ignore', keys.internal);
  assert.deepEqual(
    whole.map(({ listingId, listing }) => [listingId, listing?.price]),
    [1, 2, 3].map((price) => [hidden, price]),
  );
  await write(draft('unfinished', { listPrice: 4 }));
  const shown = await readAll(from, 'limit=1');
  assert.deepEqual(new Set(shown.map(({ listingId }) => listingId)), new Set([incomplete]));
  assert.equal(shown.at(-1)?.listing?.price, 4);
  await write(draft('unfinished', { listPrice: 4, ...display(false) }));
  assert.deepEqual((await readAll(from, 'limit=1')).at(-1)?.type, 'removed');
});

test('what a source still changes of a removed listing is in no page of changes, unless it hides the listing', async () => {
  const from = await head();
  await write(draft('gone', { listPrice: 1 }));
  await write(draft('gone', { listPrice: 1, status: 'DELETED' }));
  await write(draft('gone', { listPrice: 2, status: 'DELETED' }));
  const removed = await readAll(from, '');
  assert.deepEqual(
    removed.map(({ type, listing }) => [type, listing?.price]),
    [
      ['created', 1],
      ['removed', 1],
    ],
  );
  await write(draft('gone', { listPrice: 2, status: 'DELETED', ...display(false) }));
  assert.deepEqual(
    (await readAll(from, '')).map(({ type, listing }) => [type, listing]),
    Array(3).fill(['removed', null]),
  );
});

test('areas are in the units that are asked for', async () => {
  const from = await head();
  await write(draft('sized', { livingArea: 1_000 }));
  const [change] = (await read(`after=${from}&units=metric`)).data as unknown as { listing: object }[];
  assert.deepEqual({ livingArea: 92.9, areaUnit: 'sqm' }, { ...pick(change?.listing) });
});
const pick = (listing: object = {}) => {
  const { livingArea, areaUnit } = listing as { livingArea: number; areaUnit: string };
  return { livingArea, areaUnit };
};

test('what cannot be read is refused with what to do', async () => {
  assert.match((await statusOf('after=abc', keys.business)).detail ?? '', /after/);
  const beyond = await statusOf('after=999999999', keys.business);
  assert.deepEqual([beyond.status, beyond.code], [400, 'INVALID_CURSOR']);
  assert.match((await statusOf('cursor=5', keys.business)).detail ?? '', /after/);
  assert.equal((await statusOf('', keys.pro)).code, 'TIER_RESTRICTED');
});

const STATUSES = ['ACTIVE', 'PENDING', 'DELETED'] as const;
const stepArbitrary = fc.oneof(
  fc.record({
    kind: fc.constant('write' as const),
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    price: fc.nat(3),
    status: fc.constantFrom(...STATUSES),
    shown: fc.constantFrom(true, true, false),
  }),
  fc.record({ kind: fc.constant('read' as const), limit: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant('month' as const), days: fc.constantFrom(1, 20, 45) }),
);

test('a reader that begins at 0 or anywhere ends with every listing as it is, though the log forgets what is older than a month', async () => {
  // Its own time: the service need not live through the months.
  let [round, time] = [0, clock.now()];
  await fc.assert(
    fc.asyncProperty(fc.array(stepArbitrary, { minLength: 5, maxLength: 30 }), async (steps) => {
      const prefix = `r${round++}`;
      const copy = new Map<string, Change>();
      let position = Number(await head());
      const expected = new Map<string, readonly unknown[]>();
      const everShown = new Set<string>();
      const readPage = async (limit: number) => {
        const { data, page } = await read(`after=${position}&limit=${limit}`);
        for (const change of data) {
          assert.ok(change.sequence > position || change === data[0], 'in order');
          copy.set(change.listingId, change);
        }
        position = Number(page.nextCursor);
        return page.hasMore;
      };
      for (const step of steps) {
        clock.advance(1_000);
        if (step.kind === 'read') await readPage(step.limit);
        else if (step.kind === 'month') {
          time += step.days * 86_400_000;
          await dropOldChanges(database, time);
          await deleteOldBatches(database, () => false);
        } else {
          const { key, price, status, shown } = step;
          const facts: Partial<ListingDraft> = { listPrice: price, status, ...display(shown) };
          const drafts = [draft(`${prefix}-${key}`, facts)];
          const { ids } = await database.transaction((tx) => catalogue.write(tx, 'test', drafts, time));
          const id = ids.get(`${prefix}-${key}`) ?? '';
          if (shown) everShown.add(id);
          const isKept = shown && status !== 'DELETED';
          expected.set(id, isKept ? ['kept', price, status] : ['removed', shown]);
        }
      }
      while (await readPage(3));
      for (const [id, facts] of expected) {
        if (!everShown.has(id)) {
          neverShown.add(id);
          assert.equal(copy.get(id), undefined);
          continue;
        }
        const { type, listing } = copy.get(id) ?? assert.fail(`${id} was never told`);
        // Of one that is removed only that counts, and whether anything else of it is told.
        const told =
          type === 'removed' ? [type, listing !== null] : ['kept', listing?.price, listing?.status];
        assert.deepEqual(told, facts);
      }
    }),
    runs(25, 1_512),
  );
  const listings = await database.read((sql) => sql<{ id: string }[]>`select id from listing`);
  const everything = await readAll('0', 'limit=7');
  const shown = listings.filter(({ id }) => !neverShown.has(id));
  assert.deepEqual(new Set(everything.map(({ listingId }) => listingId)), new Set(shown.map(({ id }) => id)));
});
