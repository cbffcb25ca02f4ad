// Proves for each way in which servers of feeds fail what becomes of it: switched on in the sample's servers, one by one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Listing } from '../../../sample/market/listing.ts';
import { wholeRecord } from '../../../src/listings/lean-record.ts';
import type { StoredRecord } from '../../../src/listings/stored-record.ts';
import { LiveError } from '../../../src/sources/source.ts';
import { replicateVendor, type VendorReplica } from '../../support/sources/vendor-server.ts';

const SMALL = { page: { size: 10 } };
const never = new AbortController().signal;

const lists = ({ requests }: VendorReplica) =>
  requests.filter(({ url }) => url.pathname.endsWith('/Property'));
const shown = ({ world }: VendorReplica): Listing[] =>
  [...world.market.visible()].filter(({ status }) => status !== 'Delete');

async function recordOf({ database }: VendorReplica, key: string): Promise<StoredRecord> {
  const [row] = await database.read(
    (sql) => sql<{ record: object }[]>`select record from listing where listing_key = ${key}`,
  );
  assert.ok(row !== undefined, key);
  return wholeRecord(row.record);
}

const failures = ({ logged }: VendorReplica): string => JSON.stringify(logged);

test('where $top is the number of all records, pages by Prefer bring all of them', async (t) => {
  const overrides = { page: { by: 'prefer', size: 10 }, load: { size: 10 }, changes: { size: 10 } };
  const replica = await replicateVendor(t, 'bridge', { overrides, quirks: { topIsTotal: true } });
  await replica.load();
  await replica.assertSame();
  const pages = replica.requests.filter(({ url }) => url.pathname.endsWith('/replication'));
  assert.ok(pages.length >= 6);
  assert.ok(pages.every(({ url, headers }) => !url.searchParams.has('$top') && headers.prefer !== undefined));
});

test('where $top is the number of all records, a load by it is compared with the count and never complete', async (t) => {
  const overrides = { load: { size: 10 }, changes: { size: 10 } };
  const replica = await replicateVendor(t, 'bridge', { overrides, quirks: { topIsTotal: true } });
  await replica.passUntil(
    'the load is refused',
    () => replica.replication.status().failure === 'incomplete_load',
  );
  assert.equal(replica.replication.status().loadedAt, null);
});

test('times that are cut to seconds lose no record of the same second', async (t) => {
  const replica = await replicateVendor(t, 'standard', { overrides: SMALL, quirks: { wholeSeconds: true } });
  await replica.load();
  const [first, second] = shown(replica).map(({ key }) => key);
  replica.world.change(first ?? '', { ListPrice: 111_111 });
  await replica.pass(61);
  replica.world.change(second ?? '', { ListPrice: 222_222 });
  await replica.pass(70);
  await replica.assertSame();
});

test('a load whose links end at a number of records goes on sorted, behind its last record', async (t) => {
  const replica = await replicateVendor(t, 'standard', { overrides: SMALL, quirks: { skipWall: 25 } });
  await replica.load();
  await replica.assertSame();
  const sorted = lists(replica).filter(({ url }) => / gt .* or /.test(url.searchParams.get('$filter') ?? ''));
  assert.ok(sorted.length >= 1);
  assert.ok(lists(replica).length < 25, `${lists(replica).length} requests`);
  assert.equal(failures(replica).includes('"fetch_failed"'), true, 'the wall was met once');
});

for (const status of [200, 502, 503])
  test(`HTML from a gateway with ${status} is no page, and what it was in place of is read later`, async (t) => {
    const replica = await replicateVendor(t, 'standard', { overrides: SMALL });
    await replica.passUntil('a page is read', () => lists(replica).length >= 3);
    replica.vendor.quirks = { ...replica.vendor.quirks, gateway: { requests: 2, status } };
    await replica.load();
    await replica.assertSame();
    assert.equal(replica.vendor.quirks.gateway?.requests, 0);
    const [key = ''] = shown(replica).map((listing) => listing.key);
    replica.vendor.quirks = { ...replica.vendor.quirks, gateway: { requests: 2, status } };
    const code = status === 200 ? 'parse_failed' : status === 503 ? 'upstream_unavailable' : 'fetch_failed';
    await assert.rejects(
      replica.source.fetchOne(key, never),
      (error) => error instanceof LiveError && error.code === code,
    );
    assert.equal((await replica.stored()).has(key), true);
  });

