// Proves that a server with the rules of Trestle is read wholly up to its empty page, and followed without its limits being met.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replicateVendor, type VendorReplica } from '../../support/sources/vendor-server.ts';

const SMALL = { page: { size: 10 } };
const HOUR = 3_600;

const lists = ({ requests }: VendorReplica) =>
  requests.filter(({ url }) => url.pathname.endsWith('/Property'));
const isSweep = ({ url }: VendorReplica['requests'][number]) =>
  url.searchParams.get('$select') === 'ListingKey' && !url.searchParams.has('$count');

test('everything is loaded by replication, with photos and values as people read them', async (t) => {
  const replica = await replicateVendor(t, 'trestle', { overrides: SMALL });
  await replica.load();
  await replica.assertSame();
  const pages = lists(replica).filter(({ url }) => url.searchParams.get('replication') === 'true');
  assert.equal(pages.length, 7, 'six pages of ten, and the empty one');
  for (const { url } of pages) assert.equal(url.searchParams.get('PrettyEnums'), 'true');
  const [row] = await replica.database.read(
    (sql) =>
      sql<
        { photos: number }[]
      >`select sum(json_array_length(record -> 'photos'))::int as photos from listing`,
  );
  assert.ok((row?.photos ?? 0) > 60);
});

test('a link of replication that ended starts the load over once, and it becomes whole', async (t) => {
  const replica = await replicateVendor(t, 'trestle', { overrides: SMALL });
  await replica.passUntil('two pages are read', () => lists(replica).length >= 4);
  replica.vendor.quirks = { ...replica.vendor.quirks, staleLinks: 1 };
  await replica.load();
  await replica.assertSame();
});

test('a mass update of one moment is read in the order of keys, and a round that was refused goes on where it stopped', async (t) => {
  const replica = await replicateVendor(t, 'trestle', { overrides: SMALL });
  await replica.load();
  await replica.pass(400);
  replica.vendor.touch();
  const before = lists(replica).length;
  await replica.passUntil('the round has begun', () => lists(replica).length >= before + 3);
  replica.vendor.quirks = { ...replica.vendor.quirks, staleLinks: 1 };
  await replica.pass(200);
  const keyset = lists(replica).filter(({ url }) => / gt .* or /.test(url.searchParams.get('$filter') ?? ''));
  assert.equal(keyset.length >= 1, true, 'the round goes on behind the last key');
  await replica.pass(1_200);
  await replica.assertSame();
  assert.equal(replica.vendor.quota.refusals, 0);
  assert.equal(replica.replication.status().failure, null);
  // Six pages when it comes and six once nothing can come late, some of them twice, and one for each round.
  assert.ok(lists(replica).length - before <= 12 + 4 + 27, `${lists(replica).length - before} pages`);
});

test('what left is found by its key each night, and so is what nobody reported', async (t) => {
  const replica = await replicateVendor(t, 'trestle');
  await replica.load();
  const keys = [...replica.world.market.visible()].map(({ key }) => key);
  replica.world.remove(keys[0] ?? '');
  await replica.pass(130);
  assert.equal((await replica.stored()).has(keys[0] ?? ''), true, 'the server never says that it left');
  replica.clock.advance(24 * HOUR * 1_000);
  await replica.pass(130);
  await replica.assertSame();
  assert.equal(lists(replica).filter(isSweep).length, 1, 'all keys come in one request');
});

test('a list of keys that is cut short deletes nothing and is reported', async (t) => {
  const replica = await replicateVendor(t, 'trestle');
  await replica.load();
  replica.vendor.quirks = { ...replica.vendor.quirks, truncatedKeys: 50 };
  replica.clock.advance(24 * HOUR * 1_000);
  await replica.passUntil('the list is refused', () =>
    JSON.stringify(replica.logged).includes('suspicious_keys'),
  );
  await replica.assertSame();
  await replica.pass(130);
  assert.equal(replica.replication.status().failure, null, 'changes are followed');
});

test('a page that takes the server too long is requested smaller', async (t) => {
  const replica = await replicateVendor(t, 'trestle', {
    overrides: { page: { size: 40 }, query: { slowErrors: ['1516'] } },
  });
  replica.vendor.quirks = { ...replica.vendor.quirks, slowAbove: 20 };
  await replica.load();
  await replica.assertSame();
});

test('photos of a resource of their own are read for those whose photos changed', async (t) => {
  const replica = await replicateVendor(t, 'trestle', { overrides: { media: { from: 'resource' } } });
  await replica.load();
  const media = () => replica.requests.filter(({ url }) => url.pathname.endsWith('/Media'));
  assert.equal(media().length, 2, 'sixty listings in two requests');
  const [row] = await replica.database.read(
    (sql) =>
      sql<
        { photos: number }[]
      >`select sum(json_array_length(record -> 'photos'))::int as photos from listing`,
  );
  assert.ok((row?.photos ?? 0) > 60);
  replica.vendor.touch();
  await replica.pass(130);
  assert.equal(media().length, 2, 'no photos changed');
});

test('a load by keys reads every key first, and then the records of some keys at a time', async (t) => {
  const replica = await replicateVendor(t, 'trestle', { overrides: { load: { mode: 'keys' } } });
  await replica.load();
  await replica.assertSame();
  assert.equal(lists(replica).filter(isSweep).length, 1);
  assert.ok(
    lists(replica).some(({ url }) => (url.searchParams.get('$filter') ?? '').startsWith('ListingKey in (')),
  );
});
