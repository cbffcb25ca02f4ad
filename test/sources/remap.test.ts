// Proves that a remap ends as a fresh load would, without a request, and goes on where it was interrupted.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { deleteRawRecords } from '../../src/ingest/raw/raw-record-store.ts';
import type { Outbound } from '../../src/lib/outbound.ts';
import { remap } from '../../src/sources/remap/remap.ts';
import { findRemap, requestRemap } from '../../src/sources/remap/remap-store.ts';
import { removeSource } from '../../src/sources/removal.ts';
import { readProfile } from '../../src/sources/reso/profiles/profile.ts';
import { resoSource } from '../../src/sources/reso/transport/client.ts';
import type { Source } from '../../src/sources/source.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';
import { runCommand } from '../support/process/cli.ts';
import { manualClock } from '../support/service/clock.ts';
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

const clock = manualClock(Date.UTC(2026, 5, 1));
const stored = await testDatabase({ after });
const { database } = stored;
const folder = await temporaryFolder({ after }, 'remap');
const catalogue = createCatalogue(database);
const never = async () => {};

/** How a source is set up: what may change between a load and a remap. */
interface Mapping {
  readonly overrides: object;
  readonly showsByDefault: boolean;
  readonly timeZone: string | null;
}

/** A source whose server has these records; null: there is none, and a request fails. */
function sourceOf(mapping: Mapping, records: readonly FeedRecord[] | null): Source {
  const { overrides, ...options } = mapping;
  const outbound = {
    async send({ url }) {
      if (records === null) throw new Error(`Nothing may be requested: ${url}`);
      const found = new URL(url);
      const answer = found.pathname.endsWith('$metadata')
        ? NO_METADATA
        : listOf(records, { url: found }, { pageSize: 1_000 });
      return {
        status: answer.status ?? 200,
        headers: {},
        body: Buffer.from(JSON.stringify(answer.body ?? {})),
      };
    },
    close: async () => {},
  } satisfies Pick<Outbound, 'send' | 'close'>;
  return resoSource({
    id: 'again',
    name: 'Again',
    url: 'http://feed.example/odata',
    credentials: { kind: 'bearer', token: 'secret' },
    outbound: outbound as unknown as Outbound,
    clock,
    profile: readProfile('standard', overrides),
    ...options,
  });
}

async function load(mapping: Mapping, records: readonly FeedRecord[]): Promise<void> {
  const source = sourceOf(mapping, records);
  for await (const page of source.pages(null, new AbortController().signal)) {
    await database.transaction((tx) =>
      catalogue.write(tx, source.id, page.drafts, clock.now(), page.gone, true),
    );
    if (page.last) return;
  }
}

async function mapAgain(mapping: Mapping, isStopped = () => false): Promise<void> {
  await database.write((sql) => requestRemap(sql, 'again', new Date(clock.now())));
  await remap({
    source: sourceOf(mapping, null),
    catalogue,
    database,
    clock,
    hold: never,
    isStopped,
    page: 10,
  });
}

/** All that is shown of the listings which the source still has, and their versions. */
async function shown() {
  return database.read(async (sql) => {
    const listings = await sql<{ key: string; version: number; stored: { status: string } }[]>`
      select listing_key as key, version, to_jsonb(listing) - 'version' - 'audience' - 'change_batch_id' - 'change_ordinal' as stored
      from listing where source = 'again' and status <> 'DELETED' order by listing_key`;
    const search = await sql`
      select to_jsonb(listing_search) - 'version' as row from listing_search
      where provider_id = 'again' and status <> 'DELETED' order by id`;
    const reso = await sql`
      select listing_id, sent.record from listing_reso as sent join listing on listing.id = listing_id
      where source = 'again' and status <> 'DELETED' order by 1`;
    return { listings, search: [...search], reso: [...reso] };
  });
}

const withoutVersions = ({ listings, ...rest }: Awaited<ReturnType<typeof shown>>) => ({
  ...rest,
  listings: listings.map(({ version: _, ...listing }) => listing),
});

const forget = () => removeSource({ database, source: 'again' });

