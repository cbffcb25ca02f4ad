// Proves that a withheld address is told by no answer and found by no question, in whatever spelling.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { Listing } from '../../src/listings/record.ts';
import { startCatalogue } from '../support/catalogue/catalogue.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { spelledStreet, textWith } from '../support/catalogue/spellings.ts';

const { keys, service, writtenIds } = await startCatalogue({ after });

const houses = fc
  .sample(
    spelledStreet.chain((house) => textWith(house.spellings).map((written) => ({ ...house, ...written }))),
    { seed: 12, numRuns: 40 },
  )
  .map((house, at) => ({ ...house, key: `house-${at}` }));

const PHOTO = { id: 'p', thumbnailUrl: null, width: 1, height: 1, category: null, order: 0 };
const OPEN = { id: 'o', startsAt: '2030-01-05T12:00:00Z', endsAt: null, type: null, status: null };

const ids = await writtenIds(
  ...houses.map(({ key, address, text, spellings: [spelling = ''] }) =>
    draft(key, {
      address,
      description: text,
      display: { listing: true, address: false, estimate: true },
      listingUrl: `https://a.example/${encodeURIComponent(spelling)}`,
      virtualTourUrl: `https://b.example/${encodeURIComponent(spelling)}`,
      photos: [
        { ...PHOTO, url: 'https://c.example/1.jpg', caption: `Front of ${spelling}` },
        { ...PHOTO, id: 'q', url: `https://c.example/${encodeURIComponent(spelling)}.jpg`, caption: null },
      ],
      openHouses: [
        {
          ...OPEN,
          remarks: `Meet at ${spelling}`,
          appointmentRequired: null,
          livestreamUrl: `https://d.example/${encodeURIComponent(spelling)}`,
        },
      ],
      reso: {
        PublicRemarks: text,
        PrivateRemarks: `Key at ${spelling}`,
        Directions: `North to ${spelling}`,
        Media: [
          { MediaURL: `https://c.example/${encodeURIComponent(spelling)}.jpg`, LongDescription: spelling },
        ],
      },
    }),
  ),
);

/** What a reader of one listing is told, by every way there is. */
async function tellings(id: string): Promise<string[]> {
  const text = async (path: string, accept = 'application/json') => {
    const answer = await service.get(path, keys.business, { accept });
    assert.equal(answer.status, 200, path);
    return answer.text();
  };
  return Promise.all([
    text(`/v1/search/sales?ids=${id}&include=history,property,reso`),
    text(`/v1/search/sales?ids=${id}&format=ndjson&limit=5`),
    text(`/v1/search/sales?ids=${id}&format=csv&limit=5`),
    text(`/v1/search/sales?ids=${id}&format=geojson`),
    text(`/v1/property/${id}?include=listings,history,photos,reso&freshness=cached`),
    text(`/v1/property/${id}/listings`),
    text(`/v1/property/${id}/history`),
    text(`/v1/listing/${id}`, 'text/event-stream'),
  ]);
}

test('no answer in any form tells the street of a house whose address is withheld', async () => {
  for (const [at, { name }] of houses.entries()) {
    const id = ids[at] ?? '';
    for (const told of await tellings(id)) {
      assert.ok(told.includes(id), 'the listing is told of');
      // Ids of requests are any letters.
      assert.doesNotMatch(told.replaceAll(/\breq_\w+/g, ''), name);
    }
  }
});

test('what is no address stays, and Internal may see all of it', async () => {
  for (const [at, { rest, text }] of houses.entries()) {
    const [shown] = await listings(`ids=${ids[at]}`);
    for (const part of rest)
      assert.ok(shown?.description?.includes(part), `${part} in ${shown?.description}`);
    assert.equal((await listings(`ids=${ids[at]}&display=ignore`))[0]?.description, text);
  }
});

test('no spelling of a withheld address finds its listing', async () => {
  let asked = 0;
  for (const [at, { spellings, address }] of houses.entries()) {
    const line = address.full?.split(',')[0] ?? `${address.streetNumber} ${address.streetName}`;
    for (const spelling of [line, ...spellings]) {
      const query = new URLSearchParams({ q: spelling, limit: '100' });
      const found = await listings(`${query}`);
      assert.ok(!found.some(({ id }) => id === ids[at]), `${spelling} finds the house at ${line}`);
      asked++;
    }
  }
  assert.ok(asked > 80, `${asked} questions were asked`);
});

async function listings(query: string): Promise<readonly Listing[]> {
  const { data } = (await service.json(`/v1/search/sales?${query}`, keys.internal)) as { data: Listing[] };
  return data;
}
