// Proves that a field which a source renames is read by its other name at once, and not when $metadata is read the next day.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VENDORS } from '../../../sample/vendors/rules.ts';
import {
  type ReplicaOptions,
  replicateVendor,
  type VendorReplica,
} from '../../support/sources/vendor-server.ts';

const OTHER_NAMES = { ListPrice: 'AskingPrice', PhotosCount: 'NumberOfPhotos' };
const OVERRIDES = { fields: { AskingPrice: 'ListPrice', NumberOfPhotos: 'PhotosCount' } };
const never = new AbortController().signal;

async function pricesOf({ database }: VendorReplica): Promise<ReadonlyMap<string, number | null>> {
  const rows = await database.read(
    (sql) => sql<{ key: string; price: number | null }[]>`
      select listing_key as key, (record ->> 'price')::float8 as price from listing where status <> 'DELETED'`,
  );
  return new Map(rows.map(({ key, price }) => [key, price]));
}

/** A replica that is loaded, and follows, when its server renames two fields. */
async function renamedReplica(...[t, vendor, options]: Parameters<typeof replicateVendor>) {
  const more: ReplicaOptions = { overrides: OVERRIDES, ...options };
  const replica = await replicateVendor(t, vendor, more);
  await replica.load();
  // A round has passed, and with it the time in which $metadata counts as fresh.
  await replica.pass(700);
  replica.vendor.quirks = { ...replica.vendor.quirks, renamed: OTHER_NAMES };
  const shown = [...replica.world.market.visible()].filter(({ status }) => status !== 'Delete');
  const metadata = () => replica.requests.filter(({ url }) => url.pathname.endsWith('$metadata')).length;
  return { replica, keys: shown.map(({ key }) => key), metadata };
}

for (const vendor of VENDORS)
  test(`${vendor}: a change after the renaming is stored in the next round, with its price`, async (t) => {
    const { replica, keys, metadata } = await renamedReplica(t, vendor);
    const known = metadata();
    const [changed = ''] = keys;
    replica.world.change(changed, { ListPrice: 123_456 });
    await replica.passUntil(
      'the change is stored',
      async () => (await pricesOf(replica)).get(changed) === 123_456,
    );
    assert.equal(replica.replication.status().failure, null);
    assert.equal(metadata(), known + 1);
    assert.ok([...(await pricesOf(replica)).values()].every((price) => price !== null));
    const queries = replica.requests.filter(({ url }) => /Property(?:\/replication)?$/.test(url.pathname));
    const selected = queries.at(-1)?.url.searchParams.get('$select')?.split(',') ?? [];
    assert.deepEqual(
      Object.entries(OTHER_NAMES)
        .flat()
        .filter((name) => selected.includes(name)),
      Object.values(OTHER_NAMES),
    );
  });

test('a listing that somebody waits for is read by the other name, too', async (t) => {
  const { replica, keys, metadata } = await renamedReplica(t, 'trestle');
  const known = metadata();
  const [key = ''] = keys;
  const fetching = replica.source.fetchOne(key, never);
  let isOver = false;
  void fetching.finally(() => {
    isOver = true;
  });
  await replica.passUntil('it is fetched', () => isOver);
  const draft = await fetching;
  assert.equal(draft.listPrice, replica.world.market.find(key)?.listPrice);
  assert.equal(metadata(), known + 1);
});

test('listings that are read by their keys are read so afterwards, several with each request', async (t) => {
  const { replica, keys } = await renamedReplica(t, 'trestle');
  const before = replica.requests.length;
  for (const read of [1, 2]) {
    const found: string[] = [];
    let isOver = false;
    const reading = (async () => {
      for await (const { drafts } of replica.source.records?.(keys, never) ?? assert.fail())
        for (const { listingKey, listPrice } of drafts) if (listPrice !== null) found.push(listingKey);
    })().finally(() => {
      isOver = true;
    });
    await replica.passUntil('they are read', () => isOver);
    await reading;
    assert.deepEqual(found.sort(), keys.toSorted(), `read ${read}`);
  }
  const single = replica.requests.slice(before).filter(({ url }) => /Property\(/.test(url.pathname));
  assert.deepEqual(single, []);
});
