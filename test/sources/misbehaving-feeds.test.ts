// Proves that feeds that misbehave become right copies, or failures with a name at one request a second.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findReport } from '../../src/sources/report-store.ts';
import { isLoaded } from '../support/sources/replica.ts';
import {
  assertSpared,
  type FeedRecord,
  isMetadata,
  listOf,
  metadataOf,
  NO_METADATA,
  type ReplicatedFeed,
  recordsOf,
  replicateFeed,
  type StrictFeed,
} from '../support/sources/strict-feed.ts';

const keysOf = (records: readonly FeedRecord[]) => records.map(({ ListingKey }) => String(ListingKey)).sort();

const loaded = (feed: ReplicatedFeed) => feed.passUntil('the load is complete', () => isLoaded(feed));

const failed = (feed: ReplicatedFeed, failure: string) =>
  feed.passUntil(`${failure} is noticed`, () => feed.replication.status().failure === failure);

const plain =
  (records: readonly FeedRecord[]): StrictFeed['answer'] =>
  (request) =>
    isMetadata(request) ? NO_METADATA : listOf(records, request);

test('a server that links on and on behind the end is read to its end, a second between looks for more', async (t) => {
  const records = recordsOf(7);
  const feed = await replicateFeed(t, (request) => {
    if (isMetadata(request)) return NO_METADATA;
    const link = (skip: number, url: URL) => `${url.origin}${url.pathname}?token=${skip}&$skiptoken=${skip}`;
    const at = Number(request.url.searchParams.get('$skiptoken') ?? 0);
    const page = listOf(records.slice(at), request, {
      link: (skip, url) => link(at + skip, url),
      count: false,
    });
    return request.url.searchParams.has('$top') ? listOf(records, request) : page;
  });
  await loaded(feed);
  assert.deepEqual(await feed.keys(), keysOf(records));
  const empty = feed.feed.listRequests().filter(({ url }) => Number(url.searchParams.get('$skiptoken')) >= 9);
  assert.ok(empty.length > 1);
  assertSpared(empty);
});

test('a server that sends its last page again and again is read to its end', async (t) => {
  const records = recordsOf(5);
  let token = 0;
  const feed = await replicateFeed(t, (request) => {
    if (isMetadata(request)) return NO_METADATA;
    if (request.url.searchParams.has('$top')) return listOf(records, request);
    const isFirst = !request.url.searchParams.has('token');
    token += 1;
    const link = `${request.url.origin}${request.url.pathname}?token=${token}`;
    return { body: { value: isFirst ? records.slice(0, 3) : records.slice(3), '@odata.nextLink': link } };
  });
  await loaded(feed);
  assert.deepEqual(await feed.keys(), keysOf(records));
});

test('pages that link in a circle are a named failure at one request a second, and never a complete load', async (t) => {
  const records = recordsOf(9);
  const feed = await replicateFeed(t, (request) => {
    if (isMetadata(request)) return NO_METADATA;
    if (request.url.searchParams.has('$top')) return listOf(records, request);
    const page = Number(request.url.searchParams.get('page') ?? 0);
    const next = page === 2 ? 1 : page + 1;
    const link = `${request.url.origin}${request.url.pathname}?page=${next}`;
    return { body: { value: records.slice(page * 3, page * 3 + 3), '@odata.nextLink': link } };
  });
  await failed(feed, 'cyclic_links');
  const before = feed.feed.requests.length;
  await feed.pass(120);
  const later = feed.feed.requests.slice(before);
  assert.ok(later.length > 3, 'it is tried again');
  assertSpared(later);
  const { failure, loadedAt, detail } = feed.replication.status();
  assert.deepEqual([failure, loadedAt], ['cyclic_links', null]);
  assert.match(detail ?? '', /links back to a page/);
  const report = await feed.database.read((sql) => findReport(sql, 'reso'));
  assert.equal(report?.failure, 'cyclic_links');
});

