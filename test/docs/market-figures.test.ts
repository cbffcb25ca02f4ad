// Proves that the program of docs/market-figures.md prints what the page shows, numbers apart, and draws its chart.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { readSource } from '../support/code/source-files.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { withoutPrograms } from '../support/deploy/programs.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';

const PAGE = readSource('docs/market-figures.md').text;
const LISTINGS = 2_000;
/** The market is the same whatever day it is. */
const EPOCH = Date.UTC(2035, 5, 4, 12);
const MARK = '=== next block ===';

/** Numbers, months and bars differ from day to day; words and their order do not. */
const shape = (text: string): string =>
  text
    .trim()
    .replace(/[\d.,:-]*\d[\d.,:-]*/g, '0')
    .replace(/#+/g, '#')
    .replace(/[ #]+$/gm, '')
    .replace(/ +/g, ' ')
    .replace(/^ /gm, '');

test('whoever runs docs/market-figures.md sees what it shows, and has a chart', {
  skip: withoutPrograms(['python3', 'python3']),
}, async (t) => {
  const folder = await temporaryFolder(t, 'figures');
  const journal = { version: 1, seed: 'freehold', epoch: EPOCH, size: LISTINGS, deeds: [] };
  await writeFile(join(folder, 'sample-market.json'), JSON.stringify(journal));
  const service = await startService(t, {
    source: 'sample',
    sampleListings: LISTINGS,
    clock: manualClock(EPOCH),
    environment: { DATA_DIR: folder },
  });
  const blocks = [...PAGE.matchAll(/^```(python|text)\n([\s\S]*?)^```$/gm)];
  const program = blocks
    .map(([, language, text]) => (language === 'python' ? text : `print("${MARK}")`))
    .join('\n');
  const { stdout } = await promisify(execFile)('python3', ['-c', program], {
    cwd: folder,
    env: { ...process.env, FREEHOLD_URL: service.url, FREEHOLD_KEY: service.keys.pro },
  });
  const printed = stdout.split(`${MARK}\n`).slice(0, -1);
  const texts = blocks.flatMap(([, language, text = '']) => (language === 'text' ? [text] : []));
  assert.ok(texts.length >= 6);
  assert.deepEqual(printed.map(shape), texts.map(shape), stdout);
  const chart = await readFile(join(folder, 'prices.svg'), 'utf8');
  const [, points = ''] = /<polyline points="([^"]+)"/.exec(chart) ?? [];
  assert.equal(
    points.split(' ').length,
    [...chart.matchAll(/text-anchor/g)].length,
    'a label for each point',
  );
  assert.ok(points.split(' ').length > 6);
  for (const point of points.split(' ')) assert.match(point, /^\d+,\d+\.\d$/);
});
