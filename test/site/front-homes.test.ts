// Which homes the front page shows: of the sample and of whole imports, never of a feed, and as anybody may see them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVERYTHING, type Reach } from '../../src/access/tiers/reach.ts';
import { anonymous } from '../../src/access/tiers/tiers.ts';
import { listFrontHomes } from '../../src/app/front/homes.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { writeTerms } from '../../src/licence/licence-store.ts';
import { Licences } from '../../src/licence/licences.ts';
import { OWN } from '../../src/licence/terms/terms.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import type { Database } from '../../src/postgres/client/database.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';

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

const visitor = (reach: Reach) => ({ ...anonymous(''), reach });

const shown = async (database: Database, reach: Reach = EVERYTHING) =>
  (await listFrontHomes({ database, publicUrl: PUBLIC_URL, visitor: visitor(reach), now: NOW })).map(
    ({ address }) => /12 (\S+) Street/.exec(address)?.[1],
  );

test('homes are shown that the explorer shows to everybody', async (t) => {
  const { database } = await testDatabase(t);
  const licences = new Licences({ database, clock: manualClock(NOW), report: assert.ifError });
  const reach = licences.reachOf('explorer', 'public');
  await licences.refresh();
  assert.deepEqual(await shown(database, reach), [], 'an empty store');
  for (const source of ['feed', 'files']) await write(database, source, [home(source)]);
  const closed = { ...OWN, channels: { ...OWN.channels, explorer: 'subscribers' } } as const;
  await database.transaction((tx) => writeTerms(tx, 'feed', closed, new Date(NOW)));
  await licences.refresh();
  assert.deepEqual(await shown(database, reach), ['files']);
});

test('six homes are shown, up to two of them to rent, none without price, address or a picture that is safe to load', async (t) => {
  const { database } = await testDatabase(t);
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
  await write(database, 'files', [
    home('withheld', { display: { listing: true, address: false, estimate: true } }),
  ]);
  const homes = await listFrontHomes({
    database,
    publicUrl: PUBLIC_URL,
    visitor: visitor(EVERYTHING),
    now: NOW,
  });
  assert.equal(homes.length, 1);
  assert.doesNotMatch(JSON.stringify(homes), /withheld Street|"12 /);
});