test('a record from the year 2099 does not end the replication of all others', async (t) => {
  const records = recordsOf(4);
  records[1] = { ...records[1], ModificationTimestamp: '2099-01-01T00:00:00Z' };
  const feed = await replicateFeed(t, (request) => plain(records)(request));
  await loaded(feed);
  records[2] = { ...records[2], ListPrice: 77_000, ModificationTimestamp: '2026-01-05T12:00:30Z' };
  records[1] = { ...records[1], ListPrice: 66_000, ModificationTimestamp: '2026-01-05T12:00:40Z' };
  await feed.passUntil('both changes are read', async () =>
    (await Promise.all(['k1', 'k2'].map(feed.listing))).every(({ record }) => (record.price ?? 0) < 80_000),
  );
});

test('a position from the future, stored by an earlier version, is left for the present', async (t) => {
  const records = recordsOf(2);
  const feed = await replicateFeed(t, (request) => plain(records)(request));
  await loaded(feed);
  await feed.replication.stop();
  await feed.database.write(
    (sql) =>
      sql`update source_position set position = '{"phase":"changes","since":"2099-01-01T00:00:00.000Z"}'`,
  );
  const again = await feed.restart();
  await loaded(again);
  records[0] = { ...records[0], ListPrice: 55_000, ModificationTimestamp: '2026-01-05T12:05:00Z' };
  await again.passUntil(
    'the change is read',
    async () => (await again.listing('k0')).record.price === 55_000,
  );
});

test('fields that Property inherits in $metadata are requested, and listings have them', async (t) => {
  const records = recordsOf(4);
  const metadata = `<Schema Namespace="base"><EntityType Name="Record"><Property Name="ListingKey" Type="Edm.String"/>
    <Property Name="ModificationTimestamp" Type="Edm.DateTimeOffset"/><Property Name="ListPrice" Type="Edm.Decimal"/></EntityType></Schema>
    <Schema Namespace="m"><EntityType Name="Property" BaseType="base.Record"><Property Name="City" Type="Edm.String"/></EntityType></Schema>`;
  const feed = await replicateFeed(t, (request) => {
    if (isMetadata(request)) return { body: metadata };
    const selected = request.url.searchParams.get('$select')?.split(',');
    const sent = records.map((record) =>
      Object.fromEntries(Object.entries(record).filter(([name]) => selected?.includes(name) ?? true)),
    );
    return listOf(sent, request);
  });
  await loaded(feed);
  assert.deepEqual(await feed.keys(), keysOf(records));
  assert.equal((await feed.listing('k3')).record.price, 100_003);
});

test('of two ages of a record in one page the newer one counts, in whichever order they come', async (t) => {
  const [one = {}, two = {}] = recordsOf(2);
  const older = (record: FeedRecord) => ({
    ...record,
    ListPrice: 1,
    ModificationTimestamp: '2025-01-01T00:00:00Z',
  });
  const feed = await replicateFeed(t, (request) =>
    isMetadata(request)
      ? NO_METADATA
      : listOf([one, older(one), older(two), two], request, { pageSize: 10, count: 2 }),
  );
  await loaded(feed);
  assert.equal((await feed.listing('k0')).record.price, 100_000);
  assert.equal((await feed.listing('k1')).record.price, 100_001);
});

test('no record is lost when others leave while pages by offset are read', async (t) => {
  const records = recordsOf(12);
  const feed = await replicateFeed(t, (request) => {
    if (isMetadata(request)) return NO_METADATA;
    const answer = listOf(records, request);
    // After the first page two of its records leave: all behind them move up.
    if (!request.url.searchParams.has('$top') && !request.url.searchParams.has('$skip')) records.splice(0, 2);
    return answer;
  });
  await loaded(feed);
  const keys = await feed.keys();
  assert.deepEqual(
    keysOf(records).filter((key) => !keys.includes(key)),
    [],
  );
});

