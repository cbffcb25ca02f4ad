// Proof that hostile, odd and extreme requests are refused in words or answered right: never a 500, never a leak.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { areaId } from '../../src/areas/area.ts';
import { writeAreaBatch } from '../../src/ingest/area-writer.ts';
import type { Listing } from '../../src/listings/record.ts';
import { startCatalogue } from '../support/catalogue/catalogue.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { parseRaw, problemOf, readToEnd } from '../support/service/http-server.ts';

const { database, daysAgo, keys, service, writtenIds } = await startCatalogue({ after });

async function codeOf(path: string): Promise<string> {
  const answer = await service.get(path, keys.internal);
  return answer.status === 200 ? '200' : `${answer.status} ${(await problemOf(answer)).code}`;
}

async function found(query: string): Promise<Listing[]> {
  const { data }: { data: Listing[] } = await service.json(
    `/v1/search/sales?limit=500&${query}`,
    keys.internal,
  );
  return data;
}

/** What comes back for a request line that no client library would send. */
async function send(line: string): Promise<ReturnType<typeof parseRaw>> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  const head = `Host: evil.example\r\nX-Forwarded-Host: evil.example\r\nAuthorization: Bearer ${keys.internal}`;
  socket.write(`${line} HTTP/1.1\r\n${head}\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n`);
  return parseRaw(await readToEnd(socket));
}

await writeAreaBatch(database, 'test', [
  {
    type: 'city',
    externalId: 'Aldern',
    name: 'Aldern',
    aliases: [],
    codes: {},
    parentReference: null,
    population: null,
    boundary: null,
  },
]);

const HOSTILE = [
  '',
  '%00',
  '%ED%A0%80',
  '%F0%9F%8F%A0',
  '%',
  '%27%3B--',
  '..%2F',
  '-0',
  '-1',
  '1e9',
  '0x10',
  'NaN',
  'Infinity',
  '999999999999999',
  '99999999999999999999',
  '0.000000000000001',
  ',',
  ',,,',
  '1,2,3,4',
  '-180,-90,180,90',
  '180,90,-180,90',
  '0,0;0,0;0,0',
  '-180,-90;180,-90;180,90;-180,90',
  'P9999Y',
  'P99999M',
  '0000-01-01',
  '0001-01-01',
  '9999-12-31T23:59:59Z',
  '2026-02-30',
  '[1000]',
  'photos[999]',

  '__proto__',
  'constructor',
  'a'.repeat(600),
  'a,'.repeat(150),
  'true',
  'null',
  '{}',
  '%E2%80%AE',
  '10km',
];

/** On how many routes one and the same parameter is tried. */
const ROUTES_EACH = 2;

test('no text in any parameter of any route is answered with a 5xx', async () => {
  const { paths }: { paths: Record<string, { get?: { parameters?: { in: string; name: string }[] } }> } =
    await service.json('/openapi.json');
  let count = 0;
  const met = new Map<string, number>();
  for (const [path, { get }] of Object.entries(paths)) {
    // Statistics about listings of one kind need to know which.
    const needs = get?.parameters?.some(({ name }) => name === 'listingType') ? 'listingType=sale&' : '';
    const address = path.replace('{id}', 'city-aldern');
    for (const parameter of get?.parameters ?? []) {
      // The same parameter is read by the same code in every route: a few routes prove it.
      const known = JSON.stringify(parameter);
      met.set(known, (met.get(known) ?? 0) + 1);
      if ((met.get(known) ?? 0) > ROUTES_EACH) continue;
      const addresses = HOSTILE.map((text) =>
        parameter.in === 'path'
          ? path.replace('{id}', text)
          : `${address}?${parameter.name === 'listingType' ? '' : needs}${parameter.name}=${text}`,
      );
      const answers = await Promise.all(addresses.map((each) => service.get(each, keys.internal)));
      for (const answer of answers) {
        await answer.body?.cancel();
        assert.ok(answer.status < 500, `${answer.status} ${answer.url}`);
      }
      count += answers.length;
    }
  }
  assert.ok(count > 1_000, 'the routes have parameters');
});

