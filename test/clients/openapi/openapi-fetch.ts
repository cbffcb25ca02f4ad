// A program on types by openapi-typescript, with openapi-fetch: generated, compiled and run by test/docs/openapi-client.test.ts.
import createClient from 'openapi-fetch';
import type { components, paths } from './api/api';
import { readEvents } from './events';

type Event = components['schemas']['Event'];
type Listing = components['schemas']['Listing'];

const [baseUrl = '', key = ''] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });

/** The data of an answer. Throws what the problem document says where there is none. */
function dataOf<T>({ data, error }: { data?: T; error?: { code: string; detail: string } }): T {
  if (data === undefined) throw new Error(`${error?.code}: ${error?.detail}`);
  return data;
}

const query = { minBedrooms: 2, sort: ['price'], limit: 2 };
const facets = ['bedrooms' as const, 'priceBucket' as const];
const first = dataOf(
  await api.GET('/v1/search/sales', {
    params: { query: { ...query, facets, stats: ['median_list_price'] } },
  }),
);
const cursor = first.page.nextCursor ?? '';
const second = dataOf(await api.GET('/v1/search/sales', { params: { query: { ...query, cursor } } }));
const homes: Listing[] = [...(first.data ?? []), ...(second.data ?? [])];
const total: number = first.total?.value ?? 0;
const bedrooms: number[] = (first.facets?.bedrooms ?? []).map(({ value }) => value);
const lowest: number | undefined = first.facets?.priceBucket?.[0]?.from;
const median: number | null | undefined = first.stats?.median_list_price?.value;
const rentals = dataOf(await api.POST('/v1/search/rentals', { body: { maxPrice: 4_000, limit: 1 } }));
const rent: number | null | undefined = rentals.data?.[0]?.priceMonthly;

const table: string = dataOf(
  await api.GET('/v1/search/sales/export', { params: { query }, parseAs: 'text' }),
);
const map = dataOf(await api.GET('/v1/search/sales/geojson', { params: { query } }));
const point: number[] | undefined = map.features[0]?.geometry?.coordinates;
const areaId = homes[0]?.areaIds.slice(0, 1) ?? [];
const figures = dataOf(
  await api.GET('/v1/market/stats', { params: { query: { listingType: 'sale', areaId } } }),
);
const inventory: number | null | undefined = figures.metrics.inventory?.value;

const id = homes[0]?.id ?? '';
const stream = await api.GET('/v1/listing/{id}', { params: { path: { id } }, parseAs: 'stream' });
const streamed: string[] = [];
for await (const { event } of readEvents(stream.data ?? null)) streamed.push(event);

const target = { type: 'search' as const, listingType: 'sale' as const, query: { ids: [id] } };
const watcher = dataOf(await api.POST('/v1/watchers', { body: { target, backfill: true } }));
const path = { id: watcher.id };
const feed = await api.GET('/v1/watchers/{id}/stream', { params: { path }, parseAs: 'stream' });
let matched: string | undefined;
for await (const { data } of readEvents(feed.data ?? null)) {
  const event = data as Event;
  if (event.type === 'search.match_added') matched = event.data.object.id;
  if (event.type === 'watcher.digest') throw new Error(`${event.data.count} events in a digest`);
  break;
}
const { response } = await api.DELETE('/v1/watchers/{id}', { params: { path } });
const missing = await api.GET('/v1/areas/{id}', { params: { path: { id: 'nowhere' } } });

// @ts-expect-error A page for people is no operation.
export const page = () => api.GET('/docs');
// @ts-expect-error There is no such parameter.
export const unknown = () => api.GET('/v1/areas', { params: { query: { nmae: 'x' } } });

const ids = homes.map((home) => home.id);
const rows = table.trim().split('\r\n').length;
const watched = { matched, deleted: response.status, code: missing.error?.code };
const seen = { ids, total, bedrooms, lowest, median, rent, rows, point, inventory, streamed };
console.log(JSON.stringify({ ...seen, ...watched }));
