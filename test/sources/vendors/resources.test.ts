// Proves that resources beside listings are followed: the log of events, open houses, agents, offices and photos of their own.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentOf } from '../../../sample/market/agents.ts';
import type { Listing } from '../../../sample/market/listing.ts';
import { wholeRecord } from '../../../src/listings/lean-record.ts';
import type { StoredRecord } from '../../../src/listings/stored-record.ts';
import { readPosition } from '../../../src/sources/store.ts';
import { until } from '../../support/check/until.ts';
import { replicateVendor, type VendorReplica } from '../../support/sources/vendor-server.ts';

const EVENTS = { quirks: { resources: ['EntityEvent'] } };
const BACKSTOP = 3_600;

const requestsFor = ({ requests }: VendorReplica, resource: string, from = 0) =>
  requests.slice(from).filter(({ url }) => url.pathname.endsWith(`/${resource}`));
const filterOf = ({ url }: VendorReplica['requests'][number]) => url.searchParams.get('$filter') ?? '';
const isByWatermark = (request: VendorReplica['requests'][number]) =>
  filterOf(request).startsWith('ModificationTimestamp ge');

const listings = ({ world }: VendorReplica): Listing[] =>
  [...world.market.visible()].filter(({ status }) => status !== 'Delete');

async function recordOf({ database }: VendorReplica, key: string): Promise<StoredRecord> {
  const [row] = await database.read(
    (sql) => sql<{ record: object }[]>`select record from listing where listing_key = ${key}`,
  );
  assert.ok(row !== undefined, key);
  return wholeRecord(row.record);
}

async function countEvents({ database }: VendorReplica): Promise<number> {
  const [row] = await database.read(
    (sql) => sql<{ n: number }[]>`select count(*)::int as n from listing_event`,
  );
  return row?.n ?? 0;
}

const positionOf = async ({ database }: VendorReplica) =>
  (await database.read((sql) => readPosition(sql, 'reso'))).position;

test('events lead to listings that changed, came and left, which the watermark alone would not tell', async (t) => {
  const replica = await replicateVendor(t, 'standard', EVENTS);
  await replica.load();
  await replica.pass(120);
  const [changed, removed, restored] = listings(replica).map(({ key }) => key);
  const before = replica.requests.length;
  replica.world.change(changed ?? '', { ListPrice: 123_456 });
  replica.world.remove(removed ?? '');
  replica.world.remove(restored ?? '');
  await replica.pass(70);
  await replica.assertSame();
  replica.world.restore(restored ?? '');
  await replica.pass(70);
  await replica.assertSame();
  assert.deepEqual(requestsFor(replica, 'Property', before).filter(isByWatermark), []);
  assert.equal(replica.replication.status().failure, null);
});

test('a quiet round of events is one request, and the watermark is asked each hour besides', async (t) => {
  const replica = await replicateVendor(t, 'standard', EVENTS);
  await replica.load();
  await replica.pass(120);
  const before = replica.requests.length;
  await replica.pass(600);
  const quiet = replica.requests.slice(before);
  assert.ok(quiet.length >= 8 && quiet.length <= 11, `${quiet.length} requests in ten minutes`);
  assert.ok(quiet.every(({ url }) => url.pathname.endsWith('/EntityEvent')));
  replica.vendor.quirks = { ...replica.vendor.quirks, late: 0 };
  await replica.pass(BACKSTOP);
  assert.equal(requestsFor(replica, 'Property', before).filter(isByWatermark).length, 1);
});

test('the sequence moves on only with what it caused, and many events of a record are one read', async (t) => {
  const replica = await replicateVendor(t, 'standard', {
    quirks: { resources: ['EntityEvent'] },
    overrides: { page: { size: 20 } },
  });
  await replica.load();
  await replica.pass(120);
  const before = await positionOf(replica);
  const keys = listings(replica).map(({ key }) => key);
  for (const key of keys) replica.world.change(key, { ListPrice: 111_111 });
  for (let time = 0; time < 5; time += 1) replica.vendor.resources.log('Property', keys[0] ?? '');
  replica.vendor.resources.log('Showing', 'x');
  const sent = replica.requests.length;
  const isOfKeys = (request: VendorReplica['requests'][number]) => filterOf(request).startsWith('ListingKey');
  replica.vendor.quirks = { ...replica.vendor.quirks, gateway: { requests: 0, status: 200 } };
  await replica.passUntil('some listings were read', () =>
    requestsFor(replica, 'Property', sent).some(isOfKeys),
  );
  replica.vendor.quirks = { ...replica.vendor.quirks, gateway: { requests: 1, status: 200 } };
  await replica.pass(300);
  await replica.assertSame();
  const after = await positionOf(replica);
  assert.ok(Number(after?.EntityEvent) > Number(before?.EntityEvent));
  const asked = requestsFor(replica, 'Property', sent).filter(isOfKeys).map(filterOf);
  const first = asked.filter((filter) => filter.includes(`'${keys[0]}'`));
  assert.ok(first.length <= 2, 'once, and once more where the page had to be read again');
  assert.equal(replica.source.eventCounts?.get('ignored') ?? 0, 1);
});

