// Proves that a server with the rules of MLS Grid is read wholly and followed exactly, and that its token is never suspended.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveError } from '../../../src/sources/source.ts';
import { replicateVendor, type VendorReplica } from '../../support/sources/vendor-server.ts';

const SMALL = { page: { size: 10 }, load: { size: 10 }, changes: { size: 10 } };

const listRequests = ({ requests }: VendorReplica) =>
  requests.filter(({ url }) => url.pathname.endsWith('/Property'));

const countEvents = async ({ database }: VendorReplica): Promise<number> => {
  const [row] = await database.read(
    (sql) => sql<{ n: number }[]>`select count(*)::int as n from listing_event`,
  );
  return row?.n ?? 0;
};

test('everything is loaded, and then changes and deletions are followed, within the limits', async (t) => {
  const replica = await replicateVendor(t, 'mlsgrid', { overrides: SMALL });
  const { world, vendor } = replica;
  await replica.load();
  await replica.assertSame();
  const [changed, removed] = [...world.market.visible()].map(({ key }) => key);
  world.change(changed ?? '', { ListPrice: 123_456 });
  world.remove(removed ?? '');
  world.advance(3);
  await replica.pass(130);
  await replica.assertSame();
  assert.equal((await replica.stored()).has(removed ?? ''), false);
  world.restore(removed ?? '');
  await replica.pass(130);
  await replica.assertSame();
  assert.equal(vendor.quota.refusals, 0);
  assert.equal(replica.replication.status().failure, null);
});

test('each request has what the vendor wants, and nothing that it refuses', async (t) => {
  const replica = await replicateVendor(t, 'mlsgrid');
  await replica.load();
  assert.ok(listRequests(replica).length >= 1);
  for (const { url, headers } of replica.requests) {
    assert.equal(headers['accept-encoding'], 'gzip');
    const filter = url.searchParams.get('$filter') ?? '';
    assert.equal(filter.match(/OriginatingSystemName eq /g)?.length, 1, url.search);
    assert.equal(url.searchParams.has('$expand') || url.searchParams.has('$orderby'), false, url.search);
  }
});

test('photos are counted, and no address that serves once is stored, logged or requested', async (t) => {
  const replica = await replicateVendor(t, 'mlsgrid');
  await replica.load();
  const rows = await replica.database.read(
    (sql) => sql<{ text: string; photos: number; count: number }[]>`
      select listing.record::text as text, coalesce(json_array_length(listing.record -> 'photos'), 0) as photos,
        coalesce((listing.record ->> 'photoCount')::int, 0) as count from listing`,
  );
  assert.ok(rows.some(({ count }) => count > 0));
  assert.deepEqual([...new Set(rows.map(({ photos }) => photos))], [0]);
  assert.equal(
    rows.some(({ text }) => text.includes('/media/token=')),
    false,
  );
  assert.equal(JSON.stringify(replica.logged).includes('/media/'), false);
});

test('a single listing is never requested', async (t) => {
  const replica = await replicateVendor(t, 'mlsgrid');
  await replica.load();
  const sent = replica.requests.length;
  const [key = ''] = (await replica.stored()).keys();
  assert.equal(replica.source.live, false);
  await assert.rejects(
    replica.source.fetchOne(key, new AbortController().signal),
    (error) => error instanceof LiveError && error.code === 'live_unsupported',
  );
  assert.equal(replica.requests.length, sent);
});

test('a mass update of one moment is read page by page, changes nothing, and is not read with every round', async (t) => {
  const replica = await replicateVendor(t, 'mlsgrid', { overrides: SMALL });
  await replica.load();
  await replica.pass(400);
  const events = await countEvents(replica);
  const before = listRequests(replica).length;
  replica.vendor.touch();
  await replica.pass(2_400);
  await replica.assertSame();
  assert.equal(await countEvents(replica), events);
  const pages = listRequests(replica).length - before;
  // Seven pages when it comes, seven more once nothing can come late, and one for each round.
  assert.ok(pages >= 14 && pages <= 14 + 45, `${pages} pages`);
});

test('a link that the server no longer knows is replaced by a query from the last watermark', async (t) => {
  const replica = await replicateVendor(t, 'mlsgrid', { overrides: SMALL });
  await replica.passUntil('the second page is read', () => listRequests(replica).length >= 2);
  replica.vendor.quirks = { ...replica.vendor.quirks, staleLinks: 1 };
  await replica.load();
  await replica.assertSame();
  const filters = listRequests(replica).map(({ url }) => url.searchParams.get('$filter') ?? '');
  assert.equal(filters.filter((filter) => !filter.includes('ModificationTimestamp')).length <= 7, true);
  assert.ok(
    filters.some(
      (filter) => filter.includes('MlgCanView eq true') && filter.includes('ModificationTimestamp ge'),
    ),
  );
});