test('a cursor with times that no calendar has is refused', async () => {
  await writtenIds(...[1, 2, 3].map((at) => draft(`cursor-${at}`, { listedAt: daysAgo(at) })));
  const { page }: { page: { nextCursor: string } } = await service.json(
    '/v1/search/sales?limit=1&sort=listedAt',
    keys.pro,
  );
  const parts = JSON.parse(Buffer.from(page.nextCursor, 'base64url').toString());
  const forged = (time: string) => {
    const text = JSON.stringify(parts.with(3, [time]));
    return codeOf(`/v1/search/sales?limit=1&sort=listedAt&cursor=${Buffer.from(text).toString('base64url')}`);
  };
  assert.equal(await forged(parts[3][0]), '200');
  for (const time of ['0000-01-01T00:00:00Z', '2020-02-30T00:00:00Z', '2020-01-01T24:00:00Z'])
    assert.equal(await forged(time), '400 INVALID_CURSOR', time);
});

test('a cursor with more days than there ever were, or fewer than none, leads somewhere or nowhere', async () => {
  await writtenIds(...[1, 2, 3].map((at) => draft(`days-${at}`, { listedAt: daysAgo(at) })));
  for (const sort of ['daysOnMarket', '-daysOnMarket']) {
    const search = `/v1/search/sales?limit=1&sort=${sort}`;
    const { page }: { page: { nextCursor: string } } = await service.json(search, keys.pro);
    const parts = JSON.parse(Buffer.from(page.nextCursor, 'base64url').toString());
    for (const startedAt of [0, parts[2], Date.UTC(9999, 11, 31)]) {
      for (const days of [-1e9, -1, 0, 1e6, 1e6 + 1, 1e8, 1e9, 1e300]) {
        for (const direction of [1, -1]) {
          const text = JSON.stringify(parts.with(1, direction).with(2, startedAt).with(3, [days]));
          const cursor = Buffer.from(text).toString('base64url');
          assert.match(await codeOf(`${search}&cursor=${cursor}`), /^200$|^400 INVALID_CURSOR$/, text);
        }
      }
    }
  }
});

test('moments reach from the year 1 to the end of 9999, and no further', async () => {
  const [old] = await writtenIds(draft('old', { status: 'CLOSED', closePrice: 1, closedAt: '1870-05-01' }));
  const closed = await found('status=CLOSED&closedSince=1870-01-01&closedBefore=1871-01-01');
  assert.deepEqual(
    closed.map((listing) => listing.id),
    [old],
  );
  for (const good of ['0001-01-01', '9999-12-31T23:59:59Z', 'P200Y', '1899-12-31'])
    assert.equal(await codeOf(`/v1/search/sales?listedSince=${good}`), '200', good);
  for (const bad of ['0000-12-31', 'P9999Y', '2026-02-30', '2026-01-01T23:59:60Z', 'P', 'PT', '10000-01-01'])
    assert.equal(await codeOf(`/v1/search/sales?listedSince=${bad}`), '400 INVALID_PARAMETER', bad);
});

test('links to further pages hold the whole query, and the public address whatever host was requested', async () => {
  await writtenIds(
    ...['a', 'b'].map((key) =>
      draft(`link-${key}`, { address: { ...NO_ADDRESS, city: 'Where? Here & There' } }),
    ),
  );
  const path = '/v1/search/sales?limit=1&city=where?+here+%26+there&fields=url';
  for (const target of [path, `http://evil.example${path}`]) {
    const { status, headers, body } = await send(`GET ${target}`);
    assert.equal(status, 200);
    assert.ok(!`${[...headers.values()]}${body}`.includes('evil.example'), target);
    const [, next = ''] = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
    assert.ok(next.startsWith(`${service.url}/v1/search/sales?`), next);
    const page: { data: Listing[] } = await service.json(next.slice(service.url.length), keys.pro);
    assert.equal(page.data.length, 1);
  }
});

