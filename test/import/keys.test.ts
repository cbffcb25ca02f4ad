// Tests of keys in JSON: numbers of 64 bits are keys with all their digits.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Database } from '../../src/postgres/client/database.ts';
import { importFile } from '../support/catalogue/imports.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';

const folder = await temporaryFolder({ after }, 'keys');

const KEYS = ['1152921504606846977', '1152921504606846978', '1152921504606846979'];
const records = KEYS.map((key, at) => `{"id":${key},"price":${at === 2 ? '"WRONG"' : at + 1}}`);

const FILES: Readonly<Record<string, string>> = {
  'large.ndjson': records.join('\n'),
  'large.json': `[${records.join(',')}]`,
  'large.geojson': `{"type":"FeatureCollection","features":[${records
    .map((each) => `{"type":"Feature","geometry":null,"properties":${each}}`)
    .join(',')}]}`,
};

for (const [name, content] of Object.entries(FILES))
  test(`keys beyond 2^53 in ${name} are one listing each, and rejected rows keep their digits`, async (t) => {
    const { database } = await testDatabase(t);
    const { created, rejected, rejectedFile } = await importFile(database, folder, { name, content });
    assert.deepEqual([created, rejected], [2, 1]);
    const stored = await database.read((sql) => sql`select listing_key from listing order by 1`);
    assert.deepEqual(
      stored.map(({ listing_key: key }) => key),
      KEYS.slice(0, 2),
    );
    const text = await readFile(rejectedFile ?? '', 'utf8');
    assert.ok(text.includes(KEYS[2] ?? ''), text);
    const mended = text.replaceAll('"WRONG"', '3').replaceAll('\\"WRONG\\"', '');
    await importFile(database, folder, { name: `mended-${name}`, content: mended });
    const [last] = await database.read((sql) => sql`select max(listing_key) as key from listing`);
    assert.equal(last?.key, KEYS[2]);
  });

test('keys that are safe integers keep their text, however JSON writes them', async (t) => {
  const { database } = await testDatabase(t);
  const content =
    '{"id":9007199254740991,"price":1}\n{"id":42,"price":1}\n{"id":1e3,"price":1}\n{"id":7.0,"price":1}';
  await importFile(database, folder, { name: 'safe.ndjson', content });
  const stored = await database.read(
    (sql) => sql`select listing_key from listing order by length(listing_key)`,
  );
  assert.deepEqual(
    stored.map(({ listing_key: key }) => key),
    ['7', '42', '1000', '9007199254740991'],
  );
});

const MIGRATION = join(import.meta.dirname, '../../src/postgres/migrations/026_rounded_keys.sql');

/** The database as the release before left it: what its sources wrote, and the migration that follows. */
async function upgraded(
  database: Database,
  stored: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  for (const [id, keys] of Object.entries(stored)) {
    const content = `id,price\n${keys.map((key) => `${key},5`).join('\n')}\n`;
    await importFile(database, folder, { name: `${id}.csv`, content, map: { source: { id, name: id } } });
  }
  await database.transaction(async (tx) => {
    await tx`drop table rounded_listing`;
    await tx.unsafe(await readFile(MIGRATION, 'utf8'));
  });
}

const statuses = async (database: Database): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await database.read((sql) => sql`select source || ' ' || listing_key as key, status from listing`)).map(
      ({ key, status }) => [key, status],
    ),
  );

test('the listing that several keys were rounded to ends as DELETED with its history, once they are read whole', async (t) => {
  const { database } = await testDatabase(t);
  await upgraded(database, { small: ['1152921504606847000', '17'], other: ['1152921504606847000'] });
  const content = KEYS.map((key) => `{"id":${key},"price":5}`).join('\n');
  await importFile(database, folder, { name: 'whole.ndjson', content });
  assert.deepEqual(await statuses(database), {
    'other 1152921504606847000': 'ACTIVE',
    'small 1152921504606847000': 'DELETED',
    'small 17': 'ACTIVE',
    ...Object.fromEntries(KEYS.map((key) => [`small ${key}`, 'ACTIVE'])),
  });
  const events = await database.read(
    (sql) => sql`
      select event from listing_event join listing on listing.id = listing_id
      where source = 'small' and listing_key = '1152921504606847000' order by sequence`,
  );
  assert.deepEqual(
    events.map(({ event }) => event),
    ['LISTED', 'DELISTED'],
  );
});

test('a listing whose own key looks rounded stays, and so do keys that were texts', async (t) => {
  const { database } = await testDatabase(t);
  const texts = ['1152921504606847000', '1152921504606846977'];
  await upgraded(database, { small: ['1152921504606847000'], texts });
  const content = `{"id":${KEYS[0]},"price":5}\n{"id":1152921504606847000,"price":5}\n`;
  await importFile(database, folder, { name: 'own.ndjson', content });
  await importFile(database, folder, {
    name: 'texts.ndjson',
    content: `{"id":"${KEYS[1]}","price":5}\n`,
    map: { source: { id: 'texts', name: 'texts' } },
  });
  // In a later file the key that looks rounded is a listing of its own too.
  await importFile(database, folder, { name: 'later.ndjson', content: `{"id":${KEYS[2]},"price":5}\n` });
  assert.deepEqual(new Set(Object.values(await statuses(database))), new Set(['ACTIVE']));
});
