// The explorer's page as the server writes it, over HTTP: exact numbers, links that keep the view, errors that name their parameter.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { until } from '../../support/check/until.ts';
import { startService } from '../../support/service/service.ts';

const service = await startService({ after }, { source: 'sample' });

interface Page {
  readonly status: number;
  readonly text: string;
  readonly location: string | null;
}

async function open(path: string): Promise<Page> {
  const response = await fetch(`${service.url}/${path}`, { redirect: 'manual' });
  const location = response.headers.get('location');
  return { status: response.status, text: await response.text(), location };
}

const plain = (text: string): string =>
  text.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"');
const count = ({ text }: Page): number =>
  Number(/id="count"[^>]*>([\d,]+) home/.exec(text)?.[1]?.replaceAll(',', ''));
const rows = ({ text }: Page): string[] =>
  [...text.matchAll(/data-home="([^"]+)"/g)].map(([, id = '']) => id);
const hrefOf = ({ text }: Page, pattern: RegExp): string => plain(pattern.exec(text)?.[1] ?? '');

interface Found {
  /** Absent: the answer has all that was written before. */
  readonly meta: { readonly lagMs?: number };
  readonly total: { readonly value: number };
  readonly data: readonly { readonly id: string }[];
}

const search = (path: string, query: string): Promise<Found> =>
  service.json(`/v1/search/${path}?${query}`, service.keys.internal);

// Pages are answered from memory as it is, which may be a moment behind the end of the load.
await until('searches have all that was loaded', async () => {
  const { meta } = await search('sales', 'limit=1');
  return meta.lagMs === undefined;
});

test('the page has the number of homes and the first ten that the search has', async () => {
  for (const [query, path, filters] of [
    ['', 'sales', ''],
    ['for=rental&', 'rentals', 'minBedrooms=2'],
    ['', 'sales', 'maxPrice=700000&propertyType=SINGLE_FAMILY,TOWNHOUSE&sort=price'],
    ['', 'sales', 'status=CLOSED&closedSince=P6M'],
  ] as const) {
    const page = await open(`explore?${query}${filters}`);
    const found = await search(path, `${filters}&limit=10`);
    assert.equal(page.status, 200);
    assert.equal(count(page), found.total.value);
    assert.deepEqual(
      rows(page),
      found.data.map(({ id }) => id),
    );
  }
});

test('each chip leads to as many homes as it says', async () => {
  const page = await open('explore?minBedrooms=3&maxPrice=900000');
  const offers = [
    ...page.text.matchAll(/<a class="chip offer" href="([^"]+)">[^<]+<span class="count">([\d,]+)</g),
  ];
  assert.ok(offers.length >= 2);
  for (const [, href = '', number = ''] of offers)
    assert.equal(count(await open(plain(href))), Number(number.replaceAll(',', '')), href);
  const removals = [
    ...page.text.matchAll(/data-remove="\w+" href="([^"]+)" aria-label="[^"]*: ([\d,]+) homes without it"/g),
  ];
  assert.equal(removals.length, 2);
  for (const [, href = '', number = ''] of removals)
    assert.equal(count(await open(plain(href))), Number(number.replaceAll(',', '')), href);
});

test('pages of ten follow each other, up to ten without signing in, and say where one is', async () => {
  const all = await search('sales', 'status=any&limit=500');
  let page = await open('explore?status=any');
  const seen = rows(page);
  for (let number = 2; number <= 10; number++) {
    page = await open(hrefOf(page, /<a rel="next" href="([^"]+)"/));
    assert.ok(
      page.text.includes(`>${number * 10 - 9}–${number * 10} of ${all.total.value}<`),
      `page ${number}`,
    );
    seen.push(...rows(page));
  }
  assert.deepEqual(
    seen,
    all.data.slice(0, 100).map(({ id }) => id),
  );
  assert.ok(all.total.value > 100);
  assert.ok(!page.text.includes('rel="next"'));
  assert.ok(page.text.includes('Sign in to go on'));
});

test('a form leads to the address of its view, without blank fields and with amounts as numbers', async () => {
  const { status, location } = await open(
    'explore?minPrice=%24400%2C000&maxPrice=&propertyType=CONDO&propertyType=COOP&minBedrooms=',
  );
  assert.deepEqual([status, location], [303, 'explore?minPrice=400000&propertyType=CONDO,COOP']);
});

test('the search box leads to a place, to one home by its number, or to homes with the words', async () => {
  const areas: { data: { id: string; name: string }[] } = await service.json(
    '/v1/areas?type=city&limit=1',
    service.keys.internal,
  );
  const [{ id, name } = { id: '', name: '' }] = areas.data;
  const place = await open(`explore?find=${encodeURIComponent(name.toLowerCase())}&minBedrooms=2`);
  assert.equal(place.location, `explore?minBedrooms=2&areaId=${id}`);
  const page = await open(place.location ?? '');
  assert.equal(count(page), (await search('sales', `areaId=${id}&minBedrooms=2&limit=1`)).total.value);
  assert.ok(page.text.includes(`<title>2+ bed homes for sale in ${name}`));
  const [home] = (await search('sales', 'limit=1')).data as unknown as {
    id: string;
    provider: { listingId: string };
  }[];
  assert.equal(
    (await open(`explore?find=${home?.provider.listingId}`)).location,
    `explore/listing/${home?.id}`,
  );
  assert.equal((await open('explore?find=sunny+porch')).location, 'explore?q=sunny+porch');
});