test('an address written with escapes, or in whole, answers every method as the plain one does', async () => {
  for (const address of ['/v1/areas', '/v1/%61reas', 'http://evil.example/v1/areas']) {
    assert.equal((await send(`GET ${address}`)).status, 200, address);
    const refused = await send(`DELETE ${address}`);
    assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD, OPTIONS'], address);
    const preflight = await send(`OPTIONS ${address}`);
    assert.deepEqual(
      [preflight.status, preflight.headers.get('allow')],
      [204, 'GET, HEAD, OPTIONS'],
      address,
    );
  }
  for (const address of [
    '/v1/areas/',
    '//v1/areas',
    '/V1/areas',
    '/v1%2Fareas',
    '/v1/areas;x=1',
    '/v1/%2e/areas',
  ])
    assert.equal((await send(`GET ${address}`)).status, 404, address);
});

test('areas: a text without a word, too many words and an unknown parent are refused, a malformed id is no area', async () => {
  for (const query of ['q=!!!', 'q=%20', 'q=a+b+c+d+e+f+g+h+i+j+k', 'parentId=nowhere'])
    assert.equal(await codeOf(`/v1/areas?${query}`), '400 INVALID_PARAMETER', query);
  assert.equal(await codeOf('/v1/areas?q=aldern+aldern'), '200');
  for (const id of ['%00', 'x'.repeat(300), 'a%2Fb', areaId('city', 'nowhere')])
    assert.equal(await codeOf(`/v1/areas/${id}`), '404 AREA_NOT_FOUND', id);
});

test('days on market that are not known come last, whichever way they are sorted', async () => {
  await writtenIds(
    draft('days-none', { status: 'UNKNOWN', listedAt: null, onMarketDate: null }),
    draft('days-0', { status: 'UNKNOWN', onMarketDate: daysAgo(0).slice(0, 10) }),
    draft('days-9', { status: 'UNKNOWN', onMarketDate: daysAgo(9).slice(0, 10) }),
  );
  for (const sort of ['daysOnMarket', '-daysOnMarket']) {
    const days = (await found(`status=any&sort=${sort}`)).map((listing) => listing.daysOnMarket);
    const known = days.filter((value) => value !== null);
    assert.ok(known.length < days.length && known.length > 2);
    assert.deepEqual(
      days.slice(0, known.length),
      known.toSorted((a, b) => (sort[0] === '-' ? b - a : a - b)),
    );
  }
});

test('in either unit a listing is found by the very numbers that it shows, and not by the next ones', async () => {
  await writtenIds(
    ...Array.from({ length: 40 }, (_, at) =>
      draft(`measure-${at}`, {
        livingArea: 870 + at * 7.3,
        lotSize: 4_000 + at,
        listPrice: 500_001 + at * 777,
      }),
    ),
  );
  for (const units of ['imperial', 'metric']) {
    const all = await found(`units=${units}&sort=pricePerArea&minLotSize=1`);
    for (const { id, livingArea, lotSize, pricePerArea } of all.slice(0, 15)) {
      for (const [name, value] of Object.entries({
        LivingArea: livingArea,
        LotSize: lotSize,
        PricePerArea: pricePerArea,
      })) {
        if (value === null) continue;
        const own = await found(`units=${units}&fields=id&min${name}=${value}&max${name}=${value}`);
        assert.ok(
          own.some((listing) => listing.id === id),
          `${units} ${name} ${value}`,
        );
        const above = await found(`units=${units}&fields=id&min${name}=${(value + 0.01).toFixed(2)}`);
        assert.ok(!above.some((listing) => listing.id === id), `${units} ${name} above ${value}`);
      }
    }
  }
});
