// Owns the proof of the memory: reads come from it, and a change by anyone ends what it holds.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCatalogue } from '../../src/ingest/catalogue.ts';
import { createMemory, PropertyCache } from '../../src/listings/read-cache.ts';
import type { StoredProperty } from '../../src/listings/stored-listing.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { until } from '../support/check/until.ts';
import { atEnd, testDatabase } from '../support/database/database.ts';

const { database } = await testDatabase({ after });

const property = (id: string, ...listings: string[]): StoredProperty =>
  ({ id, listings: listings.map((listing) => ({ id: listing })), history: [] }) as unknown as StoredProperty;

function counted(answers: Record<string, StoredProperty>) {
  const asked: string[] = [];
  let now = 0;
  const cache = new PropertyCache(
    async (id) => {
      asked.push(id);
      return answers[id] ?? null;
    },
    () => now,
  );
  return { cache, asked, pass: (milliseconds: number) => (now += milliseconds) };
}

test('a property is read once, by whatever id it is asked for, until it is told to have changed', async () => {
  const home = property('p', 'a', 'b');
  const { cache, asked } = counted({ p: home, a: home, b: home });
  cache.joined();
  for (const id of ['a', 'b', 'p', 'a']) assert.equal(await cache.get(id), home);
  assert.deepEqual(asked, ['a']);
  cache.changed('other,p');
  assert.equal(await cache.get('b'), home);
  cache.changed('*');
  await cache.get('b');
  assert.deepEqual(asked, ['a', 'b', 'b']);
});

test('nothing is remembered while nobody tells of changes, nor longer than five seconds', async () => {
  const home = property('p');
  const { cache, asked, pass } = counted({ p: home });
  await cache.get('p');
  await cache.get('p');
  assert.equal(asked.length, 2);
  cache.joined();
  await cache.get('p');
  pass(5_001);
  await cache.get('p');
  assert.equal(asked.length, 4);
  cache.lost();
  await cache.get('p');
  await cache.get('p');
  assert.equal(asked.length, 6);
});

test('what was read before a change is neither remembered nor handed to who comes after it', async () => {
  const gate = Promise.withResolvers<StoredProperty>();
  const [old, fresh] = [property('p'), property('p')];
  let reads = 0;
  const cache = new PropertyCache(
    () => (reads++ === 0 ? gate.promise : Promise.resolve(fresh)),
    () => 0,
  );
  cache.joined();
  const early = cache.get('p');
  cache.changed('p');
  assert.equal(await cache.get('p'), fresh);
  gate.resolve(old);
  assert.equal(await early, old);
  assert.equal(await cache.get('p'), fresh);
  assert.equal(reads, 2);
});

test('a listing that has moved to another property is found there', async () => {
  const [before, now] = [property('p', 'a'), property('q', 'a')];
  const answers: Record<string, StoredProperty> = { a: before, p: before };
  const { cache } = counted(answers);
  cache.joined();
  await cache.get('a');
  answers.a = now;
  answers.p = property('p');
  cache.changed('p,q');
  await cache.get('p');
  assert.equal(await cache.get('a'), now);
});

test('a write by any process ends what memory holds of that property', async () => {
  const catalogue = createCatalogue(database);
  const memory = createMemory(catalogue, database, () => {});
  atEnd({ after }, () => memory.close());
  const write = (price: number) =>
    database.transaction((tx) =>
      catalogue.apply(tx, 'test', [draft('home', { listPrice: price })], Date.now()),
    );
  const id = (await write(1)).ids.get('home') ?? '';
  const price = async () => (await memory.listing(id))?.record.price;
  assert.equal(await price(), 1);
  await write(2);
  await until(
    'the new price is seen, sooner than memory forgets by itself',
    async () => (await price()) === 2,
    4_000,
  );
});
