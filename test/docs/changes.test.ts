// Proves that whoever follows docs/changes.md ends with a copy of all listings, and goes on from there.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSource } from '../support/code/source-files.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { follow, shellBlocks, writeKeys } from '../support/process/shell-blocks.ts';
import { startService } from '../support/service/service.ts';

const PAGE = readSource('docs/changes.md').text;

test('whoever follows docs/changes.md copies every listing, and then reads only what is new', async (t) => {
  const service = await startService(t, { source: 'sample' });
  const folder = await temporaryFolder(t, 'changes');
  await writeKeys(folder, service.keys);
  const [count = '', after = '', page = ''] = await follow(shellBlocks(PAGE), folder, service.url);
  const lines = (await readFile(join(folder, 'changes.ndjson'), 'utf8')).trim().split('\n');
  const changes = lines.map((line) => JSON.parse(line) as { sequence: number; listingId: string });
  assert.equal(Number(count), changes.length);
  const [row] = await service.database.read(
    (sql) => sql`select count(*)::int as listings from listing where displayed and status <> 'INCOMPLETE'`,
  );
  assert.equal(new Set(changes.map(({ listingId }) => listingId)).size, row?.listings);
  assert.equal(Number(after), changes.at(-1)?.sequence);
  const next = JSON.parse(page) as { data: unknown[]; page: { nextCursor: string; hasMore: boolean } };
  assert.deepEqual([next.data, next.page.hasMore], [[], false]);
  // The last that was loaded may be a listing that is shown to nobody: the cursor passes it all the same.
  assert.ok(Number(next.page.nextCursor) >= Number(after));
});

test('the page names every member of a change, and no other', () => {
  const { components } = JSON.parse(readSource('openapi.json').text) as {
    components: { schemas: { Change: { properties: object } } };
  };
  const [, table = ''] = PAGE.split('## What a change says');
  const [rows = ''] = table.split('\nStore each');
  const named = rows.split('\n').flatMap((line) => {
    const [, cell = ''] = /^\|([^|]*)\|/.exec(line) ?? [];
    return [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  });
  const members = Object.keys(components.schemas.Change.properties).filter((name) => name !== 'object');
  assert.deepEqual(named.toSorted(), members.toSorted());
});
