// Proves that every record the service gives is what its OpenAPI document says, and that every link in one leads somewhere.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { Value } from 'typebox/value';
import type { Area } from '../../src/areas/area.ts';
import type { Property } from '../../src/listings/property-record.ts';
import type { Listing } from '../../src/listings/record.ts';
import { authorizationRequest } from '../support/oauth/authorize.ts';
import { parseRaw, readToEnd } from '../support/service/http-server.ts';
import { startService } from '../support/service/service.ts';
import { parseEvents } from '../support/sources/live-service.ts';

type Json = Readonly<Record<string, unknown>>;
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { schema: Json }>> }>
  >;
}
interface Page {
  readonly data: Listing[];
  readonly page: { readonly nextCursor: string | null };
  readonly total: { readonly value: number };
}

const service = await startService({ after }, { source: 'sample' });
const { keys, url } = service;
const openapi: {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
} = await service.json('/openapi.json');

/** A schema of the document with its references filled in, and objects that allow and lack no documented key. */
function closed(schema: unknown, within: readonly string[] = []): unknown {
  if (Array.isArray(schema)) return schema.map((part) => closed(part, within));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref, ...rest } = schema as Json;
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1) ?? '';
    // A digest holds events: one level of them is checked.
    return within.includes(name) ? {} : closed(openapi.components.schemas[name], [...within, name]);
  }
  const parts = Object.fromEntries(Object.entries(rest).map(([name, part]) => [name, closed(part, within)]));
  // A map from ids documents no keys of its own.
  return parts.type === 'object' && Object.keys(parts.properties ?? {}).length > 0
    ? { ...parts, additionalProperties: false }
    : parts;
}