test('events of photos and open houses lead to their listings', async (t) => {
  const replica = await replicateVendor(t, 'standard', {
    size: 300,
    quirks: { resources: ['EntityEvent', 'Media', 'OpenHouse'] },
    overrides: { media: { from: 'resource' } },
  });
  await replica.load();
  await replica.pass(120);
  const house = listings(replica).find(({ openHouses }) => openHouses.length > 0);
  const pictured = listings(replica).find(({ photos }) => photos > 1);
  assert.ok(house && pictured);
  const houseKey = `${house.key}-OH${house.openHouses[0]?.number}`;
  replica.vendor.resources.change('OpenHouse', houseKey, { OpenHouseRemarks: 'Ring twice' });
  replica.vendor.resources.change('Media', `${pictured.key}-02`, { ShortDescription: 'The new kitchen' });
  await replica.pass(70);
  const remarks = (await recordOf(replica, house.key)).openHouses.map((each) => each.remarks);
  assert.ok(remarks.includes('Ring twice'), remarks.join());
  const captions = (await recordOf(replica, pictured.key)).photos.map(({ caption }) => caption);
  assert.ok(captions.includes('The new kitchen'), captions.join());
});

test('a server that sends nothing for several keys has no listing ended for it', async (t) => {
  const replica = await replicateVendor(t, 'standard', EVENTS);
  await replica.load();
  await replica.pass(120);
  replica.vendor.quirks = { ...replica.vendor.quirks, ignoresKeys: true };
  for (const { key } of listings(replica).slice(0, 5)) replica.vendor.resources.log('Property', key);
  await replica.pass(70);
  await replica.assertSame();
});

for (const [vendor, options] of [
  [
    'standard',
    { size: 300, quirks: { resources: ['OpenHouse'] }, overrides: { deletes: { sweep: { hours: 1 } } } },
  ],
  ['bridge', { size: 300, overrides: { deletes: { sweep: { hours: 1 } } } }],
] as const)
  test(`${vendor}: open houses of a resource come with the first round, and are replaced for the listing that they are of`, async (t) => {
    const replica = await replicateVendor(t, vendor, options);
    await replica.load();
    await replica.pass(120);
    const house = listings(replica).find(({ openHouses }) =>
      openHouses.some(({ start }) => start > replica.clock.now() + 86_400_000),
    );
    assert.ok(house, 'somebody opens a house');
    const idsOf = async () => (await recordOf(replica, house.key)).openHouses.map(({ id }) => id);
    const keys = house.openHouses.map(({ number }) => `${house.key}-OH${number}`);
    assert.deepEqual((await idsOf()).toSorted(), keys.toSorted());
    const sent = replica.requests.length;
    replica.vendor.resources.change('OpenHouse', keys[0] ?? '', { OpenHouseRemarks: 'By the garden' });
    await replica.pass(70);
    const changed = (await recordOf(replica, house.key)).openHouses;
    assert.ok(changed.some(({ remarks }) => remarks === 'By the garden'));
    const read = requestsFor(replica, 'Property', sent).filter((request) =>
      /ListingKey/.test(filterOf(request)),
    );
    assert.equal(read.length, 1, 'one listing is read again');
    // A change of the listing itself leaves them.
    replica.world.change(house.key, { ListPrice: 345_678 });
    await replica.pass(70);
    assert.deepEqual((await idsOf()).toSorted(), keys.toSorted());
    await replica.assertSame();
    // One that vanishes in silence is missed when the source is compared with all its keys.
    house.openHouses = house.openHouses.slice(1);
    await replica.pass(70);
    assert.equal((await idsOf()).length, keys.length);
    await replica.passUntil('it is gone', async () => (await idsOf()).length < keys.length);
    assert.deepEqual((await idsOf()).toSorted(), keys.slice(1).toSorted());
    assert.equal(replica.replication.status().failure, null);
  });

