// Proves that the commands of docs/start.md work as they stand.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSource } from '../support/code/source-files.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { follow, shellBlocks, writeKeys } from '../support/process/shell-blocks.ts';
import { startService } from '../support/service/service.ts';

test('whoever follows docs/start.md searches, takes a key, finds an area, reads a property and streams a listing', async (t) => {
  const service = await startService(t, { source: 'sample', sampleListings: 2_000 });
  const folder = await temporaryFolder(t, 'start');
  await writeKeys(folder, service.keys);
  const [searches = '', , usage = '', area = '', property = '', stream = ''] = await follow(
    shellBlocks(readSource('docs/start.md').text),
    folder,
    service.url,
  );
  const [sales = '', rentals = ''] = searches.trim().split(/(?<=\})(?=\{)/);
  for (const answer of [sales, rentals, area]) assert.ok(JSON.parse(answer).data.length > 0);
  assert.equal(JSON.parse(usage).tier, 'pro');
  assert.ok(JSON.parse(property).history.length > 0);
  assert.deepEqual(
    [...stream.matchAll(/^event: (\w+)$/gm)].map(([, event]) => event),
    ['cached', 'live', 'done'],
  );
});
