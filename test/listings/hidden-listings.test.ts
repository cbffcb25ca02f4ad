// Proves that what a source hides is in no answer, no tag and no link, and cannot be guessed.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { propertyId, propertyIdentity } from '../../src/ingest/identity.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import type { Property } from '../../src/listings/property-record.ts';
import { startCatalogue } from '../support/catalogue/catalogue.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';

const { clock, daysAgo, keys, service, writtenIds } = await startCatalogue({ after });

test('a draft upstream is shown to nobody, also not as a period of a property that is', async () => {
  const place = {
    parcelNumber: '1-1',
    address: { ...NO_ADDRESS, county: 'Elm', state: 'WA' },
  } satisfies Partial<ListingDraft>;
  const [shown = '', secret = ''] = await writtenIds(
    draft('draft-shown', { ...place, status: 'CLOSED', closePrice: 5, closedAt: '2020-01-01' }),
    draft('draft-secret', { ...place, status: 'INCOMPLETE', listPrice: 77, listedAt: daysAgo(1) }),
  );
  for (const id of [shown, secret]) {
    const text = JSON.stringify(
      await service.json(`/v1/property/${id}?include=listings,history&display=ignore`, keys.internal),
    );
    assert.ok(!text.includes(secret) && !text.includes('INCOMPLETE'));
  }
  const stream = await service.get(`/v1/listing/${secret}`, keys.internal);
  assert.equal(stream.status, 404);
  await stream.arrayBuffer();
});

test('what happens to a hidden listing shows in no tag and no date of its property', async () => {
  const place = {
    parcelNumber: '1-2',
    address: { ...NO_ADDRESS, county: 'Elm', state: 'WA' },
  } satisfies Partial<ListingDraft>;
  const hidden = {
    ...place,
    display: { listing: false, address: true, estimate: true },
  } satisfies Partial<ListingDraft>;
  const [id = ''] = await writtenIds(draft('open', place), draft('hidden', { ...hidden, listPrice: 1 }));
  const state = async () => {
    const { headers } = await service.get(`/v1/property/${id}`, keys.pro);
    return [headers.get('etag'), headers.get('last-modified')];
  };
  const before = await state();
  clock.advance(5_000);
  await writtenIds(draft('hidden', { ...hidden, listPrice: 2 }));
  assert.deepEqual(await state(), before);
  await writtenIds(draft('open', { ...place, listPrice: 3 }));
  assert.notDeepEqual(await state(), before);
});

const STREET = {
  ...NO_ADDRESS,
  streetNumber: '1898',
  streetName: 'Linden Street',
  unit: '7E',
  city: 'Aldern',
  state: 'WA',
  postalCode: '98001',
  crossStreet: 'Larch Lane',
  county: 'Elm',
};
const photo = {
  id: 'p',
  url: 'https://photos.example/1.svg',
  thumbnailUrl: null,
  width: 1,
  height: 1,
  caption: '1898 linden  street at dusk',
  category: null,
  order: 0,
};
const masked: Partial<ListingDraft> = {
  address: STREET,
  display: { listing: true, address: false, estimate: true },
  description: 'Welcome to 1898 Linden Street! LINDEN STREET meets Larch Lane; Lindenwood is near.',
  photos: [photo],
  listingUrl: 'https://agent.example/1898-linden-street',
  virtualTourUrl: 'https://tour.example/1898-linden-street',
  buildingName: 'The Linden',
};

test('a withheld address is in no word, caption or link of the record, and Internal may see all', async () => {
  const [id = ''] = await writtenIds(draft('masked-words', masked));
  const seen = async (query: string) =>
    service.json(`/v1/property/${id}?include=listings,history${query}`, keys.internal);
  const shown = (await seen('')) as Property;
  assert.ok(!/1898|linden[\s-]+street|larch|the linden/i.test(JSON.stringify(shown)), JSON.stringify(shown));
  assert.match(
    shown.currentListing?.description ?? '',
    /^Welcome to \(address withheld\)!.*Lindenwood is near\.$/,
  );
  const whole = (await seen('&display=ignore')) as Property;
  assert.equal(whole.currentListing?.description, masked.description);
  assert.equal(whole.currentListing?.listingUrl, masked.listingUrl);
});

test('a withheld address cannot be found by guessing its property id, nor through another listing of the house', async () => {
  const guess = propertyId(propertyIdentity('test', draft('guess', { address: STREET })));
  const [hidden = '', open = ''] = await writtenIds(
    draft('masked-now', masked),
    draft('open-then', { address: STREET, status: 'CLOSED', closePrice: 9, closedAt: '2015-01-01' }),
  );
  const property: Property = await service.json(`/v1/property/${open}?include=listings`, keys.pro);
  assert.equal(property.id, guess);
  assert.ok(!JSON.stringify(property).includes(hidden));
  const withheld: Property = await service.json(`/v1/property/${hidden}?include=listings`, keys.pro);
  assert.deepEqual([withheld.address.line1, withheld.listings?.length], [null, 1]);
});