const day = fc.integer({ min: 1, max: 28 }).map((number) => `2026-03-${String(number).padStart(2, '0')}`);
const price = fc.option(
  fc.integer({ min: 1, max: 9 }).map((number) => number * 50_000),
  { nil: null },
);
const recordWith = (at: number) =>
  fc
    .record({
      StandardStatus: fc.constantFrom('Active', 'Actv', 'Sold', 'Pending', 'Closed', null),
      PropertyType: fc.constantFrom('Residential', 'Res', 'Residential Lease', 'RNT1', null),
      PropertySubType: fc.constantFrom('Condo/Flat', 'Condominium', null),
      ListPrice: price,
      AskingPrice: price,
      ClosePrice: price,
      LivingArea: fc.option(fc.integer({ min: 300, max: 4_000 }), { nil: null }),
      SqFt: fc.option(fc.integer({ min: 300, max: 4_000 }), { nil: null }),
      City: fc.constantFrom('Aville', 'Btown', null),
      OnMarketDate: fc.option(day, { nil: null }),
      StatusChangeTimestamp: fc.option(
        day.map((text) => `${text}T10:00:00`),
        { nil: null },
      ),
      InternetEntireListingDisplayYN: fc.constantFrom(true, false, null),
      Heating: fc.constantFrom(['Gas'], ['HT-G', 'Electric'], null),
      MlgCanView: fc.constantFrom(true, false, null),
      PhotosCount: fc.constantFrom(0, 2, null),
      Media: fc.constantFrom(
        [],
        [{ MediaKey: 'm', MediaURL: 'https://photos.example/1.jpg', Order: 0, MediaCategory: 'Pic' }],
      ),
    })
    .map((fields) => ({
      ...fields,
      ListingKey: `k${at}`,
      ModificationTimestamp: `2026-04-01T00:00:${String(at).padStart(2, '0')}Z`,
    }));
const records = fc
  .integer({ min: 1, max: 6 })
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, at) => recordWith(at))));
const mapping: fc.Arbitrary<Mapping> = fc.record({
  overrides: fc.record(
    {
      deletes: fc.constantFrom({}, { flag: null }),
      fields: fc.constantFrom(
        {},
        { SqFt: 'LivingArea' },
        { AskingPrice: 'ListPrice', SqFt: 'LotSizeSquareFeet' },
      ),
      enumerations: fc.constantFrom(
        {},
        { StandardStatus: { Actv: 'Active', Sold: 'Closed' }, PropertyType: { RNT1: 'Residential Lease' } },
        { PropertySubType: { 'Condo/Flat': 'Condominium' }, MediaCategory: { Pic: 'Photo' } },
        { Heating: { 'HT-G': 'Natural Gas' }, StandardStatus: { Actv: 'Pending' } },
      ),
    },
    { requiredKeys: [] },
  ),
  showsByDefault: fc.boolean(),
  timeZone: fc.constantFrom(null, 'America/Denver'),
});

test('whatever changes in how a source is set up, a remap ends as a fresh load would', async () => {
  await fc.assert(
    fc.asyncProperty(records, mapping, mapping, async (sent, { overrides, ...earlier }, present) => {
      // Of what the source flags nothing is kept.
      const former = { ...earlier, overrides: { ...overrides, deletes: { flag: null } } };
      await load(present, sent);
      const fresh = withoutVersions(await shown());
      await forget();
      await load(former, sent);
      const before = await shown();
      await mapAgain(present);
      const again = await shown();
      assert.deepEqual(withoutVersions(again), fresh);
      // Where nothing became another, nothing was written.
      const versions = new Map(before.listings.map((listing) => [listing.key, listing]));
      for (const { version, ...listing } of again.listings) {
        const { version: known, ...same } = versions.get(listing.key) ?? { version: 0 };
        assert.equal(version, (known ?? 0) + (JSON.stringify(same) === JSON.stringify(listing) ? 0 : 1));
      }
      await forget();
    }),
    { numRuns: 25 },
  );
});

