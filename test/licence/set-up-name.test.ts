// Proves that a source whose records do not name it is named as it was set up, not by its id.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { listingId } from '../../src/ingest/identity.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { OWN } from '../../src/licence/terms/terms.ts';
import { applySourcesFile } from '../../src/sources/registry/set-up.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';
import { startService } from '../support/service/service.ts';

const at = { after };
const stored = await testDatabase(at);
const { database } = stored;
const folder = await temporaryFolder(at, 'named');
const file = join(folder, 'sources.json');
await writeFile(join(folder, 'token.txt'), 'a-token\n');
const secret = { bearerToken: { file: 'token.txt' } };
const licence = {
  channels: OWN.channels,
  attribution: 'Offered by {brokerage} through {source}',
  disclaimer: '© {source}.',
};
const sources = [
  { id: 'tejo', name: 'Casas do Tejo', url: 'http://127.0.0.1:1/odata', secrets: secret, licence },
  {
    id: 'plain',
    name: 'Plain Board',
    url: 'http://127.0.0.1:1/odata',
    secrets: secret,
    licence: { channels: OWN.channels },
  },
];
await writeFile(file, JSON.stringify({ sources }));
await applySourcesFile(database, { file, variables: {}, setBy: 'file' });
const office = { id: null, name: 'Elm Homes', phone: null, email: null };
for (const { id } of sources)
  await database.transaction((tx) =>
    createCatalogue(database).write(tx, id, [draft('1', { listPrice: 100_000, office })], Date.now()),
  );
const service = await startService(at, { createDatabase: async () => stored });

interface Credited {
  readonly attribution: string;
}

test('the line and the disclaimer of a listing name it, also in the log of changes', async () => {
  const line = 'Offered by Elm Homes through Casas do Tejo. © Casas do Tejo.';
  const { data }: { data: Credited[] } = await service.json(
    '/v1/search/sales?sort=-listedAt',
    service.keys.pro,
  );
  assert.deepEqual(data.map(({ attribution }) => attribution).sort(), ['Elm Homes', line]);
  const changes: { data: { listing: Credited }[] } = await service.json(
    '/v1/changes?after=0&limit=10',
    service.keys.internal,
  );
  assert.ok(changes.data.some(({ listing }) => listing.attribution === line));
});

for (const { id, name } of sources)
  test(`the page of a home names ${name}`, async () => {
    const answer = await service.get(`/explore/listing/${listingId(id, '1')}`);
    const page = await answer.text();
    assert.equal(answer.status, 200, page);
    assert.match(page, new RegExp(`<dt>Source</dt><dd>${name}</dd>`));
    assert.match(page, new RegExp(`Listings: ${name}`));
    assert.doesNotMatch(page, new RegExp(`Listings: ${id}`));
  });
