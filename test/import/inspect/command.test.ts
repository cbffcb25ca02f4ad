// Proves what the commands do with a file that has no map: what they print, write, refuse and remember.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { EXAMPLES, openImports } from '../../support/catalogue/import-service.ts';
import { INHERITED, LAUNCHER } from '../../support/process/cli.ts';
import { MESSY_FILES } from './messy-files.ts';

const { bench, file, folder } = await openImports({ after });
const { database, environment, outcome, run } = await bench({ after });
const content = String(MESSY_FILES[0]?.content);

test('an inspection shows each column, the key and what was assumed, and writes a map that is kept', async () => {
  const path = await file('homes.csv', content);
  const end = await run('inspect', path);
  assert.equal(end.code, 0, end.stderr);
  assert.match(end.stdout, /^.*homes\.csv: 3 rows, 17 columns\n/);
  assert.match(end.stdout, /\nColumn +Field +Sure +Reads +Empty +Samples\n/);
  assert.match(end.stdout, /\nzpid +listingKey +sure +100 % +48749425 \| 48749426 \| 48749427\n/);
  assert.match(end.stdout, /\nKey: zpid names each of the 3 rows once\.\n/);
  assert.match(
    end.stdout,
    /\nThe first 3 rows as they would be written:\nlistingKey +48749425 +48749426 +48749427\n/,
  );
  const map = JSON.parse(await readFile(`${path}.map.json`, 'utf8')) as { fields: Record<string, unknown> };
  assert.deepEqual(map.fields.bedrooms, { column: 'bedrooms' });

  await file('homes.csv.map.json', '{ "mine": true }');
  const second = await run('inspect', path);
  assert.match(second.stdout, /is there already and says something else: it stays as it is/);
  assert.equal(await readFile(`${path}.map.json`, 'utf8'), '{ "mine": true }');
  await run('inspect', path, '--overwrite');
  assert.equal((JSON.parse(await readFile(`${path}.map.json`, 'utf8')) as { kind: string }).kind, 'listings');
});

test('open questions are in the map with what is assumed, and stop nothing', async () => {
  const path = await file('offers.csv', 'id,price,lat,lng\nq1,250000,40.4,-3.7\nq2,310000,40.41,-3.69\n');
  const end = await run('inspect', path);
  assert.match(
    end.stdout,
    /Open questions .*\n(?: .*\n)* {2}status: No column says the status; .* Assumed: ACTIVE\n/,
  );
  const { questions } = JSON.parse(await readFile(`${path}.map.json`, 'utf8')) as {
    questions: { field: string; assumed: string }[];
  };
  assert.deepEqual(
    questions.map(({ field, assumed }) => [field, assumed]),
    [
      ['listingType', 'sale'],
      ['status', 'ACTIVE'],
      ['propertyType', 'OTHER'],
      ['currency', 'EUR'],
    ],
  );
  assert.equal((await outcome('listings', path)).created, 2);
});

test('without a map, a terminal or --yes an import is refused with the remedy', async () => {
  const path = await file('unmapped.csv', content);
  const end = await run('listings', path);
  assert.equal(end.code, 2);
  assert.match(
    end.stderr,
    /No map says what the columns of .*unmapped\.csv mean: `freehold import inspect .*` proposes one, or add --yes/,
  );
  const dry = await run('listings', path, '--dry-run');
  assert.equal(dry.code, 0, dry.stderr);
  assert.match(dry.stdout, /Nothing was written\./);
  await assert.rejects(readFile(`${path}.map.json`), { code: 'ENOENT' });
});

test('standard input is imported from a copy that is gone afterwards', async () => {
  const spooled = () => readdirSync(tmpdir()).filter((name) => name.startsWith('freehold-input-'));
  const before = spooled();
  const child = spawn(process.execPath, [LAUNCHER, 'import', 'listings', '-', '--yes', '--json'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...INHERITED, SOURCE: 'none', LOG_LEVEL: 'warn', ...environment },
  });
  child.stdin.end('id,price,type,lat,lng\nin1,250000,house,40.4,-3.7\n');
  let text = '';
  for await (const chunk of child.stdout) text += String(chunk);
  assert.equal((JSON.parse(text) as { created: number }).created, 1);
  assert.deepEqual(spooled(), before);
  const [stored] = await database.read((sql) => sql`select source from listing where listing_key = 'in1'`);
  assert.equal(stored?.source, 'stdin');
});

test('a projection that is not converted is named, and rows that repeat a key are counted', async () => {
  const path = await file(
    'paris.csv',
    'référence;prix;surface;code postal;ville;x;y\nA;350000;75;75002;Paris;652000;6862000\nA;410000;80;75003;Paris;652400;6862500\n',
  );
  const { stdout } = await run('inspect', path, '--json');
  const { notes, map } = JSON.parse(stdout) as { notes: string[]; map: { fields: Record<string, unknown> } };
  assert.ok(
    notes.some((note) => /Lambert-93 of France \(EPSG:2154\), which is not converted/.test(note)),
    notes.join('\n'),
  );
  assert.equal(map.fields['location.lat'], undefined);
  assert.deepEqual(map.fields.listingKey, [{ column: 'référence' }]);
});

test('the quickstart of the documentation shows and imports what it says', async () => {
  await copyFile(join(EXAMPLES, 'sample-listings.csv'), join(folder, 'homes-of-docs.csv'));
  const page = await readFile(join(EXAMPLES, '../importing.md'), 'utf8');
  const shown = /\nhomes\.csv: 6 rows[^`]*?```/.exec(page)?.[0] ?? '';
  const lines = shown.split('\n').filter((line) => /^(?:Column|Ref|Kind|State|Asking|Key:|Open)/.test(line));
  assert.equal(lines.length, 7);
  const { stdout } = await run('inspect', 'homes-of-docs.csv');
  for (const line of lines) assert.ok(stdout.includes(`\n${line}\n`), line);
  assert.ok(stdout.includes('propertyType: Kind: "Castle" is not known: OTHER is assumed.'));
  const result = await outcome('listings', 'homes-of-docs.csv');
  assert.deepEqual([result.created, result.rejected], [6, 0]);
});
