// Proves that an import tells how far its rows are, and not how far ahead of them the file has been read.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type RehearsalProgress, rehearseImport } from '../../src/import/dry-run.ts';
import { readMap } from '../../src/import/mapping/map.ts';
import { type Progress, runImport } from '../../src/import/run.ts';
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
  test(`the part that is told of a ${name} file follows its rows`, async (t) => {
    const { database } = await testDatabase(t);
    const mapFile = join(folder, 'map.json');
    const file = join(folder, `${name}.csv`);
    await writeFile(mapFile, JSON.stringify(map));
    const rows = Array.from({ length: ROWS }, (_, at) => `k${at},${100_000 + at},${'x'.repeat(400)}`);
    await writeFile(file, pack(`id,price,filler\n${rows.join('\n')}\n`));
    const told: Progress[] = [];
    const tell = (progress: Progress) => void told.push(progress);
    const rejectedFile = join(folder, `${name}.rejected.csv`);
    await runImport(database, { file, map: await readMap(mapFile, 'listings'), mapFile, rejectedFile, tell });
    assert.equal(told.length, ROWS / 1_000);
    for (const { rows: done, part } of told) {
      const ahead = part - done / ROWS;
      assert.ok(ahead > -0.02 && ahead < 0.15, `${done} rows of ${ROWS}, told as ${part}`);
    }
    assert.ok((told.at(-1)?.part ?? 0) > 0.98);
  });
}

test('a rehearsal tells how far it is, as an import does', async () => {
  const file = join(folder, 'rehearsed.csv');
  const mapFile = join(folder, 'rehearsed.json');
  await writeFile(mapFile, JSON.stringify(map));
  const rows = Array.from({ length: ROWS }, (_, at) => `k${at},${at % 2 ? at : 'none'},${'x'.repeat(400)}`);
  await writeFile(file, `id,price,filler\n${rows.join('\n')}\n`);
  const told: RehearsalProgress[] = [];
  const tell = (progress: RehearsalProgress) => void told.push(progress);
  await rehearseImport({ file, map: await readMap(mapFile, 'listings'), mapFile, tell });
  assert.equal(told.at(-1)?.rows, ROWS);
  for (const { rows: done, rejected, part } of told) {
    assert.equal(rejected, done / 2);
    assert.ok(Math.abs(part - done / ROWS) < 0.15, `${done} rows of ${ROWS}, told as ${part}`);
  }
});
