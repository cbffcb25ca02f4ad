// Proves that a server with the rules of Bridge is read wholly by replication, and followed by its own watermark.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replicateVendor, type VendorReplica } from '../../support/sources/vendor-server.ts';

const SMALL = { load: { size: 10 }, changes: { size: 10 } };
const never = new AbortController().signal;

const pageRequests = ({ requests }: VendorReplica) =>
  requests.filter(({ url }) => url.pathname.endsWith('/replication'));

test('everything is loaded by links in headers, with photos, in few requests', async (t) => {
  const replica = await replicateVendor(t, 'bridge');
  await replica.load();
  await replica.assertSame();
  const others = replica.requests.filter(({ url }) => !url.pathname.endsWith('/Lookup'));
  assert.ok(others.length < 8, `${replica.requests.length} requests`);
  const [row] = await replica.database.read(
    (sql) =>
      sql<
        { photos: number }[]
      >`select sum(json_array_length(record -> 'photos'))::int as photos from listing`,
  );
  assert.ok((row?.photos ?? 0) > 60);
});

test('changes are followed by the watermark that moves, page by page', async (t) => {
  const replica = await replicateVendor(t, 'bridge', { overrides: SMALL });
  const { world } = replica;
  await replica.load();
  await replica.assertSame();
  const [key = ''] = [...world.market.visible()].map((listing) => listing.key);
  world.change(key, { ListPrice: 123_456, PhotosCount: 3 });
  world.advance(3);
  await replica.pass(130);
  await replica.assertSame();
  for (const { url } of pageRequests(replica)) {
    assert.equal(url.searchParams.has('$orderby') || url.searchParams.has('$skip'), false, url.search);
    assert.equal((url.searchParams.get('$filter') ?? '').includes('and ModificationTimestamp'), false);
  }
  assert.equal(replica.replication.status().failure, null);
});

test('one listing comes by its key, with its photos, and is found in a list where entities are unknown', async (t) => {
  const replica = await replicateVendor(t, 'bridge');
  await replica.load();
  const listing = [...replica.world.market.visible()].find(({ photos }) => photos > 2);
  replica.world.change(listing?.key ?? '', { ListPrice: 222_222 });
  const draft = await replica.source.fetchOne(listing?.key ?? '', never);
  assert.equal(draft.listPrice, 222_222);
  assert.ok((draft.photos?.length ?? 0) > 0);
});

test('an empty list of photos beside a count keeps those that are known', async (t) => {
  const replica = await replicateVendor(t, 'bridge');
  await replica.load();
  const count = async () => {
    const [row] = await replica.database.read(
      (sql) =>
        sql<
          { photos: number }[]
        >`select sum(json_array_length(record -> 'photos'))::int as photos from listing`,
    );
    return row?.photos;
  };
  const photos = await count();
  replica.vendor.quirks = { ...replica.vendor.quirks, emptyMedia: true };
  replica.vendor.touch();
  await replica.pass(130);
  assert.equal(await count(), photos);
});
