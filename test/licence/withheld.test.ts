// What terms hide and require: in no form and no search, of what is stored before and comes later; and what is forgotten.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { writeTerms } from '../../src/licence/licence-store.ts';
import { OWN, type Terms } from '../../src/licence/terms/terms.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { until } from '../support/check/until.ts';
import { startService } from '../support/service/service.ts';

const at = { after };
const service = await startService(at);
const { database, clock, keys, json, get } = service;
const catalogue = createCatalogue(database);
const contact = { id: null, phone: null, email: null };
const OFFICE = { ...contact, name: 'Elm Homes' };

const home = (key: string, more: Partial<ListingDraft> = {}): ListingDraft =>
  draft(key, {
    listPrice: 100_000,
    bedrooms: 3,
    description: 'A hushed secret garden',
    features: ['sauna'],
    office: OFFICE,
    agent: { ...contact, name: 'Ann Lee' },
    location: { lat: 10, lng: 20, precision: 'exact' },
    reso: { PublicRemarks: 'A hushed secret garden' },
    ...more,
  });
const write = (source: string, drafts: readonly ListingDraft[], removed: readonly string[] = []) =>
  database.transaction((tx) => catalogue.write(tx, source, drafts, clock.now(), removed));
const permit = (source: string, terms: Partial<Terms>) =>
  database.transaction((tx) => writeTerms(tx, source, { ...OWN, ...terms }, new Date(clock.now())));

async function keysAt(path: string): Promise<string[]> {
  const answer = await get(path, keys.internal, { 'cache-control': 'no-cache' });
  const { data = [] } = (await answer.json()) as { data?: { provider: { listingKey: string } }[] };
  return data.map(({ provider }) => provider.listingKey).sort();
}

const HIDDEN = ['description', 'features', 'bedrooms', 'agent', 'closePrice'] as const;
const sold = (key: string): ListingDraft =>
  home(key, { status: 'CLOSED', listPrice: 87_654, closePrice: 87_654, closedAt: '2025-11-03' });

/** Whatever anybody can read of a source's listings. */
async function everything(source: string): Promise<string> {
  const search = `/v1/search/sales?status=any&providerId=${source}`;
  const { data } = (await json(`${search}&include=history,property,reso`, keys.business)) as {
    data: { id: string }[];
  };
  assert.ok(data.length > 0);
  const texts = [JSON.stringify(data)];
  for (const path of [
    `${search}&format=csv`,
    `${search}&facets=features,bedrooms&stats=median_list_price`,
    '/v1/changes/ndjson',
    ...data.flatMap(({ id }) => [
      `/v1/property/${id}?include=listings,history,reso&freshness=cached`,
      `/v1/listing/${id}/record`,
      `/explore/listing/${id}`,
    ]),
  ])
    texts.push(await (await get(path, keys.business)).text());
  return texts.join('\n');
}

const SECRETS = /secret garden|sauna|Ann Lee|87654|87,654|"bedrooms":3/;

test('hidden members of what comes in are in no form, and nothing is found by them', async () => {
  await permit('new', { hiddenFields: HIDDEN });
  await write('new', [home('1'), sold('2')]);
  const found = '/v1/search/sales?status=any&providerId=new';
  await until('they are found', async () => (await keysAt(found)).length === 2);
  assert.doesNotMatch(await everything('new'), SECRETS);
  for (const filter of [
    'q=secret',
    'features=sauna',
    'minBedrooms=1',
    'bedrooms=3',
    'minPrice=87000&maxPrice=88000',
  ])
    assert.deepEqual(await keysAt(`${found}&${filter}`), [], filter);
  const { facets } = (await json(`${found}&facets=features,bedrooms`, keys.business)) as {
    facets: Readonly<Record<string, readonly unknown[]>>;
  };
  assert.deepEqual(Object.values(facets).flat(), []);
});

test('of a source whose terms hide more, nothing is shown until what is stored keeps to it', async () => {
  await write('old', [home('1'), sold('2')]);
  const found = '/v1/search/sales?status=any&providerId=old';
  await until('they are found', async () => (await keysAt(`${found}&features=sauna`)).length === 2);
  assert.match(await everything('old'), SECRETS);
  await permit('old', { hiddenFields: HIDDEN });
  await until('it is closed', async () => (await keysAt(found)).length === 0);
  clock.advance(61_000);
  await until('it is shown again', async () => {
    clock.advance(5_000);
    return (await keysAt(found)).length === 2;
  });
  assert.doesNotMatch(await everything('old'), SECRETS);
  for (const filter of ['q=secret', 'features=sauna', 'minBedrooms=1', 'minPrice=87000&maxPrice=88000'])
    assert.deepEqual(await keysAt(`${found}&${filter}`), [], filter);
  // What the source sends again is withheld as well.
  await write('old', [home('1', { listPrice: 90_000 })]);
  await until('the change is seen', async () => (await keysAt(`${found}&maxPrice=95000`)).length === 1);
  assert.doesNotMatch(await everything('old'), SECRETS);
});

test('a listing that lacks a required text is withheld, also one that is stored', async () => {
  const nameless = home('none', { office: null, agent: null });
  await write('strict', [home('one'), nameless]);
  const found = '/v1/search/sales?providerId=strict';
  await until('both are shown', async () => (await keysAt(found)).length === 2);
  await permit('strict', { required: ['brokerage'] });
  clock.advance(61_000);
  await until('one is shown', async () => {
    clock.advance(5_000);
    return (await keysAt(found)).join() === 'one';
  });
  await write('strict', [home('two'), home('three', { office: { ...OFFICE, name: ' ' } })]);
  await until('of later ones too', async () => (await keysAt(found)).join() === 'one,two');
  await write('strict', [home('none')]);
  await until('it is complete', async () => (await keysAt(found)).join() === 'none,one,two');
});

test('what has left a source is forgotten with its history after as long as the terms say', async () => {
  const stored = () =>
    database.read(async (sql) => {
      const rows = await sql<{ key: string; events: number }[]>`
        select listing_key as key, (select count(*)::int from listing_event where listing_id = listing.id) as events
        from listing where source = 'brief' order by 1`;
      return rows.map(({ key, events }) => `${key} ${events > 0}`).join();
    });
  await permit('brief', { forgetAfter: 86_400 });
  await write('brief', [home('a'), home('b')]);
  await write('brief', [], ['a']);
  assert.equal(await stored(), 'a true,b true');
  clock.advance(80_000_000);
  await write('brief', [home('c')]);
  assert.equal(await stored(), 'a true,b true,c true');
  await until('it is forgotten', async () => {
    clock.advance(3_600_000);
    return (await stored()) === 'b true,c true';
  });
});
