// Proves that an import tells how far its rows are, and not how far ahead of them the file has been read.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { dryRunImport } from '../../src/import/dry-run.ts';
import type { ImportProgress } from '../../src/import/mapped-file.ts';
import { readMap } from '../../src/import/mapping/map.ts';
import { runImport } from '../../src/import/run.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';

const ROWS = 3_000;
const folder = await temporaryFolder({ after }, 'progress');

const map = {
  kind: 'listings',
  source: { id: 'progress', name: 'Progress' },
  fields: {
    listingKey: { column: 'id' },
    listingType: { constant: 'sale' },
    status: { constant: 'ACTIVE' },
    propertyType: { constant: 'CONDO' },
    currency: { constant: 'USD' },
    listPrice: { column: 'price' },
  },
};

for (const [name, pack] of [
  ['plain', (text: string) => Buffer.from(text)],
  ['gzipped', gzipSync],
] as const) {
  test(`the reported part of a ${name} file follows its rows`, async (t) => {
    const { database } = await testDatabase(t);
    const mapFile = join(folder, 'map.json');
    const file = join(folder, `${name}.csv`);
    await writeFile(mapFile, JSON.stringify(map));
    const rows = Array.from({ length: ROWS }, (_, at) => `k${at},${100_000 + at},${'x'.repeat(400)}`);
    await writeFile(file, pack(`id,price,filler\n${rows.join('\n')}\n`));
    const reports: ImportProgress[] = [];
    const onProgress = (progress: ImportProgress) => void reports.push(progress);
    const rejectedFile = join(folder, `${name}.rejected.csv`);
    await runImport(database, {
      file,
      map: await readMap(mapFile, 'listings'),
      mapFile,
      rejectedFile,
      onProgress,
    });
    assert.equal(reports.length, ROWS / 1_000);
    for (const { rows: done, part } of reports) {
      const ahead = part - done / ROWS;
      assert.ok(ahead > -0.02 && ahead < 0.15, `${done} rows of ${ROWS}, reported as ${part}`);
    }
    assert.ok((reports.at(-1)?.part ?? 0) > 0.98);
  });
}

test('a dry run reports how far it is, as an import does', async () => {
  const file = join(folder, 'rehearsed.csv');
  const mapFile = join(folder, 'rehearsed.json');
  await writeFile(mapFile, JSON.stringify(map));
  const rows = Array.from({ length: ROWS }, (_, at) => `k${at},${at % 2 ? at : 'none'},${'x'.repeat(400)}`);
  await writeFile(file, `id,price,filler\n${rows.join('\n')}\n`);
  const reports: ImportProgress[] = [];
  const onProgress = (progress: ImportProgress) => void reports.push(progress);
  await dryRunImport({ file, map: await readMap(mapFile, 'listings'), mapFile, onProgress });
  assert.equal(reports.at(-1)?.rows, ROWS);
  for (const { rows: done, rejected, part } of reports) {
    assert.equal(rejected, done / 2);
    assert.ok(Math.abs(part - done / ROWS) < 0.15, `${done} rows of ${ROWS}, reported as ${part}`);
  }
});