const PLAIN: Mapping = { overrides: {}, showsByDefault: true, timeZone: null };
const RENAMED: Mapping = { ...PLAIN, overrides: { enumerations: { StandardStatus: { Actv: 'Active' } } } };

test('a remap that was stopped goes on with the next page, and begins again where the mapping is another by then', async () => {
  const sent = recordsOf(25, { StandardStatus: 'Actv', Media: [] });
  await load(PLAIN, sent);
  const state = async () => {
    const { mapped, changed, finishedAt } = (await database.read((sql) => findRemap(sql, 'again'))) ?? {};
    return [mapped, changed, finishedAt !== null];
  };
  await mapAgain(RENAMED, () => true);
  assert.deepEqual(await state(), [10, 10, false]);
  await mapAgain(RENAMED, () => true);
  assert.deepEqual(await state(), [20, 20, false]);
  await mapAgain({ ...RENAMED, showsByDefault: false }, () => true);
  assert.deepEqual(await state(), [10, 10, false], 'all of them, once more');
  await mapAgain(RENAMED);
  assert.deepEqual((await state()).with(1, 0), [25, 0, true]);
  const { listings } = await shown();
  assert.ok(listings.every(({ stored }) => stored.status === 'ACTIVE'));
  await forget();
});

test('an operator names values as the dictionary does and maps again, without the credentials of the source', async () => {
  const environment = { DATABASE_URL: stored.url, SOURCE: 'none' };
  const run = (...args: string[]) => runCommand(['sources', ...args], { folder, environment });
  const apply = async (overrides: object) => {
    const again = {
      id: 'again',
      name: 'Again',
      url: 'https://feed.example/odata',
      secrets: { bearerToken: 'NOWHERE' },
    };
    await writeFile(join(folder, 'sources.json'), JSON.stringify({ sources: [{ ...again, ...overrides }] }));
    return run('apply', join(folder, 'sources.json'));
  };
  const first = await apply({});
  assert.equal(first.code, 0, first.stderr);
  await load(PLAIN, recordsOf(3, { StandardStatus: 'Actv', Media: [] }));
  const refused = await apply({
    fields: { SqFt: 'LivingAera', Key: 'ListingKey' },
    enumerations: { StandardStatus: { Actv: 'Activ' }, StandartStatus: { Actv: 'Active' } },
  });
  assert.notEqual(refused.code, 0);
  for (const fault of [
    /again: fields\.SqFt: LivingAera is no field that is read; did you mean LivingArea\?/,
    /again: fields\.Key: ids of listings are derived from ListingKey, which stays/,
    /again: enumerations\.StandardStatus\.Actv: Activ is no value of StandardStatus; did you mean Active\?/,
    /again: enumerations\.StandartStatus is no field that is read; did you mean StandardStatus\?/,
  ])
    assert.match(refused.stderr, fault);
  assert.equal((await apply(RENAMED.overrides)).code, 0);
  const { code, stdout, stderr } = await run('remap', 'again', '--json');
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), { id: 'again', mapped: 3, changed: 3 });
  assert.match(
    (await run('remap', 'again')).stdout,
    /^3 records of again are mapped again: 0 listings changed/,
  );
  assert.equal((await apply({ raw: 'none' })).code, 0);
  assert.match((await run('remap', 'again')).stderr, /member raw is none/);
  await forget();
});

test('a change of names is mapped from what is kept, with no request but those for changes', async (t) => {
  const records: FeedRecord[] = recordsOf(9, { StandardStatus: 'Actv', Media: [] });
  // Older than what a round of changes reads once more.
  records[2] = { ...records[2], ModificationTimestamp: '2025-12-01T00:00:00Z' };
  const feed = await replicateFeed(t, (request) =>
    isMetadata(request) ? NO_METADATA : listOf(records, request, { pageSize: 100 }),
  );
  await feed.passUntil('the load is complete', () => isLoaded(feed));
  assert.equal((await feed.listing('k1')).record.status, 'UNKNOWN');
  const [, fetchedAt] = await timesOf(feed);
  await feed.pass(5);
  const before = feed.feed.requests.length;
  const again = await feed.restart({ profile: readProfile('standard', RENAMED.overrides) });
  await again.passUntil('it is mapped', async () => (await feed.listing('k2')).record.status === 'ACTIVE');
  await again.pass(120);
  const whole = feed.feed.requests
    .slice(before)
    .filter(({ url }) => url.pathname.endsWith('/Property') && !url.searchParams.has('$filter'));
  assert.deepEqual(
    whole.filter(({ path }) => !path.includes('$orderby')),
    [],
    'nothing is read as a whole',
  );
  const [reading, stillFetchedAt] = await timesOf(again);
  assert.equal(reading, again.source.reading);
  assert.equal(stillFetchedAt, fetchedAt, 'the source has confirmed nothing by it');
});

