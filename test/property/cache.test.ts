// Proves that the cache of properties answers reads, and that a change by anyone ends what it holds.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { createPropertyCache, PropertyCache } from '../../src/listings/property-cache.ts';
import type { StoredListing, StoredProperty } from '../../src/listings/store.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { until } from '../support/check/until.ts';
import { atEnd, testDatabase } from '../support/database/database.ts';

const { database } = await testDatabase({ after });

const property = (id: string, ...listings: string[]): StoredProperty =>
  ({
    id,
    listings: listings.map((listing) => ({ id: listing, propertyId: id })),
    history: [],
  }) as unknown as StoredProperty;

/** A cache of these properties, with the ids that it asked the database for. */
function counted(answers: Record<string, StoredProperty>) {
  const asked: string[] = [];
  let now = 0;
  const property = async (id: string) => {
    asked.push(id);
    return answers[id] ?? null;
  };
  const listing = async (id: string) => {
    asked.push(`listing ${id}`);
    return answers[id]?.listings.find((each) => each.id === id) ?? null;
  };
  const cache = new PropertyCache({ property, listing }, () => now);
  return { cache, asked, pass: (milliseconds: number) => (now += milliseconds) };
}

test('a property is read once, by whatever id it is asked for, until it is told to have changed', async () => {
  const home = property('p', 'a', 'b');
  const { cache, asked } = counted({ p: home, a: home, b: home });
  cache.connected();
  for (const id of ['a', 'b', 'p', 'a']) assert.equal(await cache.property(id), home);
  assert.deepEqual(asked, ['a']);
  cache.changed('other,p');
  assert.equal(await cache.property('b'), home);
  cache.changed('*');
  await cache.property('b');
  assert.deepEqual(asked, ['a', 'b', 'b']);
});

test('nothing is remembered while nobody tells of changes, nor longer than five seconds', async () => {
  const home = property('p');
  const { cache, asked, pass } = counted({ p: home });
  await cache.property('p');
  await cache.property('p');
  assert.equal(asked.length, 2);
  cache.connected();
  await cache.property('p');
  pass(5_001);
  await cache.property('p');
  assert.equal(asked.length, 4);
  cache.disconnected();
  await cache.property('p');
  await cache.property('p');
  assert.equal(asked.length, 6);
});

test('what was read before a change is neither remembered nor handed to who comes after it', async () => {
  const gate = Promise.withResolvers<StoredProperty>();
  const [old, fresh] = [property('p'), property('p')];
  let reads = 0;
  const cache = new PropertyCache(
    {
      property: () => (reads++ === 0 ? gate.promise : Promise.resolve(fresh)),
      listing: async () => null,
    },
    () => 0,
  );
  cache.connected();
  const early = cache.property('p');
  cache.changed('p');
  assert.equal(await cache.property('p'), fresh);
  gate.resolve(old);
  assert.equal(await early, old);
  assert.equal(await cache.property('p'), fresh);
  assert.equal(reads, 2);
});

test('a listing that has moved to another property is found there', async () => {
  const [before, now] = [property('p', 'a'), property('q', 'a')];
  const answers: Record<string, StoredProperty> = { a: before, p: before };
  const { cache } = counted(answers);
  cache.connected();
  await cache.property('a');
  answers.a = now;
  answers.p = property('p');
  cache.changed('p,q');
  await cache.property('p');
  assert.equal(await cache.property('a'), now);
});

test('a write by any process ends what the cache holds of that property', async () => {
  const catalogue = createCatalogue(database);
  const cache = createPropertyCache(catalogue, database, () => {});
  atEnd({ after }, () => cache.close());
  const write = (price: number) =>
    database.transaction((tx) =>
      catalogue.write(tx, 'test', [draft('home', { listPrice: price })], Date.now()),
    );
  const id = (await write(1)).ids.get('home') ?? '';
  const price = async () => (await cache.listing(id))?.record.price;
  assert.equal(await price(), 1);
  await write(2);
  await until(
    'the new price is seen, sooner than the cache forgets by itself',
    async () => (await price()) === 2,
    4_000,
  );
});

test('a listing is read without the rest of its property, once, until its property is told to have changed', async () => {
  const home = property('p', 'a', 'b');
  const { cache, asked, pass } = counted({ p: home, a: home, b: home });
  cache.connected();
  for (let time = 0; time < 2; time++) assert.equal((await cache.listing('a'))?.id, 'a');
  assert.deepEqual(asked, ['listing a']);
  await cache.listing('b');
  assert.equal(await cache.property('a'), home, 'some listings of a property are not taken for all of it');
  assert.equal((await cache.listing('b'))?.id, 'b');
  assert.deepEqual(asked, ['listing a', 'listing b', 'a']);
  cache.changed('p');
  await cache.listing('b');
  pass(4_000);
  await cache.listing('a');
  pass(1_001);
  await cache.listing('b');
  assert.deepEqual(
    asked.slice(3),
    ['listing b', 'listing a', 'listing b'],
    'none for longer than five seconds',
  );
});

test('a listing that was read before a change is neither cached nor handed to who comes after it', async () => {
  const gate = Promise.withResolvers<StoredListing | null>();
  const [old, fresh] = [property('p', 'a'), property('p', 'a')].map(({ listings }) => listings[0] ?? null);
  assert.ok(old && fresh);
  let reads = 0;
  const cache = new PropertyCache(
    { listing: () => (reads++ === 0 ? gate.promise : Promise.resolve(fresh)), property: async () => null },
    () => 0,
  );
  cache.connected();
  const early = cache.listing('a');
  cache.changed('p');
  assert.equal(await cache.listing('a'), fresh);
  gate.resolve(old);
  assert.equal(await early, old);
  assert.equal(await cache.listing('a'), fresh);
});
