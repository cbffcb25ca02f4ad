// Proof that whoever writes a request as other APIs have it learns how it is written here, in whole sentences.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { writeAreaBatch } from '../../src/ingest/area-writer.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { problemOf } from '../support/service/http-server.ts';
import { memoryLog } from '../support/service/memory-log.ts';
import { startService } from '../support/service/service.ts';

const memory = memoryLog();
const service = await startService({ after }, { log: memory.log });
const { keys } = service;
const beds = [0, 1, 2, 3, 4, 5];
await service.database.transaction((tx) =>
  createCatalogue(service.database).write(
    tx,
    'test',
    beds.map((bedrooms) => draft(`listing-${bedrooms}`, { bedrooms })),
    service.clock.now(),
  ),
);

const SENTENCE = /^[A-Z][^\n]*[.?]$/;

async function refusal(path: string, status = 400) {
  const answer = await service.get(path, keys.internal);
  assert.equal(answer.status, status, path);
  const problem = await problemOf(answer);
  assert.match(problem.detail, SENTENCE);
  return problem;
}

/** Query -> what is suggested for it. */
const MEANT: Readonly<Record<string, string>> = {
  'status=Sold': 'CLOSED',
  'status=under%20contract': 'PENDING',
  'propertyType=House': 'SINGLE_FAMILY',
  'type=condominium': 'CONDO',
  'propertyType=CONDOO': 'CONDO',
  'page=2': 'cursor',
  'offset=20': 'cursor',
  'baths=2': 'bathrooms',
  'sort=price_desc': '-price',
  'sort=price:asc': 'price',
  'sort=-prise': '-price',
  'sort=listedAt%20DESC': '-listedAt',
  'minPrise=1': 'minPrice',
};

test('words and names that others use lead to ours', async () => {
  for (const [query, meant] of Object.entries(MEANT)) {
    const { detail, errors } = await refusal(`/v1/search/sales?${query}`);
    assert.equal(errors?.[0]?.suggestion, meant, query);
    assert.ok(detail.includes(` Did you mean ${meant}?`), detail);
  }
  for (const path of ['/v1/areas?offset=2', '/v1/market/stats?listingType=sale&page=2'])
    assert.equal((await refusal(path)).errors?.[0]?.suggestion, 'cursor');
});

test('the same goes for a member of a body', async () => {
  const bodies = [
    [{ propertyType: ['House'] }, 'SINGLE_FAMILY'],
    [{ page: 2 }, 'cursor'],
  ] as const;
  for (const [body, meant] of bodies) {
    const answer = await fetch(`${service.url}/v1/search/sales`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.internal}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { detail, errors } = await problemOf(answer);
    assert.equal(errors?.[0]?.suggestion, meant);
    assert.match(detail, /^The member .*\?$/);
  }
});

test('a key that comes in another header, in an address or in a body is refused with the place where it belongs, and logged nowhere', async () => {
  for (const path of ['/v1/search/sales', '/v1/usage'])
    for (const name of ['X-Api-Key', 'Api-Key', 'apikey', 'X-Auth-Token']) {
      const answer = await service.get(path, undefined, { [name]: keys.pro });
      assert.equal(answer.status, 401);
      const { code, detail } = await problemOf(answer);
      assert.equal(code, 'MISSING_API_KEY');
      assert.match(detail, SENTENCE);
      assert.match(detail, new RegExp(`The header ${name} is not supported.*Authorization: Bearer`, 'i'));
    }
  const inAddress = await service.get(`/v1/search/sales?api_key=${keys.pro}`);
  assert.match((await problemOf(inAddress)).detail, /Authorization: Bearer/);
  const both = await service.get('/v1/usage', keys.pro, { 'x-api-key': keys.pro });
  assert.equal(both.status, 200, 'what is sent besides a credential is not looked at');
  assert.ok(memory.text().length > 0 && !memory.text().includes(keys.pro.slice(8)));
});

test('an address that nothing is at leads to the nearest that something is at', async () => {
  const paths = {
    '/v1/serch/sales': '/v1/search/sales',
    '/search/rentals': '/v1/search/rentals',
    '/v1/propertys/prp_1': '/v1/property/prp_1',
    '/v1/areas/x/boundry': '/v1/areas/x/boundary',
    '/.well-known/oauth-authorisation-server': '/.well-known/oauth-authorization-server',
  };
  for (const [path, meant] of Object.entries(paths))
    assert.ok((await refusal(path, 404)).detail.endsWith(` Did you mean ${meant}?`), path);
  const { detail } = await refusal('/nothing-like-any-address', 404);
  assert.equal(detail, 'There is nothing at this URL; /openapi.json lists all endpoints.');
  const secret = await refusal(`/v1/propertys/${keys.pro}`, 404);
  assert.ok(!secret.detail.includes(keys.pro));
});

test('bedrooms takes a range as bathrooms does, and numbers as before', async () => {
  const found = async (query: string) => {
    const { data } = (await service.json(`/v1/search/sales?${query}&sort=bedrooms`, keys.internal)) as {
      data: { bedrooms: number }[];
    };
    return data.map(({ bedrooms }) => bedrooms);
  };
  assert.deepEqual(await found('bedrooms=2:4'), [2, 3, 4]);
  assert.deepEqual(await found('beds=4:'), [4, 5]);
  assert.deepEqual(await found('bedrooms=*:1'), [0, 1]);
  assert.deepEqual(await found('bedrooms=0,3'), [0, 3]);
  await refusal('/v1/search/sales?bedrooms=2:4,5');
  await refusal('/v1/search/sales?bedrooms=2:4&minBedrooms=1');
  await refusal('/v1/search/sales?bedrooms=two');
});

