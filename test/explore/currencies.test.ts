// Proves that the explorer and the market show homes of two sources in two currencies: one at a time, and which ones are left out.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after });
const { database, clock } = service;
const DAY = 86_400_000;
const iso = (days: number) => new Date(clock.now() - days * DAY).toISOString();

/** Homes for sale of a source, at one place. */
const homes = (count: number, currency: string, [lat, lng]: readonly [number, number]) =>
  Array.from({ length: count }, (_, at) =>
    draft(`${currency}-${at}`, {
      currency,
      listPrice: 300_000 + at * 10_000,
      bedrooms: 1 + (at % 3),
      listedAt: iso(40 + at),
      location: { lat: lat + at / 1_000, lng, precision: 'exact' },
    }),
  );
const catalogue = createCatalogue(database);
await database.transaction((tx) =>
  catalogue.write(tx, 'south', homes(6, 'EUR', [38.71, -9.14]), clock.now()),
);
await database.transaction((tx) =>
  catalogue.write(tx, 'north', homes(5, 'USD', [47.6, -122.3]), clock.now()),
);

interface View {
  readonly total: number;
  readonly currency: string;
  readonly otherCurrencies: object | null;
  readonly list: readonly { readonly currency: string }[];
}

async function pageOf(path: string): Promise<string> {
  const answer = await service.get(path);
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return text.replaceAll('&amp;', '&');
}

test('a view has the homes of the currency that most have, and says how many others there are', async () => {
  const view: View = await service.json('/explore/view');
  assert.deepEqual([view.total, view.currency], [6, 'EUR']);
  assert.deepEqual(view.otherCurrencies, { homes: 5, currencies: ['USD'] });
  const page = await pageOf('/explore');
  assert.match(page, /Homes priced in EUR.*5 more are priced in USD/);
  assert.match(page, /<a class="btn" href="explore\?currency=USD">Show USD<\/a>/);
});

test('a view of the other currency has the others, and no more to say', async () => {
  const view: View = await service.json('/explore/view?currency=USD');
  assert.deepEqual([view.total, view.currency, view.otherCurrencies], [5, 'USD', null]);
  assert.deepEqual([...new Set(view.list.map(({ currency }) => currency))], ['USD']);
  assert.doesNotMatch(await pageOf('/explore?currency=USD'), /are priced in/);
});

test('filters of a view count homes of its currency alone', async () => {
  const { beds }: { beds: readonly { value: string; count: number }[] } = await service.json(
    '/explore/facets?minPrice=310000',
  );
  // Of those from 310,000 there are five, with 2, 3, 1, 2 and 3 bedrooms.
  assert.deepEqual(
    beds.map(({ count }) => count),
    [5, 4, 2, 0, 0],
  );
});

test('the requests that give a view name its currency, and are answered', async () => {
  const page = await pageOf('/explore');
  const urls = [...page.matchAll(/href="(http[^"]*\/v1\/search\/sales[^"]*)"/g)].map(([, url = '']) => url);
  assert.ok(urls.length >= 3);
  for (const url of urls.filter((each) => !each.includes('/export'))) {
    assert.match(url, /currency=EUR/);
    const answer = await fetch(url);
    assert.equal(answer.status, 200, `${url}: ${await answer.text()}`);
  }
});

test('the front page has the median of the currency that most have, and names it', async () => {
  const page = await pageOf('/');
  assert.match(page, /<dt>For sale<\/dt><dd class="value">11<\/dd>/);
  assert.match(page, /median €325,000 of those priced in EUR/);
});

for (const [query, currency] of [
  ['', 'EUR'],
  ['?currency=USD', 'USD'],
] as const)
  test(`the market in ${currency} offers both currencies, and its figures and requests are in one`, async () => {
    const page = await pageOf(`/explore/market${query}`);
    assert.match(page, new RegExp(`those priced in ${currency}`));
    assert.match(
      page,
      new RegExp(`<a href="market\\?currency=${currency}" aria-current="true">${currency}</a>`),
    );
    assert.match(page, currency === 'EUR' ? /€3\d\d,\d{3}/ : /\$3\d\d,\d{3}/);
    const requests = [...page.matchAll(/href="\.\.\/(v1\/market\/[^"]*)"/g)].map(([, path = '']) => path);
    assert.ok(requests.length > 0);
    for (const path of new Set(requests)) {
      assert.match(path, new RegExp(`currency=${currency}`));
      assert.equal((await service.get(`/${path}`, service.keys.pro)).status, 200, path);
    }
    const files = [...page.matchAll(/href="(market\/figures\.csv[^"]*)"/g)].map(([, path = '']) => path);
    assert.ok(files.length > 0);
    for (const path of new Set(files)) await pageOf(`/explore/${path}`);
  });
