// Tests of geocoders: each dialect over loopback, what its answers become, its rate, its failures, and what is kept.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import type { Dialect } from '../../src/geocoding/geocoder-settings.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import type { Listing } from '../../src/listings/record.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { until } from '../support/check/until.ts';
import { atEnd, type Closing } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';

/** Answers of the servers by house number: a house, the street alone, another town, and nothing. */
const HOUSE = { lat: 47.6205, lng: -122.3493 };
const PLACES: Readonly<Record<string, { lat: number; lng: number; isHouse: boolean }>> = {
  '400': { ...HOUSE, isHouse: true },
  '500': { lat: 47.63, lng: -122.34, isHouse: false },
  '600': { lat: 40.7, lng: -74, isHouse: true },
};

const BODIES: Readonly<Record<Dialect, (number: string) => unknown>> = {
  nominatim(number) {
    const place = PLACES[number];
    if (!place) return [];
    const house = place.isHouse ? { house_number: number } : {};
    return [
      { lat: String(place.lat), lon: String(place.lng), place_rank: place.isHouse ? 30 : 26, address: house },
    ];
  },
  photon: (number) =>
    features(number, (isHouse) => (isHouse ? { type: 'house', housenumber: number } : { type: 'street' })),
  pelias: (number) =>
    features(number, (isHouse) =>
      isHouse
        ? { layer: 'address', accuracy: 'point', housenumber: number }
        : { layer: 'address', accuracy: 'interpolated' },
    ),
};

function features(number: string, properties: (isHouse: boolean) => object) {
  const place = PLACES[number];
  if (!place) return { type: 'FeatureCollection', features: [] };
  const geometry = { type: 'Point', coordinates: [place.lng, place.lat] };
  return { features: [{ type: 'Feature', geometry, properties: properties(place.isHouse) }] };
}

async function geocoder(t: Closing, dialect: Dialect) {
  const requests: { url: URL; agent: string | undefined; at: number }[] = [];
  const state = { isDown: false, now: () => 0 };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    requests.push({ url, agent: request.headers['user-agent'], at: state.now() });
    if (state.isDown) return void response.writeHead(503).end('down');
    const text = url.searchParams.get({ nominatim: 'street', photon: 'q', pelias: 'text' }[dialect]) ?? '';
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(BODIES[dialect](/\d+/.exec(text)?.[0] ?? '')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(t, () => new Promise<void>((resolve) => void server.close(() => resolve())));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, requests, state };
}

const address = (number: string): ListingDraft['address'] => ({
  ...NO_ADDRESS,
  streetNumber: number,
  streetName: 'Broad St',
  city: 'Seattle',
  state: 'WA',
  postalCode: '98101',
  country: 'US',
});

async function running(t: Closing, dialect: Dialect) {
  const server = await geocoder(t, dialect);
  const clock = manualClock();
  server.state.now = clock.monotonic;
  const service = await startService(t, {
    clock,
    environment: {
      GEOCODER_URL: `http://127.0.0.1:${server.port}/?api_key=hidden`,
      GEOCODER_DIALECT: dialect,
      GEOCODER_RATE: '1',
      IMPORT_ALLOW: `127.0.0.0/8:${server.port}`,
    },
  });
  const catalogue = createCatalogue(service.database);
  const write = (...drafts: ListingDraft[]) =>
    service.database.transaction((tx) => catalogue.write(tx, 'test', drafts, clock.now()));
  const locations = async () => {
    const answer: { data: Listing[] } = await service.json(
      '/v1/search/sales?limit=500',
      service.keys.internal,
    );
    return new Map(answer.data.map(({ provider, location }) => [provider.listingKey, location]));
  };
  /** Lets time go on, in steps of a second, until something is so. */
  const untilThen = (what: string, condition: () => boolean | Promise<boolean>) =>
    until(what, async () => {
      clock.advance(1_000);
      return condition();
    });
  return { server, clock, service, write, locations, untilThen };
}

