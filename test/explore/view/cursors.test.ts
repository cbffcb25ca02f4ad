// Cursors of views over HTTP: the list goes as far as its reader may, and no other cursor leads further.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { EXPLORER } from '../../../src/access/tiers/tiers.ts';
import type { View } from '../../../src/explore/view/view.ts';
import { startSecondService } from '../../support/service/second-service.ts';
import { startService } from '../../support/service/service.ts';

const service = await startService({ after }, { source: 'sample', sampleListings: 1_300 });
const QUERY = 'for=sale&sort=price';
const ALL_ROWS = EXPLORER.pages * EXPLORER.rows;

const page = (cursor: string | null, key?: string): Promise<View> =>
  service.json(`/explore/view?${QUERY}${cursor === null ? '' : `&cursor=${cursor}`}`, key);

/** Pages from the first to the last that the reader gets. */
async function pages(key?: string): Promise<readonly View[]> {
  const read = [await page(null, key)];
  for (let next = read[0]?.nextCursor; next != null; next = read.at(-1)?.nextCursor)
    read.push(await page(next, key));
  return read;
}

/** The limit of views by the minute is not what is tested here. */
async function codeOf(query: string, path = '/explore/view'): Promise<string> {
  service.clock.advance(60_000);
  const answer = await service.get(`${path}?${query}`);
  const { code = '' } = (await answer.json()) as { code?: string };
  return `${answer.status} ${code}`;
}

test('without credentials a list has ten pages of ten rows, each once, and then says how it goes on', async () => {
  const read = await pages();
  assert.equal(read.length, EXPLORER.pages);
  assert.equal(new Set(read.flatMap(({ list }) => list.map(({ id }) => id))).size, ALL_ROWS);
  assert.deepEqual(
    read.map(({ firstRow }) => firstRow),
    read.map((_, at) => at * EXPLORER.rows + 1),
  );
  assert.deepEqual(
    read.map(({ limitedTo }) => limitedTo),
    read.map((_, at) => (at === EXPLORER.pages - 1 ? 'sign-in' : null)),
  );
});

test('a reader who has signed in reads the whole list; where their link goes past the tenth page, others get no row of it', async () => {
  const { free } = service.keys;
  const read = await pages(free);
  const total = read[0]?.total ?? 0;
  assert.ok(total > ALL_ROWS, 'the list goes on');
  assert.equal(new Set(read.flatMap(({ list }) => list.map(({ id }) => id))).size, total);
  const far = read[read.findIndex(({ firstRow }) => firstRow > ALL_ROWS) - 1]?.nextCursor ?? '';
  const [theirs, others] = [await page(far, free), await page(far)];
  assert.equal(theirs.firstRow, ALL_ROWS + 1);
  assert.ok(theirs.list.length > 0);
  assert.deepEqual([others.list, others.nextCursor, others.limitedTo], [[], null, 'sign-in']);
  assert.equal(others.total, total);
  const html = await (await service.get(`/explore?${QUERY}&cursor=${far}`)).text();
  assert.match(html, /Sign in to go on/);
  assert.doesNotMatch(html, /class="row/);
});

test('a cursor works in every process', async (t) => {
  const { nextCursor } = await page(null);
  const other = await startSecondService(t, service);
  const answer = await fetch(`${other.url}/explore/view?${QUERY}&cursor=${nextCursor}`);
  assert.equal(answer.status, 200);
  assert.equal(((await answer.json()) as View).firstRow, EXPLORER.rows + 1);
});

test('a cursor that is forged, altered or of another view is refused, and says to start again', async () => {
  const cursor = (await page(null)).nextCursor ?? '';
  const [, inner = '', seal = ''] = cursor.split('.');
  assert.equal(await codeOf(`${QUERY}&cursor=${cursor}`), '200 ');
  const search: { page: { nextCursor: string } } = await service.json('/v1/search/sales?sort=price&limit=10');
  const borrowed = search.page.nextCursor;
  const other: View = await service.json(`/explore/view?${QUERY}&minBedrooms=2`);
  for (const forged of [
    borrowed,
    `10.${borrowed}`,
    `10.${borrowed}.${seal}`,
    `0.${inner}.${seal}`,
    `1${cursor}`,
    `${inner}`,
    `10.${inner}`,
    other.nextCursor ?? '',
  ])
    for (const path of ['/explore/view', '/explore/facets'])
      assert.equal(
        await codeOf(`${QUERY}&cursor=${forged}`, path),
        '400 INVALID_CURSOR',
        `${path} ${forged}`,
      );
  for (const query of ['for=rental&sort=price', 'for=sale', 'for=sale&sort=-price', `${QUERY}&status=SOLD`])
    assert.equal(await codeOf(`${query}&cursor=${cursor}`), '400 INVALID_CURSOR', query);
  await fc.assert(
    fc.asyncProperty(fc.nat(cursor.length - 1), fc.constantFrom('A', '0', '.', '-'), async (at, text) => {
      fc.pre(cursor[at] !== text);
      const altered = cursor.slice(0, at) + text + cursor.slice(at + 1);
      assert.equal(await codeOf(`${QUERY}&cursor=${altered}`), '400 INVALID_CURSOR', altered);
    }),
    { numRuns: 60 },
  );
  const answer = await service.get(`/explore?${QUERY}&cursor=${borrowed}`);
  assert.equal(answer.status, 400);
  assert.match(await answer.text(), /Start again without a cursor/);
});
