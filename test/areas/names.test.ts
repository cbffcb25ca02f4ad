// Tests of finding areas by name: as it is typed, misspelt, without accents, by another name, and as it changes.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { Area, AreaDraft } from '../../src/areas/area.ts';
import type { Boundary } from '../../src/geometry/geometry.ts';
import { writeAreaBatch } from '../../src/ingest/area-writer.ts';
import { runs } from '../support/check/runs.ts';
import { startService } from '../support/service/service.ts';

const data = process.env.FREEHOLD_TEST_DATA ?? '';
const skip =
  data !== '' && existsSync(join(data, 'areas')) ? false : 'needs FREEHOLD_TEST_DATA, a folder of real data';

const { database, json, keys } = await startService({ after });

const city = (name: string, facts: Partial<AreaDraft> = {}): AreaDraft => ({
  type: 'city',
  externalId: name,
  name,
  aliases: [],
  codes: {},
  parentReference: null,
  population: null,
  boundary: null,
  ...facts,
});

await writeAreaBatch(database, 'test', [
  ...['Springfield', 'Spring Valley', 'Portland', 'South Portland', 'St. Louis', 'Saint Paul'].map((name) =>
    city(name),
  ),
  ...['Coeur d’Alene', 'Tromsø', 'Łódź', 'São Paulo', 'Gießen', 'Fort Wayne', 'Albuquerque'].map((name) =>
    city(name),
  ),
  city('New York', { aliases: ['Big Apple', 'Gotham'], population: 8_000_000 }),
  city('York', { type: 'county', population: 450_000, codes: { fips: '42133' } }),
]);

async function found(query: Record<string, string>): Promise<string[]> {
  const answer: { data: Area[] } = await json(`/v1/areas?${new URLSearchParams(query)}`, keys.pro);
  return answer.data.map(({ name }) => name);
}
const suggested = (q: string, more = {}) => found({ q, suggest: 'true', ...more });

test('a place is suggested by whatever it is typed as', async () => {
  for (const [typed, name] of [
    ['port', 'Portland'],
    ['portlnad', 'Portland'],
    ['prtland', 'Portland'],
    ['sprngf', 'Springfield'],

    ['saint louis', 'St. Louis'],
    ['st paul', 'Saint Paul'],
    ['St. Paul', 'Saint Paul'],

    ['tromso', 'Tromsø'],
    ['TROMSØ', 'Tromsø'],
    ['lodz', 'Łódź'],
    ['sao pa', 'São Paulo'],

    ['giessen', 'Gießen'],
    ['coeur dalene', 'Coeur d’Alene'],
    ['big app', 'New York'],

    ['gothm', 'New York'],
    ['42133', 'York'],
    ['albequerqe', 'Albuquerque'],
    ['ft', null],

    ['abcdefgh', null],
    ['42134', null],
  ] as const) {
    const [first = null] = await suggested(typed);
    assert.equal(first, name, typed);
    if (name !== null) assert.ok((await found({ q: typed })).includes(name), `${typed} in the list`);
  }
});

test('of several, the one called so comes first, then the better known, and filters hold', async () => {
  assert.deepEqual(await suggested('york'), ['York', 'New York']);
  assert.deepEqual(await suggested('portland'), ['Portland', 'South Portland']);
  assert.deepEqual(await suggested('york', { type: 'city' }), ['New York']);
  assert.deepEqual(await suggested('york', { hasBoundary: 'true' }), []);
  assert.deepEqual(await suggested('york', { limit: '1' }), ['York']);
});

test('a name is suggested as soon as it is written, under its new words and no longer under the old', async () => {
  assert.deepEqual(await suggested('zanzib'), []);
  await writeAreaBatch(database, 'test', [city('Late', { name: 'Zanzibar' })]);
  assert.deepEqual(await suggested('zanzib'), ['Zanzibar']);
  await writeAreaBatch(database, 'test', [city('Late', { name: 'Unguja' })]);
  assert.deepEqual(await suggested('zanzib'), []);
  assert.deepEqual(await suggested('ungja'), ['Unguja']);
});

test('real places: whichever letter of a name is wrong, the place is suggested, and its boundary can be drawn coarsely', {
  skip,
}, async () => {
  const text = await readFile(join(data, 'areas', 'us-counties.geojson'), 'utf8');
  const { features } = JSON.parse(text) as {
    features: { id: string; properties: { NAME: string }; geometry: Boundary }[];
  };
  const drafts = features.map(({ id, properties: { NAME }, geometry }) =>
    city(NAME, { type: 'county', externalId: id, codes: { fips: id }, boundary: geometry }),
  );
  for (let at = 0; at < drafts.length; at += 1_000)
    await writeAreaBatch(database, 'test', drafts.slice(at, at + 1_000));
  const long = drafts.filter(({ name }) => /^[A-Z][a-z]{7,}$/.test(name));
  const slip = fc.tuple(fc.constantFrom(...long), fc.nat(6), fc.constantFrom('leave', 'put', 'exchange'));
  await fc.assert(
    fc.asyncProperty(slip, async ([{ name }, at, kind]) => {
      const [before, behind] = [name.slice(0, at + 1), name.slice(at + 1)];
      const typed =
        kind === 'leave'
          ? before + behind.slice(1)
          : kind === 'put'
            ? `${before}q${behind}`
            : before + behind.charAt(1) + behind.charAt(0) + behind.slice(2);
      const names = await suggested(typed, { limit: '100' });
      assert.ok(
        names.includes(name) || names.every((each) => each.toLowerCase().startsWith(typed.toLowerCase())),
        typed,
      );
    }),
    runs(60, 3),
  );
  for (const id of ['02016', '15003', '53033']) {
    const path = `/v1/areas/county-${id}/boundary`;
    const whole: { geometry: Boundary } = await json(path, keys.pro);
    const coarse: { geometry: Boundary } = await json(`${path}?simplify=5000`, keys.pro);
    const rings = (boundary: Boundary) => boundary.coordinates.flat(boundary.type === 'Polygon' ? 0 : 1);
    assert.equal(rings(coarse.geometry).length, rings(whole.geometry).length, `${id} keeps its islands`);
    assert.ok(JSON.stringify(coarse).length < JSON.stringify(whole).length, id);
  }
});