function conforms(name: string, value: unknown): void {
  const schema = closed(openapi.components.schemas[name]) as Parameters<typeof Value.Check>[0];
  if (Value.Check(schema, value)) return;
  const faults = Value.Errors(schema, value).map((error) => `${error.instancePath} ${error.message}`);
  assert.fail(`${name}: ${faults.slice(0, 5).join('; ')}\n${JSON.stringify(value).slice(0, 300)}`);
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** What a schema cannot say in one place: how times and money are written, wherever they stand. */
function wellWritten(value: unknown, at = ''): void {
  if (Array.isArray(value)) for (const item of value) wellWritten(item, at);
  else if (typeof value === 'object' && value !== null)
    for (const [key, part] of Object.entries(value)) wellWritten(part, key);
  else if (typeof value === 'number') assert.ok(Number.isFinite(value), at);
  else if (typeof value === 'string') {
    assert.ok(value.isWellFormed(), at);
    if (/^\d{4}-\d\d-\d\d[T ]/.test(value)) assert.match(value, TIME, at);
  }
}

async function walk(path: string): Promise<Listing[]> {
  const found: Listing[] = [];
  for (let next: string | null = '', pages = 0; next !== null; pages += 1) {
    assert.ok(pages < 50);
    const answer: Page = await service.json(`${path}${next && `&cursor=${next}`}`, keys.internal);
    conforms('ListingList', answer);
    found.push(...answer.data);
    next = answer.page.nextCursor;
  }
  return found;
}

const [sales, rentals] = await Promise.all([
  walk('/v1/search/sales?status=any&limit=80'),
  walk('/v1/search/rentals?status=any&limit=80&units=metric'),
]);
const listings = [...sales, ...rentals];

test('every listing of every page has all documented keys, no other, and each as documented', () => {
  assert.ok(sales.length > 200 && rentals.length > 100, 'the walk is whole');
  for (const listing of listings) {
    conforms('Listing', listing);
    wellWritten(listing);
  }
  const [{ price, ...lacking } = assert.fail()] = sales;
  for (const wrong of [lacking, { ...lacking, price: '1' }, { ...lacking, price, more: 1 }])
    assert.throws(() => conforms('Listing', wrong), 'the check can fail');
});

test('what is null, and what is not, agrees within a listing', () => {
  for (const listing of listings) {
    const { listingType, rental, price, priceMonthly, priceFrequency, livingArea, pricePerArea } = listing;
    assert.equal(rental === null, listingType === 'sale');
    assert.equal(priceFrequency === 'ONE_TIME', listingType === 'sale');
    assert.equal(priceMonthly !== null, listingType === 'rental' && price !== null, listing.id);
    assert.equal(pricePerArea !== null, price !== null && Boolean(livingArea), listing.id);
    if (price !== null && livingArea && pricePerArea !== null)
      assert.ok(Math.abs(pricePerArea - price / livingArea) < 0.01 + pricePerArea / 1_000, listing.id);
    assert.equal(listing.areaUnit, listingType === 'sale' ? 'sqft' : 'sqm');
    assert.equal(listing.lotSizeUnit, listing.areaUnit);
    assert.deepEqual(
      listing.photos.map((photo) => photo.order),
      listing.photos.map((photo) => photo.order).toSorted((a, b) => a - b),
    );
    if (listing.address.line1 === null) assert.notEqual(listing.location?.precision, 'exact');
    if (listing.priceChange) {
      const { amount, direction } = listing.priceChange;
      assert.equal(direction, amount < 0 ? 'decrease' : 'increase');
    }
    assert.equal(listing.source, 'cached');
  }
});

test('the url of a listing leads to its property, which is as documented', async () => {
  for (const listing of listings.filter((_, at) => at % 25 === 0)) {
    assert.ok(listing.url.startsWith(`${url}/v1/`));
    for (const query of ['?include=listings,history', '?freshness=cached&units=metric']) {
      const property: Property = await service.json(
        `${listing.url.slice(url.length)}${query}`,
        keys.business,
      );
      conforms('Property', property);
      wellWritten(property);
      assert.equal(property.id, listing.propertyId);
      if (query.startsWith('?include')) {
        assert.ok(property.listings?.some((period) => period.id === listing.id));
        assert.ok(
          property.history?.every((line) => property.listings?.some(({ id }) => id === line.listingId)),
        );
        const times = property.history?.map((line) => line.at) ?? [];
        assert.deepEqual(times, times.toSorted().reverse(), 'newest first');
      }
    }
    const byOwnId: Property = await service.json(`/v1/property/${listing.propertyId}`, keys.pro);
    assert.equal(byOwnId.id, listing.propertyId);
  }
});

test('both records of a stream are listings as documented, and differ in nothing but where they are from', async () => {
  for (const { id } of listings.filter(({ status }) => status === 'ACTIVE').slice(0, 8)) {
    const answer = await service.get(`/v1/listing/${id}`, keys.business);
    const [cached, live] = parseEvents(await answer.text()).map((event) => JSON.parse(event.data));
    for (const record of [cached, live]) {
      conforms('Listing', record);
      wellWritten(record);
    }
    const same = { source: 0, fetchedAt: 0 };
    assert.deepEqual([cached.source, live.source], ['cached', 'live']);
    assert.deepEqual({ ...live, ...same }, { ...cached, ...same });
  }
});

const areas = new Map<string, Area>();
for (let next: string | null = ''; next !== null; ) {
  const answer: { data: Area[]; page: { nextCursor: string | null } } = await service.json(
    `/v1/areas?limit=500${next && `&cursor=${next}`}`,
    keys.internal,
  );
  conforms('AreaList', answer);
  for (const area of answer.data) areas.set(area.id, area);
  next = answer.page.nextCursor;
}

test('the areas of a listing are there, and stand from small to large', async () => {
  for (const { areaIds, id } of listings) {
    const sizes = areaIds.map((areaId) => areas.get(areaId)?.areaKm2 ?? assert.fail(`${id}: ${areaId}`));
    assert.deepEqual(
      sizes,
      sizes.toSorted((a, b) => a - b),
    );
  }
  const [some] = areas.keys();
  conforms('OneArea', await service.json(`/v1/areas/${some}`, keys.pro));
  conforms('AreaFeature', await service.json(`/v1/areas/${some}/boundary`, keys.pro));
});

test('an area counts just the listings that a search in it finds for everybody', async () => {
  const busy = [...areas.values()].flatMap(({ id, counts }) =>
    counts && counts.sales + counts.rentals > 0 ? [{ id, counts }] : [],
  );
  assert.ok(busy.length > 10);
  for (const { id, counts } of busy.filter((_, at) => at % 5 === 0)) {
    for (const kind of ['sales', 'rentals'] as const) {
      const { total }: Page = await service.json(
        `/v1/search/${kind}?areaId=${id}&count=exact&limit=1`,
        keys.internal,
      );
      assert.equal(total.value, counts[kind], `${kind} in ${id}`);
    }
  }
});

test('photos load from where the listing says', async () => {
  const photos = listings.flatMap((listing) => listing.photos).filter((_, at) => at % 400 === 0);
  assert.ok(photos.length > 1);
  for (const photo of photos) {
    const answer = await fetch(photo.url);
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type') ?? '', /^image\//);
    await answer.arrayBuffer();
  }
});

test('no header of the client changes an address that is printed', async () => {
  const [first] = sales;
  for (const path of [
    '/openapi.json',
    '/',
    '/docs',
    '/docs/errors',
    '/docs/limits',
    '/v2',
    '/.well-known/oauth-protected-resource',
    '/v1/search/sales?limit=1',
    '/v1/areas?limit=1',
    `/v1/property/${first?.id}`,
    '/v1/areas/nowhere',
    '/v1/usage',
  ]) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const forged = ['Host', 'X-Forwarded-Host', 'X-Original-Host', 'X-Host'].map(
      (name) => `${name}: evil.example`,
    );
    const more =
      'Forwarded: host=evil.example;proto=https\r\nX-Forwarded-Proto: gopher\r\nX-Forwarded-Port: 1';
    const key = `Authorization: Bearer ${keys.internal}`;
    socket.write(
      `GET ${path} HTTP/1.1\r\n${forged.join('\r\n')}\r\n${more}\r\n${key}\r\nConnection: close\r\n\r\n`,
    );
    const { status, headers, body } = parseRaw(await readToEnd(socket));
    assert.ok(status < 500);
    assert.ok(!/evil|gopher/.test(`${[...headers.values()]} ${body}`), path);
  }
});

