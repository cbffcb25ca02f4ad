// Names of places and other words in searches: however they are written, whole with their commas, and suggested where nobody has them.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { ListingDraft } from '../../src/listings/draft.ts';
import { placeKey, postalKey } from '../../src/text/place-key.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { writer } from '../support/catalogue/property-market.ts';
import { startService } from '../support/service/service.ts';
import { sendWatcher, subscriber } from '../support/watch/watchers.ts';

const service = await startService({ after });
const { subscribe } = subscriber(service);
const write = writer(service);

type Address = Partial<ListingDraft['address']>;
const home = (key: string, address: Address, more: Partial<ListingDraft> = {}) =>
  draft(key, { address: { ...NO_ADDRESS, ...address }, listPrice: 100_000, ...more });
const contact = (id: string): ListingDraft['agent'] => ({ id, name: null, phone: null, email: null });

const ids = await write(
  home('dc', { city: 'Washington, D.C.', postalCode: '20001-1234' }, { agent: contact('Smith, Jane') }),
  home('dc-2', { city: 'WASHINGTON DC', postalCode: '20001' }),
  home('pa', { city: 'Washington', postalCode: '15301' }, { agent: contact('Smith') }),
  home('remy', { city: 'Saint-Rémy', neighborhood: 'Vieux-Port, Nord', postalCode: 'H2X 1Y4' }),
  home('louis', { city: 'St. Louis', county: 'Côte-d’Or' }, { propertySubType: 'Loft, Duplex' }),
  home('duplex', { city: 'Lake Forest' }, { propertySubType: 'Duplex', features: ['pool', 'washer_dryer'] }),
  home('lake', { city: 'Lake' }, { features: ['pool'] }),
  home('forest', { city: 'Forest' }),
  home(
    'rental',
    { city: 'Forest' },
    { listingType: 'rental', priceFrequency: 'MONTHLY', features: ['doorman'] },
  ),
);
const NAMES = new Map([...ids].map(([name, id]) => [id, name]));

interface Answer {
  readonly data: readonly { readonly id: string }[];
  readonly total: { readonly value: number };
  readonly facets: { readonly city: readonly { readonly value: string; readonly count: number }[] };
  readonly meta: {
    readonly suggestions: readonly { parameter: string; value: string; suggestions: string[] }[] | null;
  };
}
const ask = (query: string, type = 'sales'): Promise<Answer> =>
  service.json(`/v1/search/${type}?${query}`, service.keys.internal);
