// Which homes the front page shows: of the sample and of whole imports, never of a feed, and as anybody may see them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listFrontHomes } from '../../src/app/front/homes.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import type { Database } from '../../src/postgres/client/database.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { testDatabase } from '../support/database/database.ts';

const NOW = Date.UTC(2026, 2, 1, 12);
const PUBLIC_URL = 'https://api.example';

function home(
  key: string,
  facts: Partial<ListingDraft> = {},
  picture = `https://pictures.example/${key}.jpg`,
) {
  const photo = { id: key, url: picture, thumbnailUrl: null, width: null, height: null };
  return draft(key, {
    listPrice: 500_000,
    listedAt: '2026-02-01T00:00:00Z',
    address: { ...NO_ADDRESS, streetNumber: '12', streetName: `${key} Street`, city: 'Austin', state: 'TX' },
    photos: [{ ...photo, caption: null, category: null, order: 0 }],
    ...facts,
  });
}

async function write(database: Database, source: string, drafts: readonly ListingDraft[]): Promise<void> {
  await database.transaction((tx) => createCatalogue(database).write(tx, source, drafts, NOW));
}

/** An import of listings; `isWhole`: one has been brought in to its end. */
async function recordImport(database: Database, source: string, isWhole: boolean): Promise<void> {
  await database.write(
    (sql) => sql`
      insert into import_run (kind, source, file_digest, map_digest, rows, created, changed, unchanged, rejected,
        rejected_file, rejected_bytes, started_at, updated_at, loaded_at)
      values ('listings', ${source}, sha256('a'), sha256('b'), 1, 1, 0, 0, 0, 'x', 0, now(), now(),
        case when ${isWhole} then now() end)`,
  );
}

const shown = async (database: Database, hasSample = false) =>
  (await listFrontHomes({ database, publicUrl: PUBLIC_URL, hasSample, now: NOW })).map(
    ({ address }) => /12 (\S+) Street/.exec(address)?.[1],
  );

test('homes of whole imports are shown, none of a feed, of an import under way, nor of a sample that is not served', async (t) => {
  const { database } = await testDatabase(t);
  assert.deepEqual(await shown(database), [], 'an empty store');
  for (const source of ['reso', 'feed', 'half', 'none', 'sample'])
    await write(database, source, [home(source)]);
  await recordImport(database, 'half', false);
  // Imported into once, but replicated as well.
  await recordImport(database, 'feed', true);
  await recordImport(database, 'reso', true);
  await database.write(
    (sql) => sql`
      insert into source_position (source, position, version, loaded, updated_at) values ('feed', '{}', 1, 1, now())`,
  );
  assert.deepEqual(await shown(database), []);
  assert.deepEqual(await shown(database, true), ['sample']);
  await write(database, 'files', [home('files')]);
  await recordImport(database, 'files', true);
  assert.deepEqual(await shown(database), ['files']);
});

test('six homes are shown, up to two of them to rent, none without price, address or a picture that is safe to load', async (t) => {
  const { database } = await testDatabase(t);
  await recordImport(database, 'files', true);
  const rental = { listingType: 'rental', priceFrequency: 'MONTHLY', listPrice: 2_000 } as const;
  await write(database, 'files', [
    ...Array.from({ length: 9 }, (_, at) => home(`sale${at}`)),
    ...Array.from({ length: 3 }, (_, at) => home(`rental${at}`, rental)),
    home('hidden', { display: { listing: false, address: true, estimate: true } }),
    home('closed', { status: 'CLOSED' }),
    home('priceless', { listPrice: null }),
    home('bare', { photos: [] }),
    home('plain', {}, 'http://pictures.example/a.jpg'),
    home('script', {}, 'javascript:alert(1)'),
    home('own', {}, `${PUBLIC_URL}/sample/photos/own/0.svg`),
  ]);
  const names = await shown(database);
  assert.equal(names.length, 6);
  assert.equal(names.filter((name) => name?.startsWith('rental')).length, 2);
  const refused = ['hidden', 'closed', 'priceless', 'bare', 'plain', 'script'];
  assert.ok(names.every((name) => name !== undefined && !refused.includes(name)));
});

test('an address that its source withholds is not on the front page', async (t) => {
  const { database } = await testDatabase(t);
  await recordImport(database, 'files', true);
  await write(database, 'files', [
    home('withheld', { display: { listing: true, address: false, estimate: true } }),
  ]);
  const homes = await listFrontHomes({ database, publicUrl: PUBLIC_URL, hasSample: false, now: NOW });
  assert.equal(homes.length, 1);
  assert.doesNotMatch(JSON.stringify(homes), /withheld Street|"12 /);
});