test('every documented address that can be read answers with what is documented where all is well', async () => {
  const created = await fetch(`${url}/v1/watchers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.internal}`, 'content-type': 'application/json' },
    body: JSON.stringify({ target: { type: 'search', listingType: 'sale', query: { maxPrice: 600_000 } } }),
  });
  const watcher = ((await created.json()) as { id: string }).id;
  const examples: Record<string, string> = {
    '/v1/listing/{id}': sales[0]?.id ?? '',
    '/v1/listing/{id}/record': sales[0]?.id ?? '',
    ...Object.fromEntries(
      ['', '/events', '/matches', '/deliveries', '/stream'].map((part) => [
        `/v1/watchers/{id}${part}`,
        watcher,
      ]),
    ),
  };
  const listingType = 'sale';
  const [areaId = ''] = areas.keys();
  const queries: Record<string, Record<string, string>> = {
    '/oauth/authorize': authorizationRequest().parameters,
    '/v1/market/stats': { listingType },
    '/v1/market/history': { listingType },
    '/v1/market/compare': { listingType, areaId },
    '/v1/market/distribution': { listingType, measure: 'price' },
  };
  const exampleOf = (path: string) =>
    examples[path] ?? (path.startsWith('/v1/property/{id}') ? sales[0]?.id : [...areas.keys()][0]) ?? '';
  for (const [path, methods] of Object.entries(openapi.paths)) {
    // Of sources: test/push reads them, with a token of their own.
    if (methods.get === undefined || path.startsWith('/v1/sources/')) continue;
    const query = queries[path] === undefined ? '' : `?${new URLSearchParams(queries[path])}`;
    const address = path.replace('{id}', exampleOf(path)) + query;
    const answer = await fetch(`${url}${address}`, {
      headers: { authorization: `Bearer ${keys.internal}` },
      redirect: 'manual',
    });
    const described = methods.get.responses[answer.status]?.content ?? {};
    const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? '';
    const isFeed = path.endsWith('/stream');
    const text = isFeed ? '' : await answer.text();
    if (isFeed) await answer.body?.cancel();
    assert.ok(answer.status < 400, `${path} ${answer.status}`);
    if (text === '') continue;
    assert.ok(type in described, `${path} is ${type}, documented ${Object.keys(described)}`);
    if (type.endsWith('json') && described[type]?.schema.$ref !== undefined)
      conforms(String(described[type].schema.$ref).split('/').at(-1) ?? '', JSON.parse(text));
  }
});
