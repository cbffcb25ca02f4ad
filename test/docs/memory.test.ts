// Test of the memory that pages state for searches and figures: it is what a process asks for.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BYTES_PER_LISTING } from '../../src/market/facts/market-facts.ts';
import { BYTES_PER_ROW, neededMemory } from '../../src/search/engine/lifecycle/engine-memory.ts';
import { readSource } from '../support/code/source-files.ts';

const OTHER = neededMemory(0);
const held = `${BYTES_PER_ROW} bytes`;
const built = `${((neededMemory(1) - OTHER) / 1_000).toFixed(1)} kB`;
const facts = `about ${BYTES_PER_LISTING} bytes`;

/** What each page says, by its path. */
const STATED: Readonly<Record<string, readonly string[]>> = {
  'docs/search.md': [held, built],
  'docs/configuration.md': [`about ${held} a listing, ${built} while they are built`, facts],
  'docs/decisions/0027-search-in-memory.md': [held, built],
  'docs/production.md': [
    `${OTHER / 1e6} MB, and ${built} for each listing`,
    ...[20_000, 200_000, 1_000_000].map((listings) => (neededMemory(listings * 0.65) / 1e9).toFixed(1)),
    facts,
  ],
  'docs/operations.md': [
    `${OTHER / 1e6} MB, and ${built} for each listing`,
    `${(neededMemory(650_000) / 1e9).toFixed(1)} GB for 650,000`,

    `${held} a listing all the time`,
    `${OTHER / 1e6} MB and ${built} a row`,
    `about ${held} of columns, and ${built}`,

    `Ten million take ${(BYTES_PER_ROW * 1e7) / 1e9} GB`,
    `${Math.round(neededMemory(1e7) / 1e9)} GB to build`,
    facts,
  ],
};

test('every page states the memory of searches and figures as a process asks for it', () => {
  for (const [page, figures] of Object.entries(STATED)) {
    const text = readSource(page).text.replace(/\s+/g, ' ');
    for (const figure of figures) assert.ok(text.includes(figure), `${page}: ${figure}`);
  }
});

test('no page states another number of bytes a listing', () => {
  const allowed = new Set([BYTES_PER_ROW, BYTES_PER_LISTING]);
  for (const page of Object.keys(STATED))
    for (const [said, bytes] of readSource(page).text.matchAll(/about (\d+) bytes/g))
      assert.ok(allowed.has(Number(bytes)), `${page}: ${said}`);
});