test('a view without homes offers the nearest that have some, with their numbers', async () => {
  const page = await open('explore?minPrice=1&maxPrice=2&minBedrooms=2');
  assert.equal(count(page), 0);
  const ways = [
    ...page.text.matchAll(/<a class="btn[^"]*" href="([^"]+)">[^<]+<span class="quiet">([\d,]+)</g),
  ];
  assert.ok(ways.length > 0);
  for (const [, href = '', number = ''] of ways)
    assert.equal(count(await open(plain(href))), Number(number.replaceAll(',', '')), href);
});

test('a parameter that is wrong or unknown is named on a page of its own', async () => {
  for (const [query, name] of [
    ['for=swap', 'for'],
    ['minPrice=cheap', 'minPrice'],
    ['minPrize=1', 'minPrice'],
    ['areaId=nowhere', 'areaId'],
    ['cursor=2.nonsense', 'cursor'],
    ['zoom=99', 'zoom'],
  ] as const) {
    const page = await open(`explore?${query}`);
    assert.equal(page.status, 400, query);
    assert.ok(page.text.includes('class="notice error"'), query);
    assert.ok(page.text.includes(name), query);
  }
});

test('only whole places are for search engines', async () => {
  const isIndexed = async (query: string) => !/name="robots" content="noindex/.test((await open(query)).text);
  assert.equal(await isIndexed('explore'), true);
  assert.equal(await isIndexed('explore?for=rental'), true);
  for (const query of ['minBedrooms=3', 'bbox=-180,-90,180,90', 'sort=price', 'maxPrice=1'])
    assert.equal(await isIndexed(`explore?${query}`), false, query);
});

test('the requests of the panel give what the page shows', async () => {
  const query = 'minBedrooms=3&propertyType=SINGLE_FAMILY';
  const page = await open(`explore?${query}`);
  const url = hrefOf(page, /<a href="([^"]+)">The list as JSON/);
  const found = await search('sales', url.split('?')[1] ?? '');
  assert.deepEqual(
    found.data.map(({ id }) => id),
    rows(page),
  );
  assert.ok(page.text.includes('10 a minute and 100 a month without a key'));
});

test('the page is below 30 kB compressed, styles included', async () => {
  for (const query of ['', '?minBedrooms=3&maxPrice=900000', '?for=rental']) {
    const { text } = await open(`explore${query}`);
    const bytes = brotliCompressSync(text).byteLength;
    assert.ok(bytes > 5_000 && bytes < 30_000, `${query} takes ${bytes} bytes`);
  }
});

test('every row names who offers the home and when its source confirmed it', async () => {
  const { text } = await open('explore');
  const metas = [...text.matchAll(/<p class="meta">([^<]+)</g)].map(([, meta = '']) => meta);
  assert.ok(text.includes('Listings: Calder Sound Listing Service'));
  assert.equal(metas.length, 10);
  for (const meta of metas) assert.match(meta, /^\S.+ · confirmed \d+ (?:s|min|h|days) ago$/);
});

test('of a home whose address is withheld the page has no street, in no attribute either', async () => {
  const all = (await search('sales', 'status=any&limit=500')) as unknown as {
    data: { id: string; address: { line1: string | null } }[];
  };
  const withheld = all.data.find(({ address }) => address.line1 === null);
  assert.ok(withheld !== undefined, 'the sample has such a home');
  const stored = await service.database.read(
    (sql) => sql<{ street: string | null }[]>`
      select record -> 'address' ->> 'streetName' as street from listing where id = ${withheld.id}`,
  );
  const page = await open(`explore?status=any&ids=${withheld.id}`);
  assert.deepEqual(rows(page), [withheld.id]);
  assert.ok(page.text.includes('Address withheld'));
  const street = stored[0]?.street ?? null;
  assert.ok(street !== null && street !== '');
  assert.ok(!page.text.includes(street), street);
});

test('who may not look gets a panel that says what is needed, no home, and nothing from a number', async (t) => {
  const locked = await startService(t, { environment: { EXPLORER: 'signed-in' } });
  const response = await fetch(`${locked.url}/explore?minBedrooms=2`);
  assert.equal(response.status, 401);
  const text = await response.text();
  assert.ok(text.includes('Sign in to see the homes') && text.includes('explore/sign-in'));
  assert.ok(!text.includes('data-home'));
  const found = await fetch(`${locked.url}/explore?find=26019814`, { redirect: 'manual' });
  assert.equal(found.headers.get('location'), 'explore');
});
