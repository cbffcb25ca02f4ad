// Proves the forms of a search's answer, and that exports are whole, resumable, and read no faster than the client takes them.

import assert from 'node:assert/strict';
import * as diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { Listing } from '../../src/listings/record.ts';
import type { Transaction } from '../../src/postgres/client/database.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { idsOf, searchClient, walk } from '../support/catalogue/search-client.ts';
import { until } from '../support/check/until.ts';
import { watchReads } from '../support/database/watched-reads.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after });
const { keys } = service;
const ask = searchClient(service);
const COUNT = 730;
const LONG = 'A long tale of a house, told once more. '.repeat(1_000);
await service.database.transaction((tx) => {
  const drafts = Array.from({ length: COUNT }, (_, index) =>
    draft(`key-${index}`, {
      listPrice: index * 1_000,
      description: LONG,
      features: ['gym', 'pool'],
      address: { ...NO_ADDRESS, city: index % 2 ? '=1+1' : 'Quote "x", Line', full: '-2 Dash Street' },
      location: index % 10 === 0 ? null : { lat: 10, lng: 20 + index / 1_000, precision: 'exact' },
    }),
  );
  return createCatalogue(service.database).write(tx, 'test', drafts, service.clock.now());
});
const all = idsOf(await walk(ask, 'sale', { sort: 'price', limit: '500', fields: 'id' }));

type Line = Listing & { readonly cursor: string };
const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
const exported = async (query: string, key: string = keys.business): Promise<Line[]> =>
  linesOf(await (await service.get(`/v1/search/sales?format=ndjson&sort=price&${query}`, key)).text());

test('format wins over Accept, and an Accept that fits no form is refused', async () => {
  for (const [query, accept, type] of [
    ['', 'application/json', 'application/json'],
    ['', 'text/csv', 'text/csv'],
    ['', 'application/x-ndjson', 'application/x-ndjson'],
    ['', 'application/geo+json', 'application/geo+json'],
    ['', 'text/html, */*;q=0.1', 'application/json'],
    ['format=csv', 'application/json', 'text/csv'],
    ['format=json', 'text/csv', 'application/json'],
    ['format=NDJSON', '*/*', 'application/x-ndjson'],
  ] as const) {
    const answer = await service.get(`/v1/search/sales?limit=2&${query}`, keys.pro, { accept });
    assert.equal(answer.headers.get('content-type')?.split(';')[0], type, `${query} ${accept}`);
    assert.match(answer.headers.get('vary') ?? '', /accept/i);
    await answer.body?.cancel();
  }
  assert.equal((await service.get('/v1/search/sales', keys.pro, { accept: 'image/png' })).status, 406);
  assert.equal((await service.get('/v1/search/sales?format=xml', keys.pro)).status, 400);
});

test('GeoJSON has a point for each listing whose place is known, and the page beside them', async () => {
  const plain = await ask('sale', { sort: 'price', limit: '20', count: 'exact' });
  const answer = await service.get(
    '/v1/search/sales?format=geojson&sort=price&limit=20&count=exact',
    keys.internal,
  );
  const { type, features, page, total } = (await answer.json()) as {
    type: string;
    features: { type: string; id: string; geometry: unknown; properties: Listing }[];
    page: unknown;
    total: unknown;
  };
  assert.deepEqual([type, page, total], ['FeatureCollection', plain.page, plain.total]);
  assert.deepEqual(
    features.map(({ properties }) => properties),
    plain.data,
  );
  for (const { id, geometry, properties } of features) {
    const { location } = properties;
    const point = location && { type: 'Point', coordinates: [location.lng, location.lat] };
    assert.deepEqual([id, geometry], [properties.id, point]);
  }
  assert.equal(answer.headers.get('x-total-count'), String(COUNT));
});