for (const [what, origin] of [
  ['the scheme', (url: URL) => `https://${url.host}`],
  ['the port', (url: URL) => `http://${url.hostname}:1`],
] as const) {
  test(`a link with ${what} of a server behind the proxy is followed at our own address`, async (t) => {
    const records = recordsOf(7);
    const feed = await replicateFeed(t, (request) => {
      if (isMetadata(request)) return NO_METADATA;
      const link = (skip: number, url: URL) =>
        skip < records.length ? `${origin(url)}${url.pathname}?$skip=${skip}` : null;
      return listOf(records, request, request.url.searchParams.has('$top') ? {} : { link });
    });
    await loaded(feed);
    assert.deepEqual(await feed.keys(), keysOf(records));
  });
}

test('a link to another host is a named failure, and the token does not go there', async (t) => {
  const records = recordsOf(7);
  const feed = await replicateFeed(t, (request) => {
    if (isMetadata(request)) return NO_METADATA;
    const link = (skip: number, url: URL) => `http://localhost:${url.port}${url.pathname}?$skip=${skip}`;
    return listOf(records, request, request.url.searchParams.has('$top') ? {} : { link });
  });
  await failed(feed, 'foreign_link');
  const before = feed.feed.requests.length;
  await feed.pass(30);
  assertSpared(feed.feed.requests.slice(before));
  assert.ok(!feed.feed.requests.some(({ url }) => url.hostname === 'localhost'));
});

const MANY_FIELDS = [
  'ListingKey',
  'ListPrice',
  'StandardStatus',
  'PropertyType',
  'ModificationTimestamp',
  'PublicRemarks',
  'AssociationFee',
  'AssociationFee2',
  'AssociationFee2Frequency',
  'AssociationFeeFrequency',
];

for (const status of [400, 404, 414]) {
  test(`a server that answers ${status} to more than 2,048 characters is requested whole records`, async (t) => {
    const { PROPERTY_FIELDS } = await import('../../src/sources/reso/mapping/property-fields.ts');
    const records = recordsOf(7);
    const feed = await replicateFeed(t, (request) => {
      if (isMetadata(request)) return { body: metadataOf(PROPERTY_FIELDS) };
      return request.path.length > 2_048 ? { status } : listOf(records, request);
    });
    await loaded(feed);
    assert.deepEqual(await feed.keys(), keysOf(records));
    assert.ok(feed.feed.requests.some(({ path }) => path.length > 2_048));
    records[0] = { ...records[0], ListPrice: 5, ModificationTimestamp: '2026-01-05T12:00:30Z' };
    await feed.passUntil('a change is read', async () => (await feed.listing('k0')).record.price === 5);
    const single = await feed.source.fetchOne('k0', new AbortController().signal);
    assert.equal(single.listPrice, 5);
  });
}

test('a byte-order mark before JSON is skipped', async (t) => {
  const records = recordsOf(4);
  const feed = await replicateFeed(t, (request) => {
    if (isMetadata(request)) return NO_METADATA;
    return { body: `\ufeff${JSON.stringify(listOf(records, request).body)}` };
  });
  await loaded(feed);
  assert.deepEqual(await feed.keys(), keysOf(records));
});

test('a server ten hours ahead of UTC that writes no zones has its new listings read in the next round', async (t) => {
  const AHEAD = 10 * 3_600_000;
  const naive = (at: number) => new Date(at + AHEAD).toISOString().slice(0, -1);
  const records: FeedRecord[] = recordsOf(3).map((record) => ({
    ...record,
    ModificationTimestamp: naive(Date.parse(String(record.ModificationTimestamp))),
  }));
  // It knows its own zone: filters are compared with the moments that its clocks mean.
  const momentOf = (record: FeedRecord) => Date.parse(`${record.ModificationTimestamp}Z`) - AHEAD;
  const feed = await replicateFeed(t, (request) => {
    if (isMetadata(request)) return NO_METADATA;
    const [, since] = /ge (.*)$/.exec(request.url.searchParams.get('$filter') ?? '') ?? [];
    const url = new URL(request.url);
    url.searchParams.delete('$filter');
    const found = records.filter((record) => since === undefined || momentOf(record) >= Date.parse(since));
    return listOf(found, { url }, { pageSize: 50 });
  });
  records.push({ ...records[0], ListingKey: 'now', ModificationTimestamp: naive(feed.clock.now()) });
  await loaded(feed);
  records.push({ ...records[0], ListingKey: 'new', ModificationTimestamp: naive(feed.clock.now() + 1_000) });
  await feed.pass(90);
  assert.ok((await feed.keys()).includes('new'));
});