/** On the market, which the engine answers, and of every status, which PostgreSQL does. */
async function found(query: string, names: readonly string[]): Promise<void> {
  for (const scope of ['', '&status=any']) {
    const { data, total } = await ask(`${query}${scope}`);
    const listed = data.map(({ id }) => NAMES.get(id)).sort();
    assert.deepEqual([listed, total.value], [[...names].sort(), names.length], `${query}${scope}`);
  }
}
const post = async (body: object): Promise<readonly (string | undefined)[]> => {
  const answer = await fetch(`${service.url}/v1/search/sales`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${service.keys.internal}`, 'content-type': 'application/json' },
  });
  const { data } = (await answer.json()) as Answer;
  return data.map(({ id }) => NAMES.get(id)).sort();
};
const encoded = encodeURIComponent;

test('a name with a comma is one name where a listing has it, and else several', async () => {
  await found(`city=${encoded('Washington, D.C.')}`, ['dc', 'dc-2']);
  await found(`city=${encoded('washington,d.c.')}`, ['dc', 'dc-2']);
  await found('city=Washington,Forest', ['pa', 'forest']);
  await found(`city=${encoded('Washington, D.C.')}&city=Washington`, ['dc', 'dc-2', 'pa']);
  // Nobody writes Lake Forest with a comma.
  await found('city=Lake,Forest', ['lake', 'forest']);
  await found(`neighborhood=${encoded('vieux port, nord')}`, ['remy']);
  await found(`propertySubType=${encoded('Loft, Duplex')}`, ['louis']);
  await found(`agentId=${encoded('Smith, Jane')}`, ['dc']);
  await found('agentId=Smith,nobody', ['pa']);
  const stats: { scope: { filters: object } } = await service.json(
    `/v1/market/stats?listingType=sale&metrics=inventory&city=${encoded('Washington, D.C.')}`,
    service.keys.internal,
  );
  assert.deepEqual(stats.scope.filters, { city: ['Washington, D.C.'] });
});

test('a quoted name is never split, and an item of a JSON list neither', async () => {
  await found(`city=${encoded('"Washington, D.C.",Forest')}`, ['dc', 'dc-2', 'forest']);
  await found(`city=${encoded('"Lake,Forest"')}`, ['duplex']);
  assert.deepEqual(await post({ city: ['Washington, D.C.', 'Lake'] }), ['dc', 'dc-2', 'lake']);
  assert.deepEqual(await post({ city: ['Washington,Forest'] }), []);
  const open = await service.get(
    `/v1/search/sales?city=${encoded('"Washington, D.C.')}`,
    service.keys.internal,
  );
  assert.match(await open.text(), /quote that does not end/);
  assert.equal(open.status, 400);
});

test('accents, punctuation and case make no difference to a place, nor blanks to a postal code', async () => {
  for (const city of ['Saint-Remy', 'Saint Rémy', 'saint-rémy', 'SAINT REMY'])
    await found(`city=${encoded(city)}`, ['remy']);
  await found('city=St%20Louis', ['louis']);
  await found(`county=${encoded("cote d'or")}`, ['louis']);
  for (const code of ['H2X1Y4', 'h2x 1y4', 'H2X-1Y4']) await found(`postalCode=${encoded(code)}`, ['remy']);
  await found('postalCode=20001', ['dc', 'dc-2']);
  for (const code of ['20001-1234', '200011234']) await found(`postalCode=${code}`, ['dc']);
  await found('postalCode=2000', []);
});

test('a facet shows cities as listings write them, and each value finds as many as it counts', async () => {
  for (const scope of ['', '&status=any']) {
    const { facets } = await ask(`facets=city&limit=1${scope}`);
    const names = facets.city.map(({ value }) => value);
    assert.deepEqual(names.slice(0, 1), ['Washington, D.C.']);
    assert.ok(names.includes('Saint-Rémy') && names.includes('St. Louis'), names.join());
    for (const { value, count } of facets.city)
      assert.equal((await ask(`city=${encoded(value)}&limit=1${scope}`)).total.value, count, value);
  }
});

test('each unknown name of a filter gets the nearest ones of listings of its type', async () => {
  const told = async (query: string, type?: string) => (await ask(query, type)).meta.suggestions;
  assert.deepEqual(await told('features=wahser_dryer'), [
    { parameter: 'features', value: 'wahser_dryer', suggestions: ['washer_dryer'] },
  ]);
  assert.deepEqual(await told('features=pool,wahser_dryer&featuresOperator=OR'), [
    { parameter: 'features', value: 'wahser_dryer', suggestions: ['washer_dryer'] },
  ]);
  assert.deepEqual(await told('propertySubType=Duplx&county=Cote%20dOre'), [
    { parameter: 'county', value: 'Cote dOre', suggestions: ['Côte-d’Or'] },
    { parameter: 'propertySubType', value: 'Duplx', suggestions: ['Duplex'] },
  ]);
  assert.deepEqual(await told('features=dorman'), [
    { parameter: 'features', value: 'dorman', suggestions: [] },
  ]);
  assert.deepEqual(await told('features=dorman', 'rentals'), [
    { parameter: 'features', value: 'dorman', suggestions: ['doorman'] },
  ]);
  for (const query of ['features=pool', 'features=doorman', 'postalCode=20001,15301', 'city=Lake,Forest'])
    assert.equal(await told(query), null, query);
});

test('a watcher says which names nobody has before it is silent for ever, and keeps one name whole', async () => {
  const { key } = await subscribe('pro');
  const create = async (query: object) => {
    const body = { target: { type: 'search', listingType: 'sale', query } };
    return (await sendWatcher(service, 'POST', '', { key, body })).watcher;
  };
  const misspelt = await create({ city: ['Washingtn, D.C.'], features: ['pol'] });
  const { suggestions } = misspelt.interpretation as { suggestions: Answer['meta']['suggestions'] };
  assert.deepEqual(suggestions, [
    { parameter: 'city', value: 'Washingtn, D.C.', suggestions: ['Washington, D.C.', 'Washington'] },
    { parameter: 'features', value: 'pol', suggestions: ['pool'] },
  ]);
  for (const [query, count] of [
    [{ city: ['Washington, D.C.'] }, 2],
    [{ postalCode: ['20001'] }, 2],
    [{ city: ['saint remy'] }, 1],
  ] as const) {
    const watcher = await create(query);
    assert.equal(watcher.initialMatchCount, count, JSON.stringify(query));
    assert.equal((watcher.interpretation as { suggestions: unknown }).suggestions, null);
  }
});

test('PostgreSQL makes the keys of names as the service does', async () => {
  const name = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom(..."aZé' .-,’ßłØ‐—ç・ガ1ﬁ½İ\u0301") }),
  );
  const names = fc
    .sample(name, { seed: 7, numRuns: 2_000 })
    .map((each) => each.trim().toLowerCase())
    .filter((each) => each !== '' && !each.includes('\0') && each.isWellFormed());
  const rows = await service.database.read(
    (sql) => sql<{ place: string; postal: string }[]>`
      select search_key(name, ' ') as place, search_key(name, '') as postal
      from unnest(${names}::text[]) with ordinality as each (name, ordinal) order by ordinal`,
  );
  assert.deepEqual(
    rows.map(({ place, postal }) => [place, postal]),
    names.map((each) => [placeKey(each), postalKey(each)]),
  );
});
