// Promises about the page of one home over HTTP: what it says in each state, and what it never gives away.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import type { ListingDraft } from '../../../src/listings/draft.ts';
import { textOf } from '../../support/browser/page-text.ts';
import { NO_ADDRESS } from '../../support/catalogue/drafts.ts';
import { startEstimates, street, town } from '../../support/catalogue/estimate-service.ts';
import { type Home, offered, sold } from '../../support/catalogue/property-market.ts';

const { service, write } = await startEstimates({ after });

const photo = (order: number, url = `https://photos.example/${order}.jpg`) => ({
  id: `photo-${order}`,
  url,
  thumbnailUrl: null,
  width: null,
  height: null,
  caption: order === 0 ? 'Front of 7741 Quince Row' : null,
  category: null,
  order,
});

const ADDRESS = {
  ...NO_ADDRESS,
  full: '7741 Quince Row, Elmworth, MW 86900',
  streetNumber: '7741',
  streetName: 'Quince Row',
  city: 'Elmworth',
  state: 'MW',
  postalCode: '86900',
};

const WHOLE: Partial<ListingDraft> = {
  address: ADDRESS,
  description: 'A house of 7741 Quince Row.\n\n<b>With</b> a garden.',
  features: ['OpenFloorplan', 'Pantry'],
  photos: [photo(0), photo(1), photo(2, 'http://photos.example/unsafe.jpg')],
  photoCount: 3,
  originalPrice: 690_000,
  previousPrice: 654_900,
  listedAt: '2026-02-01T12:00:00Z',
  priceChangedAt: '2026-05-20T12:00:00Z',
  listPrice: 629_900,
  agent: { id: null, name: 'Ada Broker', phone: '(555) 010-0100', email: null },
  office: { id: null, name: 'Elm Homes', phone: null, email: null },
  attribution: 'Courtesy of Elm Homes',
  upstreamModifiedAt: '2026-05-21T08:30:00Z',
};

/** A home with seven sold around it, in a town of its own. */
async function homeIn(number: number, more: Partial<ListingDraft> = {}) {
  const { subject, homes } = street(town(number), `page${number}`);
  const ids = await write(
    offered(subject, { ...WHOLE, ...more }),
    ...homes.map((home: Home) => sold(home, '2026-03-10')),
  );
  const id = ids.get(subject.key) ?? '';
  return { id, ids, subject };
}

async function open(id: string | undefined, query = '') {
  const answer = await service.get(`/explore/listing/${id}${query}`, undefined, { accept: 'text/html' });
  const source = await answer.text();
  return { answer, source, text: textOf(source) };
}

