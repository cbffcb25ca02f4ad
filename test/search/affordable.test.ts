// Proves over HTTP that a polygon of many corners around very many listings is refused before PostgreSQL computes it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { problemOf } from '../support/service/http-server.ts';
import { startService } from '../support/service/service.ts';

/** A home costs 166 triangles, as many as fit into the corners that a polygon may have: two seconds are enough for one less. */
const TOO_MANY = 92_679;
/** Of the cheapest home; each further one costs one more. */
const LOWEST_PRICE = 1_001;

const service = await startService({ after });
const { database, keys } = service;
const home = draft('home', {
  listPrice: LOWEST_PRICE,
  location: { lat: 10, lng: 20.002, precision: 'exact' },
});
await database.transaction((tx) => createCatalogue(database).write(tx, 'test', [home], service.clock.now()));
// What counts homes reads these rows alone. Written by the catalogue, or into indexes, so many take many times as long.
await database.write((sql) =>
  sql.unsafe(`do $$ declare other regclass; begin
    for other in select indexrelid from pg_index where indrelid = 'listing_search'::regclass and not indisprimary
    loop execute 'drop index ' || other; end loop; end $$`),
);
await database.write(
  (sql) => sql`
    insert into listing_search
    select copy.* from listing_search as home cross join generate_series(1, ${TOO_MANY - 1}::int) as number
      cross join jsonb_populate_record(home, jsonb_build_object('id', 'copy-' || number, 'price', price + number)) as copy`,
);

/** Side by side; all homes are in the middle of their box. */
const TRIANGLES = JSON.stringify(
  Array.from({ length: 166 }, (_, at) => {
    const west = 19 + at / 100;
    return [
      [west, 9],
      [west + 0.01, 9],
      [west, 11],
    ];
  }),
);

/** As a body. Closed listings are asked of PostgreSQL, also where an engine has the others. */
const search = (more: object): Promise<Response> =>
  fetch(`${service.url}/v1/search/sales`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.internal}`, 'content-type': 'application/json' },
    body: JSON.stringify({ polygon: TRIANGLES, status: ['ACTIVE', 'CLOSED'], ...more }),
  });
const figures = (query: string): Promise<Response> =>
  service.get(`/v1/market/${query}&polygon=${TRIANGLES}`, keys.internal);

async function assertRefused(answer: Response): Promise<void> {
  assert.equal(answer.status, 400);
  const { code, detail, errors = [] } = await problemOf(answer);
  assert.equal(code, 'INVALID_PARAMETER');
  assert.match(detail, /polygon has 166 rings with 498 corners around more than 92,678 listings/);
  assert.equal(errors.length, 1);
}

const fewer = (homes: number) => ({ maxPrice: LOWEST_PRICE + homes - 1 });

test('a search of PostgreSQL is refused for its page, its figures and its facets, and not where a filter leaves fewer homes', async () => {
  for (const more of [{ count: 'none' }, { facets: ['city'] }, { stats: ['inventory'] }])
    await assertRefused(await search(more));
  const answer = await search({ ...fewer(500), facets: ['city'] });
  assert.equal(answer.status, 200);
  assert.equal(((await answer.json()) as { total: { value: number } }).total.value, 500);
});

test('an explanation asks for the polygon by itself, so that no filter spares it homes', async () => {
  assert.equal((await search({ ...fewer(500), count: 'none' })).status, 200);
  await assertRefused(await search({ ...fewer(500), explain: true }));
});

test('figures of the market are refused, and not where a filter leaves fewer homes', async () => {
  for (const query of ['stats?listingType=sale', 'distribution?listingType=sale&measure=price', 'yield?'])
    await assertRefused(await figures(query));
  assert.equal((await figures(`stats?listingType=sale&maxPrice=${fewer(500).maxPrice}`)).status, 200);
});

test('homes that are no longer on the market count for figures, which are of every status', async () => {
  await database.write(
    (sql) => sql`update listing_search set status = 'CLOSED' where price > ${LOWEST_PRICE}`,
  );
  await assertRefused(await figures('stats?listingType=sale'));
});
