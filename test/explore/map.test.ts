// The map of the explorer over HTTP: outlines, and the view as SVG without script.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { OutlineAnswer } from '../../src/areas/outlines/outlines.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after }, { source: 'sample' });
const outlines = (query = ''): Promise<OutlineAnswer> => service.json(`/explore/outlines${query}`);

test('outlines have the areas of the market in their hierarchy, and few bytes', async () => {
  const all = await outlines();
  assert.equal(all.ground, 'water', 'the sample market has a coast');
  const cities = all.outlines.filter(({ type }) => type === 'city');
  assert.equal(cities.length, 24);
  assert.ok(all.outlines.every(({ rings }) => rings.length > 0 && rings.every((ring) => ring.length >= 6)));
  assert.ok(JSON.stringify(all).length < 400_000);
});

test('neighbours keep the same corners along their common border', async () => {
  const { outlines: found } = await outlines('?zoom=9');
  const cities = found.filter(({ type }) => type === 'city');
  const lines = new Map<string, number>();
  for (const ring of cities.flatMap(({ rings }) => rings))
    for (let at = 0; at < ring.length; at += 2) {
      const ends = [at, (at + 2) % ring.length].map((place) => `${ring[place]} ${ring[place + 1]}`).sort();
      lines.set(ends.join(), (lines.get(ends.join()) ?? 0) + 1);
    }
  const shared = [...lines.values()].filter((times) => times === 2).length;
  assert.ok(shared > 100, `${shared} lines belong to two cities`);
  assert.ok([...lines.values()].every((times) => times <= 2));
});

test('outlines of the current version may be kept for good; others are asked for again', async () => {
  const { version } = await outlines();
  const kept = await service.get(`/explore/outlines?v=${version}`);
  assert.equal(kept.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  const other = await service.get(`/explore/outlines?v=${version + 1}`);
  assert.equal(other.headers.get('cache-control'), 'no-cache');
  const etag = other.headers.get('etag') ?? '';
  const again = await service.get('/explore/outlines', undefined, { 'if-none-match': etag });
  assert.equal(again.status, 304);
  const wrong = await service.get('/explore/outlines?bbox=1,2,1,2');
  assert.equal(wrong.status, 400);
});

test('the page without script draws its view: areas, homes as links, and no style attribute', async () => {
  const page = await (await service.get('/explore', undefined, { accept: 'text/html' })).text();
  const [svg = ''] = /<svg class="map-svg".*?<\/svg>/s.exec(page) ?? [];
  assert.match(svg, /aria-label="Map with [\d,]+ homes"/);
  assert.match(svg, /<a href="explore\?areaId=[^"]+"><text class="nm/);
  assert.match(
    svg,
    /<a href="explore\/listing\/[^"]+" aria-label="|<a href="explore\?bbox=[^"]+" aria-label="/,
  );
  assert.ok(!svg.includes('style='));
});
