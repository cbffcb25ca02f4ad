// Proves that a server with the rules of Spark is read in the order of keys, and that what it publishes late is found.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOutbound } from '../../../src/lib/outbound.ts';
import type { Position } from '../../../src/sources/source.ts';
import {
  replicateVendor,
  startVendor,
  type VendorReplica,
  vendorSource,
} from '../../support/sources/vendor-server.ts';

const SMALL = { page: { size: 10 } };
const never = new AbortController().signal;

const lists = ({ requests }: VendorReplica) =>
  requests.filter(({ url }) => url.pathname.endsWith('/Property'));

test('everything is loaded without a sorted query, and values have their texts', async (t) => {
  const replica = await replicateVendor(t, 'spark', { overrides: SMALL });
  await replica.load();
  await replica.assertSame();
  for (const { url } of replica.requests) assert.equal(url.searchParams.has('$orderby'), false);
  const rows = await replica.database.read(
    (sql) => sql<{ raw: string }[]>`select distinct record ->> 'statusRaw' as raw from listing`,
  );
  const statuses = rows.map(({ raw }) => raw);
  assert.ok(statuses.includes('Sold'), statuses.join());
  assert.equal(
    statuses.some((status) => status.startsWith('b__')),
    false,
  );
});

test('a link that the server no longer knows is replaced by a query behind the last key', async (t) => {
  const replica = await replicateVendor(t, 'spark', { overrides: SMALL });
  await replica.passUntil('two pages are read', () => lists(replica).length >= 2);
  replica.vendor.quirks = { ...replica.vendor.quirks, staleLinks: 1 };
  await replica.load();
  await replica.assertSame();
  const behind = lists(replica).filter(({ url }) =>
    (url.searchParams.get('$filter') ?? '').startsWith('ListingKey gt'),
  );
  assert.ok(behind.length >= 1);
});

test('a process that goes on with a link, and knows nothing of the server yet, has the texts of values', async (t) => {
  const server = await startVendor(t, 'spark');
  const open = () => {
    const source = vendorSource(server, createOutbound({ clock: server.clock }), 'spark', SMALL);
    t.after(() => source.close());
    return source;
  };
  let position: Position | null = null;
  for await (const { next } of open().pages(null, never)) {
    position = next;
    break;
  }
  assert.equal(typeof position?.link, 'string');
  for await (const { drafts } of open().pages(position, never)) {
    assert.ok(drafts.length > 0);
    for (const { statusRaw } of drafts) assert.equal(statusRaw?.startsWith('b__'), false, String(statusRaw));
  }
});

test('a change that is published nineteen minutes late is found', async (t) => {
  const replica = await replicateVendor(t, 'spark');
  await replica.load();
  const [first, second] = [...replica.world.market.visible()].map(({ key }) => key);
  replica.vendor.quirks = { ...replica.vendor.quirks, late: 19 * 60 };
  replica.world.change(first ?? '', { ListPrice: 111_111 });
  await replica.pass(60);
  replica.world.change(second ?? '', { ListPrice: 222_222 });
  await replica.pass(21 * 60);
  await replica.assertSame();
});

test('changes are followed, and what left is found by its key', async (t) => {
  const replica = await replicateVendor(t, 'spark', { overrides: SMALL });
  await replica.load();
  const keys = [...replica.world.market.visible()].map(({ key }) => key);
  replica.world.advance(3);
  replica.world.remove(keys[1] ?? '');
  await replica.pass(130);
  replica.clock.advance(86_400_000);
  await replica.pass(130);
  await replica.assertSame();
  assert.equal(replica.vendor.quota.refusals, 0);
});