test('a long page has the same bytes as one document of the records on short pages', async () => {
  const query = { sort: 'price', fields: 'id,price,address,location', count: 'exact' };
  const answer = await service.get(
    `/v1/search/sales?${new URLSearchParams({ ...query, limit: '250' })}`,
    keys.internal,
  );
  const data: unknown[] = [];
  let page = await ask('sale', { ...query, limit: '50' });
  const { total, meta } = page as typeof page & { readonly meta: object };
  for (data.push(...page.data); data.length < 250; data.push(...page.data))
    page = await ask('sale', { ...query, limit: '50', cursor: page.page.nextCursor ?? '' });
  const document = {
    object: 'list',
    data,
    page: { ...page.page, limit: 250, prevCursor: null },
    total,
    meta: { ...meta, requestId: answer.headers.get('x-request-id') },
  };
  assert.equal(await answer.text(), JSON.stringify(document));
});

test('CSV has a column for each part of a listing, and no cell that a spreadsheet would run', async () => {
  const answer = await service.get('/v1/search/sales?format=csv&sort=price&limit=3', keys.pro);
  const rows = parse(await answer.text(), { columns: true }) as Record<string, string>[];
  const { data } = await ask('sale', { sort: 'price', limit: '3' });
  for (const [at, listing] of data.entries()) {
    const row = rows[at] ?? {};
    const harmless = listing.address.city?.startsWith('=')
      ? `'${listing.address.city}`
      : listing.address.city;
    assert.deepEqual(
      [row.id, row.price, row['address.city'], row.features, row['location.lat'], row.photos, row.closePrice],
      [listing.id, String(listing.price), harmless, 'gym|pool', listing.location ? '10' : '', '[]', ''],
    );
    assert.equal(row['address.full'], "'-2 Dash Street");
  }
  const few = await service.get('/v1/search/sales?format=csv&limit=1&fields=price,address.city', keys.pro);
  assert.equal((await few.text()).split('\r\n')[0], 'id,price,address.city,fetchedAt,attribution');
});

