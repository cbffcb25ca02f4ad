// Proves that files as people have them are imported rightly by what an inspection proposes, without touching the map.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { inspectFile } from '../../../src/import/inspect/inspect-file.ts';
import { mapText } from '../../../src/import/inspect/map-text.ts';
import { openMapped } from '../../../src/import/mapped-file.ts';
import { parseMap } from '../../../src/import/mapping/map.ts';
import { surveyFile } from '../../../src/import/survey.ts';
import { listingMapper } from '../../../src/import/target.ts';
import type { ListingDraft } from '../../../src/listings/draft.ts';
import { openImports } from '../../support/catalogue/import-service.ts';
import { MESSY_FILES, type MessyFile } from './messy-files.ts';
import { MORE_MESSY_FILES } from './more-messy-files.ts';
import { PACKED_MESSY_FILES } from './packed-messy-files.ts';

const { bench, file } = await openImports({ after });
const FILES = [...MESSY_FILES, ...MORE_MESSY_FILES, ...PACKED_MESSY_FILES];

/** The drafts of a file by their keys, as an import by the proposed map makes them. */
async function draftsOf({ name, content }: MessyFile): Promise<ReadonlyMap<string, ListingDraft>> {
  const path = await file(name, content);
  const { map: written } = await inspectFile({ file: path });
  const map = parseMap('map.json', mapText(written));
  const options = { file: path, map, mapFile: 'map.json' };
  const surveyed = await openMapped(path, map);
  const read = listingMapper(map, await surveyFile(options, surveyed));
  surveyed.close();
  const opened = await openMapped(path, map);
  const drafts = new Map<string, ListingDraft>();
  for await (const record of opened.rows) {
    const mapped = read(record);
    assert.ok('draft' in mapped, `${name}, row ${record.row}: ${JSON.stringify(mapped)}`);
    drafts.set(mapped.key, mapped.draft);
  }
  opened.close();
  return drafts;
}

function valueAt(draft: object, path: string): unknown {
  let value: unknown = draft;
  for (const name of path.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return value ?? null;
}

for (const messy of FILES)
  test(`${messy.name} is read as its owner means it`, async () => {
    const drafts = await draftsOf(messy);
    assert.deepEqual([...drafts.keys()].sort(), Object.keys(messy.expected).sort());
    for (const [key, expected] of Object.entries(messy.expected))
      for (const [path, value] of Object.entries(expected)) {
        const found = valueAt(drafts.get(key) ?? {}, path);
        if (typeof value === 'number' && typeof found === 'number')
          assert.ok(Math.abs(found - value) < 0.0001, `${key} ${path}: ${found} is not ${value}`);
        else assert.deepEqual(found, value, `${key} ${path}`);
      }
  });

test('they are imported by one command each, which keeps the map beside the file for the next time', async (t) => {
  const { database, outcome } = await bench(t);
  for (const { name, content, expected } of FILES.filter((_, at) => at % 4 === 0)) {
    const path = await file(name, content);
    const first = await outcome('listings', path, '--yes');
    assert.deepEqual([first.created, first.rejected], [Object.keys(expected).length, 0], name);
    assert.equal(first.mapFile, `${path}.map.json`);
    const again = await outcome('listings', path);
    assert.deepEqual([again.created, again.unchanged], [0, Object.keys(expected).length], name);
  }
  const [stored] = await database.read(
    (sql) => sql`select record ->> 'price' as price from listing where listing_key = '48749425'`,
  );
  assert.equal(stored?.price, '1250000');
});