test('where a record is not kept of each listing, all are read again instead', async (t) => {
  const records: FeedRecord[] = recordsOf(4, { StandardStatus: 'Actv', Media: [] });
  const feed = await replicateFeed(t, (request) =>
    isMetadata(request) ? NO_METADATA : listOf(records, request, { pageSize: 100 }),
  );
  await feed.passUntil('the load is complete', () => isLoaded(feed));
  await feed.replication.stop();
  await feed.database.transaction((tx) => deleteRawRecords(tx, 'reso', ['k2']));
  const again = await feed.restart({ profile: readProfile('standard', RENAMED.overrides) });
  await again.passUntil('all are read', async () => (await timesOf(again))[0] === again.source.reading);
  assert.equal((await again.listing('k2')).record.status, 'ACTIVE');
});

test('where another field flags what left, all are read again: what was flagged until now comes, what is flagged now leaves', async (t) => {
  const records: FeedRecord[] = recordsOf(5, { Media: [] });
  records[1] = { ...records[1], MlgCanView: false };
  records[2] = { ...records[2], LocalShow: false };
  const feed = await replicateFeed(t, (request) =>
    isMetadata(request) ? NO_METADATA : listOf(records, request, { pageSize: 100 }),
  );
  await feed.passUntil('the load is complete', () => isLoaded(feed));
  const shownKeys = async () => {
    const rows = await feed.database.read(
      (sql) => sql<{ key: string }[]>`
        select listing_key as key from listing where status <> 'DELETED' order by 1`,
    );
    return rows.map(({ key }) => key).join();
  };
  const all = records.map(({ ListingKey }) => String(ListingKey)).sort();
  const without = (at: number) => all.filter((key) => key !== String(records[at]?.ListingKey)).join();
  assert.equal(await shownKeys(), without(1));
  let running: Pick<ReplicatedFeed, 'restart'> = feed;
  for (const [flag, expected] of [
    ['LocalShow', without(2)],
    [null, all.join()],
    ['MlgCanView', without(1)],
  ] as const) {
    const again = await running.restart({ profile: readProfile('standard', { deletes: { flag } }) });
    await again.passUntil(`${flag} counts`, async () => (await timesOf(again))[0] === again.source.reading);
    assert.equal(await shownKeys(), expected, String(flag));
    running = again;
  }
});

test('where nothing may be kept any more, what was kept is deleted', async (t) => {
  const feed = await replicateFeed(t, (request) =>
    isMetadata(request) ? NO_METADATA : listOf(recordsOf(4), request, { pageSize: 100 }),
  );
  await feed.passUntil('the load is complete', () => isLoaded(feed));
  const again = await feed.restart({ profile: readProfile('standard', { raw: 'none' }) });
  await again.passUntil('none is left', async () => {
    const [row] = await feed.database.read((sql) => sql`select count(*)::int as count from raw_record`);
    return row?.count === 0;
  });
  assert.equal((await again.keys()).length, 4);
});

/** The way in which the source is read, and when a listing was last written from what it sent. */
async function timesOf({ database }: Pick<ReplicatedFeed, 'database'>) {
  const [row] = await database.read(
    (sql) => sql<{ reading: string; fetchedAt: string }[]>`
      select reading, fetched_at as "fetchedAt" from source_position, listing where listing_key = 'k2'`,
  );
  return [row?.reading, row?.fetchedAt];
}