test('agents and offices are joined to listings that have their keys alone, and followed as far as listings show them', async (t) => {
  const replica = await replicateVendor(t, 'standard', { quirks: { resources: ['Member', 'Office'] } });
  await replica.load();
  const [listing] = listings(replica);
  assert.ok(listing);
  const agent = agentOf(listing.agent);
  const stored = await recordOf(replica, listing.key);
  assert.equal(stored.agent?.name, `${agent.firstName} ${agent.lastName}`);
  assert.equal(stored.agent?.phone, agent.phone);
  assert.equal(stored.office?.name, agent.office.name);
  await replica.pass(700);
  const sent = replica.requests.length;
  const events = await countEvents(replica);
  replica.vendor.resources.change('Member', agent.key, { MemberLoginId: 'b' });
  await replica.pass(700);
  const byKeys = () =>
    requestsFor(replica, 'Property', sent).filter((request) => /ListingKey/.test(filterOf(request)));
  assert.deepEqual(byKeys(), [], 'nothing that is shown has changed');
  replica.vendor.resources.change('Member', agent.key, { MemberFullName: 'Alma Novak' });
  replica.vendor.resources.change('Office', agent.office.key, { OfficeName: 'Novak & Daughters' });
  await replica.pass(700);
  const renamed = await recordOf(replica, listing.key);
  assert.equal(renamed.agent?.name, 'Alma Novak');
  assert.equal(renamed.office?.name, 'Novak & Daughters');
  const own = listings(replica).filter((each) => agentOf(each.agent).office.key === agent.office.key);
  assert.ok(byKeys().length <= Math.ceil(own.length / 20) + 1, 'the listings that show them, and no others');
  assert.equal(await countEvents(replica), events);
  await replica.assertSame();
});

test('changes that were read but not written are read again from the position that is stored', async (t) => {
  const replica = await replicateVendor(t, 'standard', { quirks: { resources: ['Member', 'EntityEvent'] } });
  await replica.load();
  await replica.pass(130);
  await replica.replication.stop();
  const position = await positionOf(replica);
  const [listing] = listings(replica);
  assert.ok(listing);
  replica.vendor.resources.change('Member', agentOf(listing.agent).key, { MemberFullName: 'Alma Novak' });
  for (let time = 0; time < 2; time += 1) {
    const names: (string | null | undefined)[] = [];
    let isRead = false;
    const reading = (async () => {
      for await (const { drafts } of replica.source.pages(position, new AbortController().signal))
        names.push(...drafts.map(({ agent }) => agent?.name));
    })().finally(() => {
      isRead = true;
    });
    await until('a round is read', () => {
      replica.clock.advance(1_000);
      return isRead;
    });
    await reading;
    assert.ok(names.includes('Alma Novak'), `read ${time + 1}: ${names.join()}`);
  }
});

test('photos that cannot be read keep no listing away, and come once they can', async (t) => {
  const replica = await replicateVendor(t, 'trestle', {
    overrides: { media: { from: 'resource' } },
    quirks: { deadMedia: true },
  });
  await replica.load();
  await replica.assertSame();
  assert.equal(requestsFor(replica, 'Media').length, 1, 'one failure is enough for a while');
  replica.vendor.quirks = { ...replica.vendor.quirks, deadMedia: false };
  await replica.pass(200);
  for (const { key, photos } of listings(replica)) {
    const record = await recordOf(replica, key);
    assert.equal(record.photos.length + record.floorPlans.length, photos, key);
  }
  assert.equal(replica.replication.status().failure, null);
});

test('photos that cannot be read are tried three times, and then left to the next change', async (t) => {
  const replica = await replicateVendor(t, 'trestle', {
    overrides: { media: { from: 'resource' } },
    quirks: { deadMedia: true },
  });
  await replica.load();
  await replica.pass(1_200);
  const tried = requestsFor(replica, 'Media').length;
  assert.ok(tried >= 3 && tried <= 12, `${tried} requests`);
  await replica.pass(1_200);
  assert.equal(requestsFor(replica, 'Media').length, tried);
  await replica.assertSame();
});
