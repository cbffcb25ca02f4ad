// Proves that records which were read in another way are read again: in the background, slowly, and the stored ones follow.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findReport } from '../../src/sources/report-store.ts';
import { readProfile } from '../../src/sources/reso/profiles/profile.ts';
import { isLoaded } from '../support/sources/replica.ts';
import {
  assertSpared,
  type FeedRecord,
  isMetadata,
  listOf,
  NO_METADATA,
  type ReplicatedFeed,
  recordsOf,
  replicateFeed,
} from '../support/sources/strict-feed.ts';

const loaded = (feed: ReplicatedFeed) => feed.passUntil('the load is complete', () => isLoaded(feed));

const positionOf = async ({ database }: ReplicatedFeed) => {
  const [row] = await database.read(
    (sql) => sql<{ reading: string | null; reread: unknown }[]>`select reading, reread from source_position`,
  );
  return row;
};

/** A feed that an earlier version read: it showed all listings, and took every type for a sale. */
async function readEarlier(t: Parameters<typeof replicateFeed>[0], records: FeedRecord[]) {
  let isOld = true;
  const shown = (record: FeedRecord): FeedRecord =>
    isOld ? { ...record, InternetEntireListingDisplayYN: null, PropertyType: 'Residential' } : record;
  const feed = await replicateFeed(t, (request) =>
    isMetadata(request) ? NO_METADATA : listOf(records.map(shown), request),
  );
  await loaded(feed);
  await feed.replication.stop();
  isOld = false;
  await feed.database.write((sql) => sql`update source_position set reading = null, requested = null`);
  return feed;
}

test('after an upgrade all records are read once more, at most one a second, while the source stays ready', async (t) => {
  const records = recordsOf(10);
  records[1] = { ...records[1], InternetEntireListingDisplayYN: 'F' };
  records[2] = { ...records[2], PropertyType: 'RLSE', ListPrice: 2_000 };
  records[3] = { ...records[3], PropertyType: 'Vacation' };
  const feed = await readEarlier(t, records);
  assert.deepEqual(
    [(await feed.listing('k1')).displayed, (await feed.listing('k3')).displayed],
    [true, true],
  );
  const before = feed.feed.requests.length;
  const again = await feed.restart();
  const states = new Set<string>();
  await again.passUntil('all is read again', async () => {
    if (again.replication.status().loadedAt !== null) states.add(again.replication.status().state);
    return (await positionOf(again))?.reading !== null;
  });
  assert.deepEqual(
    [...states].filter((state) => state !== 'following' && state !== 'starting'),
    [],
  );
  assert.notEqual(again.replication.status().loadedAt, null);
  const [, ...rereads] = feed.feed
    .listRequests()
    .filter(({ url, at }, index) => index >= 0 && at > 0 && !url.searchParams.has('$filter'));
  assertSpared(rereads.filter((request) => feed.feed.requests.indexOf(request) >= before));
  const [hidden, rental, unknown] = await Promise.all(['k1', 'k2', 'k3'].map(again.listing));
  assert.deepEqual(
    [hidden?.displayed, rental?.listingType, rental?.displayed, unknown?.displayed],
    [false, 'rental', true, false],
  );
  assert.equal((await again.listing('k4')).displayed, true);
  await again.pass(1);
  const report = await again.database.read((sql) => findReport(sql, 'reso'));
  assert.deepEqual(report?.withheld, [
    { field: 'InternetEntireListingDisplayYN', value: '"F"', listings: 1 },
    { field: 'PropertyType', value: '"Vacation"', listings: 1 },
  ]);
  const after = feed.feed.requests.length;
  await again.pass(300);
  const later = feed.feed.listRequests().filter((request) => feed.feed.requests.indexOf(request) >= after);
  assert.ok(later.length > 0 && later.every(({ path }) => path.includes('$filter')), 'once is enough');
});