test('Business and Internal get all results at once, other tiers and whoever gives a limit one page', async () => {
  for (const key of [keys.business, keys.internal])
    assert.deepEqual(
      (await exported('fields=id', key)).map(({ id }) => id),
      all,
    );
  const csv = await service.get(
    '/v1/search/sales?format=csv&sort=price&fields=id&count=exact',
    keys.business,
  );
  assert.equal(csv.headers.get('x-total-count'), String(COUNT));
  const rows = parse(await csv.text(), { columns: true }) as { id: string }[];
  assert.deepEqual(
    rows.map(({ id }) => id),
    all,
  );
  for (const [query, key, count] of [
    ['fields=id', keys.free, 20],
    ['fields=id&limit=100', keys.pro, 100],
    ['fields=id&limit=7', keys.business, 7],
  ] as const)
    assert.equal((await exported(query, key)).length, count);
  const body = await fetch(`${service.url}/v1/search/sales`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.business}`, 'content-type': 'application/json' },
    body: JSON.stringify({ format: 'ndjson', sort: ['price'], fields: ['id'] }),
  });
  assert.deepEqual(
    linesOf(await body.text()).map(({ id }) => id),
    all,
  );
  assert.equal((await exported('fields=id&minPrice=999999999')).length, 0);
});

test('CSV has a column of cursors only on request, and no other form takes the request', async () => {
  const csv = '/v1/search/sales?format=csv&sort=price&fields=price';
  const rows = parse(
    await (await service.get(`${csv}&limit=3&include=cursor`, keys.pro)).text(),
  ) as string[][];
  assert.deepEqual(rows[0], ['id', 'price', 'fetchedAt', 'attribution', 'cursor']);
  const [, , , [, , , , cursor = ''] = []] = rows;
  const rest = parse(
    await (await service.get(`${csv}&limit=3&cursor=${cursor}`, keys.pro)).text(),
  ) as string[][];
  assert.deepEqual([rest[0], rest[1]?.[0]], [['id', 'price', 'fetchedAt', 'attribution'], all[3]]);
  const whole = await (await service.get(`${csv}&include=cursor`, keys.business)).text();
  assert.equal((parse(whole) as string[][]).at(-1)?.length, 5);
  for (const format of ['json', 'geojson']) {
    const answer = await service.get(`/v1/search/sales?format=${format}&include=cursor`, keys.pro);
    const { code, errors } = (await answer.json()) as { code: string; errors: { parameter: string }[] };
    assert.deepEqual([code, errors[0]?.parameter], ['INVALID_PARAMETER', 'include']);
  }
});

test('each format has a path of its own, which answers as the search does with that format', async () => {
  for (const [format, path] of [
    ['csv', 'export'],
    ['ndjson', 'ndjson'],
    ['geojson', 'geojson'],
  ] as const) {
    const query = 'sort=price&limit=3&fields=id,price';
    const asked = await service.get(`/v1/search/sales?format=${format}&${query}`, keys.pro);
    const own = await service.get(`/v1/search/sales/${path}?${query}`, keys.pro);
    assert.equal(own.status, 200);
    for (const name of ['content-type', 'content-disposition', 'x-total-count'])
      assert.equal(own.headers.get(name), asked.headers.get(name), `${format} ${name}`);
    assert.match(own.headers.get('link') ?? '', new RegExp(`/v1/search/sales/${path}\\?`));
    const clean = (text: string) => text.replace(/"requestId":"[^"]*"/, '');
    assert.equal(clean(await own.text()), clean(await asked.text()));
    const parts = format === 'csv' ? ['include=history'] : ['include=cursor'];
    for (const refused of ['facets=city', 'format=json', 'cluster=true', ...parts]) {
      const answer = await service.get(`/v1/search/sales/${path}?${refused}`, keys.pro);
      assert.equal(answer.status, 400, refused);
    }
  }
  const lines = await service.get('/v1/search/sales/ndjson?sort=price&fields=id', keys.business);
  assert.deepEqual(
    linesOf(await lines.text()).map(({ id }) => id),
    all,
  );
  assert.equal((await service.get('/v1/search/rentals/export')).status, 200, 'without credentials');
});

test('a table is offered for download under a name of its own', async () => {
  for (const [path, key, name] of [
    ['sales/export?limit=1', keys.pro, 'sales.csv'],
    ['sales?format=csv', keys.business, 'sales.csv'],
    ['rentals/export', keys.business, 'rentals.csv'],
    ['sales/ndjson?limit=1', keys.pro, 'sales.ndjson'],
  ] as const) {
    const answer = await service.get(`/v1/search/${path}`, key);
    assert.equal(answer.headers.get('content-disposition'), `attachment; filename="${name}"`);
    await answer.body?.cancel();
  }
  const page = await service.get('/v1/search/sales?limit=1', keys.pro);
  assert.equal(page.headers.get('content-disposition'), null);
});

test('a limit above a page is refused where nothing says that it was capped, and JSON goes on capping it', async () => {
  for (const [format, key, page, remedy] of [
    ['csv', keys.pro, 100, /Pro.*Business and Internal/],
    ['geojson', keys.free, 25, /Free.*Business and Internal/],
    ['ndjson', undefined, 10, /without credentials.*Business and Internal/],
    ['csv', keys.business, 200, /leave it out/],
  ] as const) {
    const path = `/v1/search/sales?format=${format}&fields=id&limit=`;
    const refused = await service.get(`${path}${page + 1}`, key);
    const { code, detail, errors } = (await refused.json()) as {
      code: string;
      detail: string;
      errors: { parameter: string }[];
    };
    assert.deepEqual([refused.status, code, errors[0]?.parameter], [400, 'INVALID_PARAMETER', 'limit']);
    assert.match(detail, new RegExp(`at most ${page}\\b`));
    assert.match(detail, remedy);
    assert.equal((await service.get(`${path}${page}`, key)).status, 200);
    const capped = await service.get(`/v1/search/sales?limit=${page + 1}`, key);
    const json = (await capped.json()) as { page: { limit: number } };
    assert.equal(json.page.limit, page);
  }
});

test('an export that was cut goes on behind its last row', async () => {
  const whole = await exported('fields=id');
  for (const cut of [0, 99, 100, 512, COUNT - 1]) {
    const { cursor = '' } = whole[cut] ?? {};
    assert.deepEqual(
      (await exported(`fields=id&cursor=${cursor}`)).map(({ id }) => id),
      all.slice(cut + 1),
    );
  }
  const last = await ask('sale', { sort: 'price', limit: '5', cursor: whole[9]?.cursor ?? '' });
  const back = await service.get(
    `/v1/search/sales?format=ndjson&sort=price&cursor=${last.page.prevCursor}`,
    keys.business,
  );
  assert.equal(((await back.json()) as { code: string }).code, 'INVALID_CURSOR');
});

test('include adds what happened to a listing, and the property it belongs to', async () => {
  const { data } = await ask('sale', { limit: '3', include: 'history,property', fields: 'id' });
  for (const listing of data as readonly (Listing & {
    history: { event: string; listingId: string }[];
    property: { id: string; object: string };
  })[]) {
    assert.deepEqual(
      listing.history.map(({ event, listingId }) => [event, listingId]),
      [['LISTED', listing.id]],
    );
    assert.equal(listing.property.object, 'property');
  }
  const plain = await ask('sale', { limit: '1', fields: 'id' });
  assert.deepEqual(Object.keys(plain.data[0] ?? {}).sort(), ['attribution', 'fetchedAt', 'id', 'object']);
});

/** A reader that takes nothing yet, and the service's own end of the line. */
async function deafReader(query: string): Promise<{ socket: Socket; answering: Promise<ServerResponse> }> {
  const answering = new Promise<ServerResponse>((resolve) => {
    const begun = (message: unknown): void => {
      diagnostics.unsubscribe('http.server.request.start', begun);
      resolve((message as { response: ServerResponse }).response);
    };
    diagnostics.subscribe('http.server.request.start', begun);
  });
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.pause();
  const head = `Host: x\r\nAuthorization: Bearer ${keys.business}`;
  socket.write(`GET /v1/search/sales?format=ndjson&${query} HTTP/1.1\r\n${head}\r\n\r\n`);
  return { socket, answering };
}

test('what a reader does not take is not read, and nothing is read for one that has left', async () => {
  using watched = watchReads(service.database);
  const { socket } = await deafReader('');
  const held = await watched.settled();
  assert.ok(held > 0 && held < 8, `a few batches were read: ${held}`);
  socket.destroy();
  await once(socket, 'close');
  assert.ok((await watched.settled()) - held <= 1, 'nothing more was read');
  const before = watched.count();
  await exported('fields=id');
  assert.ok(watched.count() - before >= 8, 'a whole export reads more');
});

/** Resolves once a statement waits for the lock of this transaction, or none does any more. */
async function waits(tx: Transaction, expected: boolean): Promise<void> {
  const look = async () => {
    const [row] = await tx<{ waiting: boolean }[]>`
      select exists (select from pg_locks where not granted and relation in ('listing'::regclass, 'listing_search'::regclass)
        and database = (select oid from pg_database where datname = current_database())) as waiting`;
    return row?.waiting === expected;
  };
  await until(expected ? 'a statement waits' : 'no statement waits', look);
}

for (const [moment, query, begun] of [
  ['the first page', '', false],
  ['a page in the middle', '', true],
  ['the exact count before all pages', 'count=exact', false],
] as const) {
  test(`PostgreSQL stops working for a reader who leaves, and nothing more is asked of it: ${moment}`, async () => {
    using watched = watchReads(service.database);
    const reader = begun ? await deafReader(query) : null;
    await watched.settled();
    const left = await service.database.transaction(async (tx) => {
      await tx`lock table listing, listing_search in access exclusive mode`;
      const { socket, answering } = reader ?? (await deafReader(query));
      socket.resume();
      await waits(tx, true);
      const response = await answering;
      assert.equal(response.headersSent, begun);
      const closed = once(response, 'close');
      socket.destroy();
      await closed;
      await waits(tx, false);
      return watched.count();
    });
    assert.equal(await watched.settled(), left);
  });
}

test('an export goes on with what is on the market while it is read, and so holds nothing for a slow reader', async () => {
  using watched = watchReads(service.database);
  const { socket } = await deafReader('sort=price');
  await watched.settled();
  await service.database.transaction((tx) =>
    createCatalogue(service.database).write(
      tx,
      'test',
      [draft('late', { listPrice: 9_999_999 })],
      service.clock.now(),
    ),
  );
  await ask('sale', { limit: '1' });
  let text = '';
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text = text.slice(-5_000) + piece;
  });
  socket.resume();
  await until('it is whole', async () => text.endsWith('\r\n0\r\n\r\n'));
  socket.destroy();
  assert.match(text, /"price":9999999,/);
});