test('a server with numeric keys alone is read, followed and asked for one listing by them', async (t) => {
  const records: FeedRecord[] = recordsOf(4).map(({ ListingKey: _, ...record }, at) => ({
    ...record,
    ListingKeyNumeric: 100 + at,
  }));
  const fields = [
    'ListingKeyNumeric',
    'ListPrice',
    'StandardStatus',
    'PropertyType',
    'ModificationTimestamp',
  ];
  const feed = await replicateFeed(t, (request) => {
    if (isMetadata(request)) return { body: metadataOf(fields).replace('Edm.String', 'Edm.Int64') };
    if (/\bListingKey\b/.test(request.path)) return { status: 400 };
    const [, key] = /Property\((\d+)\)/.exec(request.path) ?? [];
    if (key === undefined) return listOf(records, request);
    return { body: records.find(({ ListingKeyNumeric }) => String(ListingKeyNumeric) === key) };
  });
  await loaded(feed);
  assert.deepEqual(await feed.keys(), ['100', '101', '102', '103']);
  assert.equal((await feed.source.fetchOne('102', new AbortController().signal)).listPrice, 100_002);
});

for (const takesTop of [true, false]) {
  test(`all 25 photos come from a server that sends ten of them ${takesTop ? 'unless it is told how many' : 'and a link to more'}`, async (t) => {
    const photo = (order: number) => ({
      MediaKey: `m${order}`,
      Order: order,
      MediaURL: `https://x.test/${order}.jpg`,
    });
    const photos = Array.from({ length: 25 }, (_, order) => photo(order));
    const records = recordsOf(2, { PhotosCount: 25 });
    const feed = await replicateFeed(t, (request) => {
      if (isMetadata(request)) return NO_METADATA;
      const { url, path } = request;
      const mediaLink = (skip: number) => `${url.origin}/odata/Media?of=all&$skip=${skip}`;
      if (path.startsWith('/odata/Media')) {
        const skip = Number(url.searchParams.get('$skip'));
        const more = skip + 10 < photos.length ? { '@odata.nextLink': mediaLink(skip + 10) } : {};
        return { body: { value: photos.slice(skip, skip + 10), ...more } };
      }
      const all = path.includes('Media($top=');
      if (all && !takesTop) return { status: 400 };
      const part = { Media: photos.slice(0, 10), 'Media@odata.nextLink': mediaLink(10) };
      return listOf(
        records.map((record) => ({ ...record, ...(all ? { Media: photos } : part) })),
        request,
      );
    });
    await loaded(feed);
    const orders = ((await feed.listing('k1')).record.photos as { readonly id: string }[]).map(
      ({ id }) => id,
    );
    assert.deepEqual(
      orders,
      photos.map(({ MediaKey }) => MediaKey),
    );
    const single = await feed.source.fetchOne('k0', new AbortController().signal);
    assert.equal(single.photos?.length, 25);
  });
}

const REFUSALS: readonly (readonly string[])[] = [
  ['$count'],
  ['$select'],
  ['$expand'],
  ['$orderby'],
  ['$count', '$select'],
  ['$select', '$orderby'],
  ['$count', '$select', '$expand', '$orderby'],
];