test('whatever is wrong with a search is explained in a sentence', async () => {
  const queries = [
    'limit=0',
    'limit=a',
    'minPrice=5&maxPrice=1',
    'polygon=1,1',
    'bbox=1,2,3',
    'bbox=0,99,1,99',
    'q=',
    'lat=1',
    'radius=5parsec&lat=1&lng=1',
    'cursor=abc',
    'fields=nothing',
    'stats=nothing',

    'areaId=none',
    'sort=price,price',
    'sort=distance',
    'featuresOperator=OR',
    'units=stone',
    'a=1&b=2&c=3',
    'limit=1&limit=2',
    'facets=nothing',
    'listedSince=yesterday',
    'zoom=3',
    'cluster=true',
    'city=%FF',
  ];
  for (const query of queries) await refusal(`/v1/search/sales?${query}`);
  const others = [
    '/v1/market/stats',
    '/v1/market/stats?listingType=sale&metrics=none',
    '/v1/areas?suggest=true',
  ];
  for (const path of others) await refusal(path);
});

const CITY = { aliases: [], codes: {}, parentReference: null, population: null, boundary: null };
/** Written when they are first needed: between tests the runner takes what is awaited for the end of the file, and stops the service. */
const writeTowns = async (): Promise<void> => {
  await writeAreaBatch(service.database, 'test', [
    { ...CITY, type: 'city', externalId: 'austin', name: 'Austin' },
    { ...CITY, type: 'city', externalId: 'lake', name: 'Lake Travis' },
  ]);
  await service.database.transaction((tx) =>
    createCatalogue(service.database).write(
      tx,
      'test',
      [
        ...['Houston', 'Austin', 'Boston', 'Hoston'].map((city) =>
          draft(`in-${city}`, {
            address: { ...NO_ADDRESS, city, postalCode: '78701' },
            ...(city === 'Hoston' && { display: { listing: false, address: true, estimate: true } }),
          }),
        ),
        draft('rental', { listingType: 'rental', address: { ...NO_ADDRESS, city: 'Bostan' } }),
      ],
      service.clock.now(),
    ),
  );
};
let towns: Promise<void> | null = null;

interface Suggesting {
  readonly data?: readonly unknown[];
  readonly page: { readonly hasMore: boolean };
  readonly meta: {
    readonly suggestions:
      | readonly { readonly parameter: string; readonly value: string; readonly suggestions: string[] }[]
      | null;
  };
}
const suggestionsFor = async (query: string): Promise<Suggesting['meta']['suggestions']> => {
  towns ??= writeTowns();
  await towns;
  return ((await service.json(`/v1/search/${query}`, keys.internal)) as Suggesting).meta.suggestions;
};

test('an empty page tells the cities and postal codes that no listing and no area has, with the nearest names', async () => {
  const misspelt = [{ parameter: 'city', value: 'Austen', suggestions: ['Austin'] }];
  assert.deepEqual(await suggestionsFor('sales?city=Austen'), misspelt);
  assert.deepEqual(await suggestionsFor('rentals?city=Austen'), misspelt, 'only an area has the name there');
  assert.deepEqual(await suggestionsFor('sales?city=Austen&format=geojson'), misspelt);
  assert.deepEqual(
    await suggestionsFor('sales?city=Austen&cluster=true&zoom=5&bbox=-99,30,-97,31'),
    misspelt,
  );
  assert.deepEqual(await suggestionsFor('sales?city=laketravis&zip=78702'), [
    { parameter: 'city', value: 'laketravis', suggestions: ['Lake Travis'] },
    { parameter: 'postalCode', value: '78702', suggestions: ['78701'] },
  ]);
  assert.deepEqual(await suggestionsFor('sales?city=Xanadu'), [
    { parameter: 'city', value: 'Xanadu', suggestions: [] },
  ]);
  const answer = await fetch(`${service.url}/v1/search/sales`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.internal}`, 'content-type': 'application/json' },
    body: JSON.stringify({ city: ['Austen'] }),
  });
  const body = (await answer.json()) as Suggesting;
  assert.deepEqual([answer.status, body.data, body.meta.suggestions], [200, [], misspelt]);
});

test('a suggested city is one that the caller may find, of the requested type', async () => {
  assert.deepEqual(await suggestionsFor('sales?city=Bostn'), [
    { parameter: 'city', value: 'Bostn', suggestions: ['Boston'] },
  ]);
  assert.deepEqual(await suggestionsFor('rentals?city=Bostn'), [
    { parameter: 'city', value: 'Bostn', suggestions: ['Bostan'] },
  ]);
  const withheld = [{ parameter: 'city', value: 'Hoston', suggestions: ['Houston'] }];
  assert.deepEqual(await suggestionsFor('sales?city=Hoston'), withheld, 'no listing that is shown has it');
});

test('a misspelt name beside one that finds something is told too', async () => {
  assert.deepEqual(await suggestionsFor('sales?city=Houston,Austen'), [
    { parameter: 'city', value: 'Austen', suggestions: ['Austin'] },
  ]);
});

test('a page that is empty for another reason, or is not empty, suggests nothing', async () => {
  for (const query of [
    'city=Houston',
    'city=Houston,Boston',
    'city=Houston&minPrice=1',
    'city=LAKE%20travis',
    'minPrice=1',
    'postalCode=78701&minPrice=1',
    'city=Boston&status=CLOSED',
  ])
    assert.equal(await suggestionsFor(`sales?${query}`), null, query);
  assert.equal(await suggestionsFor('rentals?city=Houston'), null, 'a sale has it');
});