for (const dialect of ['nominatim', 'photon', 'pelias'] as const)
  test(`${dialect} makes a house exact, and a street no more than approximate; each address is asked for once`, async (t) => {
    const { server, clock, service, write, locations, untilThen } = await running(t, dialect);
    const from = clock.monotonic();
    await write(
      draft('house', { address: address('400') }),
      draft('again', { address: { ...address('400'), streetName: 'BROAD STREET' } }),
      draft('street', { address: address('500') }),
      draft('elsewhere', { address: address('600') }),
      draft('unknown', { address: address('700') }),
      draft('no street', { address: { ...address('400'), streetName: null, streetNumber: null } }),
      draft('stated', {
        address: address('800'),
        location: { lat: 47.5, lng: -122.4, precision: 'approximate' },
      }),
    );
    await untilThen('all are asked for', async () => {
      if (server.requests.length < 4) return false;
      const found = await locations();
      return ['house', 'again', 'street'].every((key) => found.get(key)?.source === 'geocoder');
    });
    const found = await locations();
    const exact = { ...HOUSE, precision: 'exact', source: 'geocoder' };
    assert.deepEqual([found.get('house'), found.get('again')], [exact, exact]);
    assert.equal(found.get('street')?.precision, 'approximate');
    for (const key of ['elsewhere', 'unknown', 'no street'])
      assert.equal(found.get(key)?.source, 'gazetteer', key);
    assert.equal(found.get('stated')?.source, 'provided');
    const asked = server.requests.map(({ url }) => url.search);
    assert.equal(new Set(asked).size, asked.length, 'none is asked for twice');
    assert.equal(asked.length, 4);
    for (const { agent, url } of server.requests) {
      assert.match(agent ?? '', /^Freehold\/\d\S* \(http/);
      assert.equal(url.searchParams.get('api_key'), 'hidden');
    }
    const times = server.requests.map(({ at }) => at);
    // Time may pass while a request is on its way, so each is compared with the start.
    for (const [at, time] of times.entries()) assert.ok(time - from >= at * 1_000, 'its rate');
    // The source says the same again, and then another address.
    assert.equal((await write(draft('house', { address: address('400') }))).unchanged, 1);
    await write(draft('house', { address: address('500'), listPrice: 1 }));
    assert.deepEqual((await locations()).get('house'), found.get('street'), 'known already');
    await write(draft('house', { address: address('900') }));
    assert.equal((await locations()).get('house')?.source, 'gazetteer');
    await untilThen('the new address is asked for', () => server.requests.length === 5);
    const metrics = await (await service.get('/metrics')).text();
    assert.match(metrics, /freehold_geocoder_requests_total\{result="exact"\} 1/);
  });

const { server, clock, service, write, locations, untilThen } = await running({ after }, 'photon');

test('one that is down is left alone, longer each time; nothing is lost, and it goes on where it was', async () => {
  server.state.isDown = true;
  await write(draft('house', { address: address('400') }), draft('street', { address: address('500') }));
  await untilThen('it was tried', () => server.requests.length === 1);
  await untilThen('it was tried again', () => server.requests.length === 2);
  const [first, second] = server.requests.map(({ at }) => at);
  assert.ok((second ?? 0) - (first ?? 0) >= 60_000);
  assert.equal((await locations()).get('house')?.source, 'gazetteer');
  server.state.isDown = false;
  await untilThen('both are known', async () => {
    const found = await locations();
    return ['house', 'street'].every((key) => found.get(key)?.source === 'geocoder');
  });
});

const hasUnknown = async (): Promise<boolean> =>
  (await service.database.read((sql) => sql`select from geocoded_address where precision is null`)).length >
  0;

test('an address that was unknown is asked for again after a month', async () => {
  await write(draft('unknown', { address: address('700') }));
  const asked = () => server.requests.filter(({ url }) => url.search.includes('700')).length;
  await untilThen('it is asked for', () => asked() === 1);
  // Not before, or the answer would be late by the clock.
  await until('the answer is kept', hasUnknown);
  clock.advance(29 * 86_400_000);
  await untilThen('another is asked for', async () => {
    await write(draft('other', { address: address('701') }));
    return server.requests.some(({ url }) => url.search.includes('701'));
  });
  assert.equal(asked(), 1);
  clock.advance(2 * 86_400_000);
  await untilThen('it is asked for again', () => asked() === 2);
});