test('changes come through while all records are read again, which goes on where it stopped', async (t) => {
  const records = recordsOf(200);
  const feed = await readEarlier(t, records);
  const again = await feed.restart();
  await again.passUntil('a part is read', async () => ((await positionOf(again))?.reread ?? null) !== null);
  records[0] = { ...records[0], ListPrice: 5, ModificationTimestamp: '2026-01-05T12:01:00Z' };
  await again.passUntil('the change is read', async () => (await again.listing('k0')).record.price === 5);
  assert.notEqual((await positionOf(again))?.reread, null, 'it is still under way');
  const third = await again.restart();
  const before = feed.feed.requests.length;
  await third.passUntil('all is read again', async () => (await positionOf(third))?.reading !== null);
  const whole = feed.feed.requests.slice(before).filter(({ url }) => !url.searchParams.has('$filter'));
  assert.ok(whole.length < 200 / 3, `${whole.length} pages: those before were not read once more`);
});

test('another default of display reads all records again, and stored listings follow it', async (t) => {
  const records = recordsOf(4);
  records[1] = { ...records[1], InternetEntireListingDisplayYN: true };
  const feed = await replicateFeed(t, (request) =>
    isMetadata(request) ? NO_METADATA : listOf(records, request),
  );
  await loaded(feed);
  const again = await feed.restart({ showsByDefault: false });
  await again.passUntil(
    'all is read again',
    async () => (await positionOf(again))?.reading?.includes('withhold') === true,
  );
  const shown = await Promise.all(
    ['k0', 'k1', 'k2'].map(async (key) => (await again.listing(key)).displayed),
  );
  assert.deepEqual(shown, [false, true, false]);
});

test('another name of the data reads all records again: the first may have been wrong, and its load without any record', async (t) => {
  const part = (originatingSystem: string) => ({ profile: readProfile('standard', { originatingSystem }) });
  const feed = await replicateFeed(
    t,
    (request) => {
      if (isMetadata(request)) return NO_METADATA;
      const isRight = request.url.searchParams.get('$filter')?.includes("OriginatingSystemName eq 'north'");
      return listOf(isRight ? recordsOf(4) : [], request);
    },
    part('nroth'),
  );
  await loaded(feed);
  assert.deepEqual(await feed.keys(), []);
  const again = await feed.restart(part('north'));
  await again.passUntil('all is read again', async () => (await again.keys()).length === 4);
  await again.pass(300);
  const wholes = () =>
    feed.feed
      .listRequests()
      .filter(({ url }) => !url.searchParams.get('$filter')?.includes('ModificationTimestamp')).length;
  const before = wholes();
  assert.ok(before > 0);
  await (await again.restart()).pass(300);
  assert.equal(wholes(), before, 'once is enough');
});

test('a feed that cannot be read again keeps following its changes, and says why', async (t) => {
  const records = recordsOf(9);
  const feed = await readEarlier(t, records);
  feed.feed.answer = (request) => {
    if (isMetadata(request)) return NO_METADATA;
    const { url } = request;
    if (url.searchParams.has('$filter') || url.searchParams.has('$top')) return listOf(records, request);
    const page = Number(url.searchParams.get('page') ?? 0);
    const link = `${url.origin}${url.pathname}?page=${page === 2 ? 1 : page + 1}`;
    return { body: { value: records.slice(page * 3, page * 3 + 3), '@odata.nextLink': link } };
  };
  const again = await feed.restart();
  await again.passUntil('it is noticed', () => again.replication.status().rereadFailure === 'cyclic_links');
  const { state, failure, loadedAt } = again.replication.status();
  assert.deepEqual([state, failure, loadedAt === null], ['following', null, false]);
  records[0] = { ...records[0], ListPrice: 5, ModificationTimestamp: '2026-01-05T12:02:00Z' };
  await again.passUntil('the change is read', async () => (await again.listing('k0')).record.price === 5);
});