test('a refusal by 429 is waited out as long as it says, by all requests', async (t) => {
  const replica = await replicateVendor(t, 'standard', { overrides: SMALL });
  await replica.load();
  await replica.pass(61);
  replica.vendor.quirks = { ...replica.vendor.quirks, refusals: 1 };
  const sent = replica.requests.length;
  const [key = ''] = shown(replica).map((listing) => listing.key);
  replica.world.change(key, { ListPrice: 123_456 });
  await replica.passUntil('it is refused', () => replica.replication.status().failure !== null);
  await assert.rejects(
    replica.source.fetchOne(key, never),
    (error) =>
      error instanceof LiveError && error.code === 'upstream_rate_limited' && error.retryAfter !== null,
  );
  await replica.pass(30);
  await replica.assertSame();
  const [refused, next] = replica.requests.slice(sent);
  assert.ok(refused && next && next.at - refused.at >= 7_000, 'nothing is sent before its time');
});

for (const slowStatus of [413, 503, 504])
  test(`a query that takes too long (${slowStatus}) is sent with smaller pages`, async (t) => {
    const replica = await replicateVendor(t, 'spark', {
      overrides: { page: { size: 40 } },
      quirks: { slowAbove: 20, slowStatus },
    });
    await replica.load();
    await replica.assertSame();
    assert.ok(lists(replica).some(({ url }) => url.searchParams.get('$top') === '20'));
    assert.equal(replica.replication.status().failure, null);
  });

test('an empty expansion beside a count of photos keeps the photos that are known', async (t) => {
  const replica = await replicateVendor(t, 'standard');
  await replica.load();
  const listing = shown(replica).find(({ photos }) => photos > 1);
  assert.ok(listing);
  const before = (await recordOf(replica, listing.key)).photos;
  assert.ok(before.length > 0);
  replica.vendor.quirks = { ...replica.vendor.quirks, emptyMedia: true };
  replica.world.change(listing.key, { ListPrice: 123_456 });
  await replica.pass(70);
  await replica.assertSame();
  assert.deepEqual((await recordOf(replica, listing.key)).photos, before);
});

for (const vendor of ['standard', 'trestle'] as const)
  test(`${vendor}: of photos that are cut at ten without a word all come`, async (t) => {
    const replica = await replicateVendor(t, vendor, { quirks: { expandCap: 10 } });
    await replica.load();
    const many = shown(replica).filter(({ photos }) => photos > 10);
    assert.ok(many.length > 0);
    for (const { key, photos } of many) {
      const { photos: stored, floorPlans } = await recordOf(replica, key);
      assert.ok(stored.length + floorPlans.length >= photos, `${key}: ${stored.length} of ${photos}`);
    }
  });

test('numbers as texts, lists of one and words in place of amounts leave the rest of the record as it is', async (t) => {
  const replica = await replicateVendor(t, 'standard', { quirks: { oddTypes: true } });
  await replica.load();
  await replica.assertSame();
  const { fieldErrors } = replica.source;
  assert.ok((fieldErrors.get('TaxAnnualAmount') ?? 0) > 0, 'what cannot be read is counted by its field');
  assert.equal(fieldErrors.has('BedroomsTotal'), false);
  assert.equal(fieldErrors.has('PropertyType'), false);
  const records = await Promise.all(shown(replica).map(({ key }) => recordOf(replica, key)));
  assert.ok(records.some(({ bedrooms }) => (bedrooms ?? 0) > 0));
});

for (const [errors, code] of [
  ['own', 'not_found_upstream'],
  ['html', 'not_found_upstream'],
  ['text', 'not_found_upstream'],
  ['success', 'parse_failed'],
] as const)
  test(`an error that is written as ${errors} is ${code} for a listing that is not there, and ends no round for good`, async (t) => {
    const replica = await replicateVendor(t, 'standard', {
      overrides: { ...SMALL, live: { forms: ['entity'] } },
    });
    await replica.load();
    replica.vendor.quirks = { ...replica.vendor.quirks, errors, refusals: 1 };
    const [key = ''] = shown(replica).map((listing) => listing.key);
    replica.world.change(key, { ListPrice: 123_456 });
    await replica.pass(140);
    await replica.assertSame();
    await assert.rejects(
      replica.source.fetchOne('none', never),
      (error) => error instanceof LiveError && error.code === code,
    );
  });