for (const refused of REFUSALS) {
  test(`a server that answers 400 to ${refused.join(' and ')} is read without`, async (t) => {
    const records = recordsOf(7);
    const feed = await replicateFeed(t, (request) => {
      if (isMetadata(request)) return { body: metadataOf(MANY_FIELDS, ['Media', 'OpenHouse']) };
      if (refused.some((option) => request.url.searchParams.has(option))) return { status: 400 };
      return listOf(records, request);
    });
    await loaded(feed);
    assert.deepEqual(await feed.keys(), keysOf(records));
    records[3] = { ...records[3], ListPrice: 5, ModificationTimestamp: '2026-01-05T12:00:30Z' };
    await feed.passUntil('a change is read', async () => (await feed.listing('k3')).record.price === 5);
    await feed.pass(60);
    const after = feed.feed.requests.length;
    await feed.pass(300);
    const later = feed.feed.requests.slice(after);
    const isRefused = ({ url }: { url: URL }) => refused.some((option) => url.searchParams.has(option));
    assert.deepEqual(later.filter(isRefused), [], 'what it refuses is remembered');
  });
}

test('a server that answers 400 to everything is a named failure at one request a second', async (t) => {
  const feed = await replicateFeed(t, (request) => (isMetadata(request) ? NO_METADATA : { status: 400 }));
  await failed(feed, 'refused_query');
  await feed.pass(60);
  const [first, ...others] = feed.feed.listRequests();
  assert.ok(first !== undefined && others.length > 5);
  assertSpared(others.slice(3));
});

test('a load with fewer records than the server counts is never complete, and is once they come', async (t) => {
  const records = recordsOf(10);
  let hidden = 2;
  const feed = await replicateFeed(t, (request) => {
    if (isMetadata(request)) return NO_METADATA;
    return listOf(records.slice(hidden), request, { count: 10 });
  });
  await failed(feed, 'incomplete_load');
  await feed.pass(60);
  const { loadedAt, failure, detail } = feed.replication.status();
  assert.deepEqual([loadedAt, failure], [null, 'incomplete_load']);
  assert.match(detail ?? '', /counts 10 records, and 2 of them did not come/);
  const before = feed.feed.requests.length;
  await feed.pass(60);
  assertSpared(feed.feed.requests.slice(before));
  hidden = 0;
  await loaded(feed);
  assert.deepEqual(await feed.keys(), keysOf(records));
});

test('a load of records without keys is a named failure and never complete', async (t) => {
  const records = recordsOf(4).map(({ ListingKey: _, ...record }) => record);
  const feed = await replicateFeed(t, (request) =>
    isMetadata(request) ? NO_METADATA : listOf(records, request, { count: false }),
  );
  await failed(feed, 'missing_keys');
  const before = feed.feed.requests.length;
  await feed.pass(60);
  assert.equal(feed.replication.status().loadedAt, null);
  assertSpared(feed.feed.requests.slice(before));
});

test('a few records without keys are left out and counted, and the load is complete', async (t) => {
  const records = recordsOf(5);
  const feed = await replicateFeed(t, (request) =>
    isMetadata(request) ? NO_METADATA : listOf([...records, { ListPrice: 1 }], request),
  );
  await loaded(feed);
  assert.deepEqual(await feed.keys(), keysOf(records));
  assert.equal(feed.source.fieldErrors.get('ListingKey'), 1);
});

for (const [what, answer] of [
  ['answers 404', { status: 404 }],
  ['redirects', { status: 302 }],
  ['is a page', { body: '<html>Welcome</html>' }],
  ['answers without a token', { body: {} }],
] as const) {
  test(`an address for tokens that ${what} is named as such`, async (t) => {
    const feed = await replicateFeed(t, () => answer);
    await feed.replication.stop();
    const { origin } = new URL(feed.feed.url);
    const credentials = {
      kind: 'client',
      tokenUrl: `${origin}/wrong`,
      clientId: 'a',
      clientSecret: 'b',
    } as const;
    const again = await feed.restart({ credentials });
    await failed(again, 'wrong_token_url');
    assert.match(again.replication.status().detail ?? '', /RESO_TOKEN_URL/);
    const before = feed.feed.requests.length;
    await again.pass(30);
    assertSpared(feed.feed.requests.slice(before));
  });
}
