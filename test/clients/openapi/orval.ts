// A program on a client by orval: generated, compiled and run by test/docs/openapi-client.test.ts.
import {
  createWatcher,
  deleteWatcher,
  type Event,
  exportSales,
  getArea,
  getMarketStats,
  getStreamListingUrl,
  getStreamWatcherEventsUrl,
  type Listing,
  mapSales,
  searchRentalsByBody,
  searchSales,
} from './api/api';
import { readEvents } from './events';

const [baseUrl = '', key = ''] = process.argv.slice(2);
const headers = { authorization: `Bearer ${key}` };
// The addresses that orval writes are relative: they are for browsers, or a fetch with a base.
const { fetch } = globalThis;
globalThis.fetch = (path, init) =>
  fetch(`${baseUrl}${path}`, { ...init, headers: { ...init?.headers, ...headers } });

/** The data of a good answer. Throws what the problem document says. */
function dataOf<A extends { status: number; data: unknown }>(answer: A) {
  if (answer.status >= 400) throw new Error(JSON.stringify(answer.data));
  return answer.data as Extract<A, { status: 200 | 201 }>['data'];
}

const query = { minBedrooms: 2, sort: ['price'], limit: 2 };
const facets = ['bedrooms' as const, 'priceBucket' as const];
const first = dataOf(await searchSales({ ...query, facets, stats: ['median_list_price'] }));
const cursor = first.page.nextCursor ?? '';
const second = dataOf(await searchSales({ ...query, cursor }));
const homes: Listing[] = [...(first.data ?? []), ...(second.data ?? [])];
const total: number = first.total?.value ?? 0;
const bedrooms: number[] = (first.facets?.bedrooms ?? []).map(({ value }) => value);
const lowest: number | undefined = first.facets?.priceBucket?.[0]?.from;
const median: number | null | undefined = first.stats?.median_list_price?.value;
const rentals = dataOf(await searchRentalsByBody({ maxPrice: 4_000, limit: 1 }));
const rent: number | null | undefined = rentals.data?.[0]?.priceMonthly;

const table: string = dataOf(await exportSales(query));
const map = dataOf(await mapSales(query));
const point: number[] | undefined = map.features[0]?.geometry?.coordinates;
const areaId = homes[0]?.areaIds.slice(0, 1) ?? [];
const figures = dataOf(await getMarketStats({ listingType: 'sale', areaId }));
const inventory: number | null | undefined = figures.metrics.inventory?.value;

const id = homes[0]?.id ?? '';
const streamed: string[] = [];
const live = await globalThis.fetch(getStreamListingUrl(id));
for await (const { event } of readEvents(live.body)) streamed.push(event);

const target = { type: 'search' as const, listingType: 'sale' as const, query: { ids: [id] } };
const watcher = dataOf(await createWatcher({ target, backfill: true }));
const feed = await globalThis.fetch(getStreamWatcherEventsUrl(watcher.id));
let matched: string | undefined;
for await (const { data } of readEvents(feed.body)) {
  const event = data as Event;
  if (event.type === 'search.match_added') matched = event.data.object.id;
  if (event.type === 'watcher.digest') throw new Error(`${event.data.count} events in a digest`);
  break;
}
const { status: deleted } = await deleteWatcher(watcher.id);
const missing = await getArea('nowhere');
const code = missing.status === 404 ? missing.data.code : undefined;

// @ts-expect-error There is no such parameter.
export const unknown = () => searchSales({ nmae: 'x' });

const ids = homes.map((home) => home.id);
const rows = table.trim().split('\r\n').length;
const seen = { ids, total, bedrooms, lowest, median, rent, rows, point, inventory, streamed };
console.log(JSON.stringify({ ...seen, matched, deleted, code }));
