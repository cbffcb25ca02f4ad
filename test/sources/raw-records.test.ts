// Proves that what a source sent is kept beside its listings, as it came, and leaves with them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { findRawRecords } from '../../src/ingest/raw/raw-record-store.ts';
import { findReport } from '../../src/sources/report-store.ts';
import { readProfile } from '../../src/sources/reso/profiles/profile.ts';
import { createWriteThrough } from '../../src/sources/write-through.ts';
import { isLoaded } from '../support/sources/replica.ts';
import {
  type FeedRecord,
  isMetadata,
  listOf,
  NO_METADATA,
  type ReplicatedFeed,
  recordsOf,
  replicateFeed,
} from '../support/sources/strict-feed.ts';

/** What is kept, by key and resource. */
async function kept({ database }: Pick<ReplicatedFeed, 'database'>): Promise<Record<string, unknown>> {
  const found = await database.read((sql) => findRawRecords(sql, 'reso', '', 1_000));
  return Object.fromEntries(
    found.map(({ key, records }) => [
      key,
      Object.fromEntries(records.map(({ resource, record }) => [resource, record])),
    ]),
  );
}

/** When each record was written last: the transaction of its row. */
async function written({ database }: Pick<ReplicatedFeed, 'database'>): Promise<Map<string, string>> {
  const rows = await database.read(
    (sql) =>
      sql<{ key: string; xmin: string }[]>`select key, xmin::text as xmin from raw_record order by key`,
  );
  return new Map(rows.map(({ key, xmin }) => [key, xmin]));
}

async function replicated(
  t: Parameters<typeof replicateFeed>[0],
  records: readonly FeedRecord[],
  options: Parameters<typeof replicateFeed>[2] = {},
): Promise<ReplicatedFeed> {
  const answer: Parameters<typeof replicateFeed>[1] = (request) =>
    isMetadata(request) ? NO_METADATA : listOf(records, request, { pageSize: 100 });
  const feed = await replicateFeed(t, answer, options);
  await feed.passUntil('the load is complete', () => isLoaded(feed));
  return feed;
}

const property = (record: FeedRecord | undefined) => ({ Property: record });

test('a record is kept as it came, with fields and children that the mapping does not know', async (t) => {
  const records = recordsOf(3, {
    Local_Field: '\u0000 ´öö\ud800',
    Rooms: [{ RoomKey: 'r1', RoomType: 'Den' }],
    UnitTypes: [{ UnitTypeKey: 'u1' }],
    Media: [{ MediaKey: 'm1', MediaURL: 'https://photos.example/1.jpg', Order: 1 }],
  });
  const feed = await replicated(t, records);
  assert.deepEqual(
    await kept(feed),
    Object.fromEntries(records.map((record) => [String(record.ListingKey), property(record)])),
  );
});

test('a record is written again where it differs, in changes and in live reads', async (t) => {
  const records: FeedRecord[] = recordsOf(3);
  const feed = await replicated(t, records);
  const before = await written(feed);
  const later = '2026-01-05T12:00:30Z';
  records[0] = { ...records[0], Local_Field: 'new', ModificationTimestamp: later };
  await feed.passUntil(
    'the change is kept',
    async () => (await written(feed)).get('k0') !== before.get('k0'),
  );
  assert.deepEqual((await kept(feed)).k0, property(records[0]));
  const after = await written(feed);
  assert.deepEqual([after.get('k1'), after.get('k2')], [before.get('k1'), before.get('k2')]);

  const listing = { id: '', source: 'reso', listingKey: 'k1' };
  records[1] = { ...records[1], Local_Field: 'live', ModificationTimestamp: later };
  const { database, clock } = feed;
  const through = createWriteThrough({ database, clock, catalogue: createCatalogue(database) });
  const draft = await feed.source.fetchOne('k1', AbortSignal.timeout(10_000));
  // The listing is not looked up by its id here.
  await assert.rejects(through.store(listing, draft), /gone/);
  assert.deepEqual((await kept(feed)).k1, property(records[1]));
});

test('members that must not be kept, or differ each time, are neither kept nor compared', async (t) => {
  const photo = (token: number) => ({
    MediaKey: 'm1',
    MediaURL: `https://photos.example/token=${token}`,
    Order: 1,
  });
  let token = 0;
  const records = recordsOf(2);
  const sent = () => {
    token += 1;
    return records.map((record) => ({
      ...record,
      '@odata.id': `x${token}`,
      Nonce: token,
      Media: [photo(token)],
    }));
  };
  const feed = await replicateFeed(
    t,
    (request) => (isMetadata(request) ? NO_METADATA : listOf(sent(), request, { pageSize: 100 })),
    { profile: readProfile('standard', { volatile: ['@odata.id', 'Nonce', 'Media/MediaURL'] }) },
  );
  await feed.passUntil('the load is complete', () => isLoaded(feed));
  const { MediaURL: _, ...stable } = photo(0);
  assert.deepEqual((await kept(feed)).k0, property({ ...records[0], Media: [stable] }));
  const before = await written(feed);
  const requests = feed.feed.listRequests().length;
  await feed.passUntil('changes are read twice', () => feed.feed.listRequests().length > requests + 1);
  await feed.pass(1);
  assert.deepEqual(await written(feed), before);
});

test('what a source sent of a listing goes with it', async (t) => {
  const records: FeedRecord[] = recordsOf(3);
  const profile = readProfile('standard', { deletes: { flag: 'MlgCanView' } });
  const feed = await replicated(t, records, { profile });
  records[1] = { ...records[1], MlgCanView: false, ModificationTimestamp: '2026-01-05T12:00:30Z' };
  await feed.passUntil('the record is gone', async () => !('k1' in (await kept(feed))));
  assert.deepEqual(Object.keys(await kept(feed)), ['k0', 'k2']);
});

test('a source whose licence forbids copies keeps none', async (t) => {
  const feed = await replicated(t, recordsOf(3), { profile: readProfile('standard', { raw: 'none' }) });
  assert.deepEqual(await feed.keys(), ['k0', 'k1', 'k2']);
  assert.deepEqual(await kept(feed), {});
});

test('values that the dictionary lacks, and fields that are not read, are counted and reported', async (t) => {
  const records: FeedRecord[] = recordsOf(3, { Local_Field: 'x', Rooms: [{}], '@odata.type': 'y' });
  records[0] = { ...records[0], PropertySubType: 'Palace', PetsAllowed: ['Cats OK', 'Newts'] };
  records[1] = { ...records[1], PropertySubType: 'Palace', PetsAllowed: 'Dogs OK,Newts' };
  records[2] = { ...records[2], PropertySubType: 'condominium', Empty_Field: null };
  const feed = await replicated(t, records);
  await feed.passUntil('it is reported', async () => {
    const report = await feed.database.read((sql) => findReport(sql, 'reso'));
    return (report?.unknown.length ?? 0) > 0;
  });
  const report = await feed.database.read((sql) => findReport(sql, 'reso'));
  assert.deepEqual(
    report?.unknown.toSorted((a, b) => (a.field < b.field ? -1 : 1)),
    [
      { field: 'Local_Field', value: null, listings: 3 },
      { field: 'PetsAllowed', value: '"Newts"', listings: 2 },
      { field: 'PropertySubType', value: '"Palace"', listings: 2 },
    ],
  );
});