test('the page of a home has its facts, history, estimate and comparables, in words', async () => {
  const { id } = await homeIn(20);
  const { answer, source, text } = await open(id);
  assert.equal(answer.status, 200);
  for (const part of [
    '7741 Quince Row',
    '$629,900',
    'For sale',
    'bathrooms',
    '2,000',
    'Not stated',
    'Open floorplan',
    'Price history',
    'Price cut, day not stated',
    'between 1 Feb 2026 and 20 May 2026',
    '$654,900',
    '$25,000',
    'Estimate',
    'Four in five homes like this',
    'Comparable homes',
    'Ada Broker',
    'Courtesy of Elm Homes',
    '21 May 2026, 08:30:00 UTC',
    'Read by us',
  ])
    assert.ok(text.includes(part), part);
  assert.ok(text.includes('<b>With</b> a garden.'), 'what a broker wrote stays text');
  assert.equal(source.match(/<th scope="row"><a href="\.\.\/\.\.\/explore\/listing\/lst_/g)?.length, 6);
  assert.equal(source.match(/<g transform="[^"]*"><circle r="11"\/><text y="4">[A-F]<\/text>/g)?.length, 6);
  assert.ok(!source.includes('unsafe.jpg'), 'pictures without https are not loaded');
  assert.ok(answer.headers.get('content-security-policy')?.includes('https://photos.example'));
  assert.ok(!/ style=|<script>|onclick/.test(source));
});

test('search engines and other sites read the home as data, under one address', async () => {
  const { id } = await homeIn(21);
  const { source } = await open(id);
  const [, block = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(source) ?? [];
  const record = JSON.parse(block);
  assert.equal(record['@type'], 'RealEstateListing');
  assert.equal(record.url, `${service.url}/explore/listing/${id}`);
  assert.equal(record.mainEntity['@type'], 'SingleFamilyResidence');
  assert.equal(record.mainEntity.address.streetAddress, '7741 Quince Row');
  assert.deepEqual([record.offers.price, record.offers.priceCurrency], [629_900, 'USD']);
  assert.equal(record.offers.availability, 'https://schema.org/InStock');
  assert.ok(source.includes(`<link rel="canonical" href="${record.url}">`));
  assert.ok(source.includes('property="og:image" content="https://photos.example/0.jpg"'));
  assert.ok(source.includes('property="og:title"'));
});

test('a withheld address is nowhere in the source of the page or the sheet, and its place is rounded', async () => {
  const { id } = await homeIn(22, { display: { listing: true, address: false, estimate: true } });
  for (const query of ['', '?sheet=1']) {
    const { source, text } = await open(id, query);
    assert.ok(text.includes('Address withheld') && text.includes('Elmworth'), query);
    assert.ok(!/quince|7741/i.test(source), `${query}: the street is in the source`);
    assert.ok(!source.includes('GeoCoordinates'));
    assert.ok(!source.includes(String(town(22)(0, 0).lng)), 'the exact place is in the source');
  }
});

test('what may not be shown at all is a home that there is not', async () => {
  const { id } = await homeIn(23, { display: { listing: false, address: true, estimate: true } });
  for (const each of [id, 'lst_there_is_none']) {
    const { answer, text } = await open(each);
    assert.equal(answer.status, 404);
    assert.ok(text.includes('No such home') && text.includes('Homes on the map'));
    assert.ok(!text.includes('Quince'));
  }
});

test('a home that its source removed is gone, with a way on', async () => {
  const { id } = await homeIn(24, { status: 'DELETED' });
  const { answer, text } = await open(id);
  assert.equal(answer.status, 410);
  assert.ok(text.includes('This home is gone') && text.includes('Homes on the map'));
  assert.ok(!text.includes('Quince'));
});

test('a sold home says what was paid and when; a withdrawn one that it is no longer offered', async () => {
  const { id } = await homeIn(25, { status: 'CLOSED', closePrice: 615_000, closedAt: '2026-05-28' });
  const { text: soldText } = await open(id);
  assert.ok(soldText.includes('This home was sold on 28 May 2026.'));
  assert.ok(soldText.includes('$615,000') && soldText.includes('The price paid'));
  const { id: other } = await homeIn(26, { status: 'WITHDRAWN', offMarketAt: '2026-05-30' });
  const { text } = await open(other);
  assert.ok(text.includes('This home is no longer offered since 30 May 2026.'));
  const { id: third } = await homeIn(27, { status: 'CLOSED', closePrice: null, closedAt: '2026-05-28' });
  const { text: undisclosed } = await open(third);
  assert.ok(undisclosed.includes('Price paid not stated'));
});

test('without photos, estimate or comparables the page says so and why', async () => {
  const [alone = ''] = [
    ...(
      await write(
        offered(
          { key: 'alone', place: town(29)(0, 0), price: 400_000, livingArea: 1_500 },
          { display: { listing: true, address: true, estimate: false } },
        ),
      )
    ).values(),
  ];
  const { text, source } = await open(alone);
  assert.ok(text.includes('No photo of this home.'));
  assert.ok(text.includes('does not permit automated estimates'));
  assert.ok(text.includes('No home like this was sold or offered nearby'));
  assert.ok(!source.includes('light-box" id'));
});

test('an unknown parameter is refused by name, a known page is not sent again', async () => {
  const { id } = await homeIn(28);
  assert.equal((await open(id, '?sheet=2')).answer.status, 400);
  assert.equal((await open(id, '?colour=red')).answer.status, 400);
  const { answer } = await open(id);
  const again = await service.get(`/explore/listing/${id}`, undefined, {
    'if-none-match': answer.headers.get('etag') ?? '',
  });
  assert.equal(again.status, 304);
});

test('what people who signed in are shown is theirs: no search engine lists it, and nobody else keeps it', async () => {
  const { id } = await homeIn(31);
  const own = await service.get(`/explore/listing/${id}`, service.keys.free);
  assert.equal(own.status, 200);
  assert.match(own.headers.get('cache-control') ?? '', /private/);
  assert.ok((await own.text()).includes('<meta name="robots" content="noindex">'));
  assert.ok(!(await open(id)).source.includes('noindex'));
});

test('HTML and styles of a page are below 40 kB as they are sent', async () => {
  const { id } = await homeIn(30);
  const { source } = await open(id);
  const sent = brotliCompressSync(source).length;
  assert.ok(sent < 40_000, `${sent} bytes`);
  assert.ok(source.length < 80_000, `${source.length} characters`);
});
