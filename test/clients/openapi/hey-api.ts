// A program on a client by @hey-api/openapi-ts: generated, compiled and run by test/docs/openapi-client.test.ts.

import { client } from './api/client.gen';
import {
  createWatcher,
  deleteWatcher,
  exportSales,
  getArea,
  getMarketStats,
  type Listing,
  mapSales,
  searchRentalsByBody,
  searchSales,
  streamListing,
  streamWatcherEvents,
} from './api/index';

const [baseUrl = '', key = ''] = process.argv.slice(2);
client.setConfig({ baseUrl, auth: key, throwOnError: true });
const throwOnError = true as const;

const query = { minBedrooms: 2, sort: ['price'], limit: 2 };
const facets = ['bedrooms' as const, 'priceBucket' as const];
const { data: first } = await searchSales({
  query: { ...query, facets, stats: ['median_list_price'] },
  throwOnError,
});
const cursor = first.page.nextCursor ?? '';
const { data: second } = await searchSales({ query: { ...query, cursor }, throwOnError });
const homes: Listing[] = [...(first.data ?? []), ...(second.data ?? [])];
const total: number = first.total?.value ?? 0;
const bedrooms: number[] = (first.facets?.bedrooms ?? []).map(({ value }) => value);
const lowest: number | undefined = first.facets?.priceBucket?.[0]?.from;
const median: number | null | undefined = first.stats?.median_list_price?.value;
const rentals = await searchRentalsByBody({ body: { maxPrice: 4_000, limit: 1 }, throwOnError });
const rent: number | null | undefined = rentals.data.data?.[0]?.priceMonthly;

const { data: table } = await exportSales({ query, throwOnError });
const text: string = table;
const { data: map } = await mapSales({ query, throwOnError });
const point: number[] | undefined = map.features[0]?.geometry?.coordinates;
const areaId = homes[0]?.areaIds.slice(0, 1) ?? [];
const figures = await getMarketStats({ query: { listingType: 'sale', areaId }, throwOnError });
const inventory: number | null | undefined = figures.data.metrics.inventory?.value;

const id = homes[0]?.id ?? '';
const streamed: string[] = [];
const onSseEvent = ({ event }: { event?: string }) => {
  if (event !== undefined) streamed.push(event);
};
const { stream } = await streamListing({ path: { id }, onSseEvent, sseMaxRetryAttempts: 1 });
const prices: (number | null)[] = [];
for await (const data of stream)
  if (data && 'price' in data && data.price !== undefined) prices.push(data.price);
if (prices.length !== 2) throw new Error(`${prices.length} listings in the stream`);

const target = { type: 'search' as const, listingType: 'sale' as const, query: { ids: [id] } };
const { data: watcher } = await createWatcher({ body: { target, backfill: true }, throwOnError });
const path = { id: watcher.id };
const feed = await streamWatcherEvents({ path });
let matched: string | undefined;
for await (const event of feed.stream) {
  if (event.type === 'search.match_added') matched = event.data.object.id;
  if (event.type === 'watcher.digest') throw new Error(`${event.data.count} events in a digest`);
  break;
}
const { response } = await deleteWatcher({ path, throwOnError });
const missing = await getArea({ path: { id: 'nowhere' }, throwOnError: false });

// @ts-expect-error There is no such parameter.
export const unknown = () => searchSales({ query: { nmae: 'x' } });

const ids = homes.map((home) => home.id);
const rows = text.trim().split('\r\n').length;
const watched = { matched, deleted: response.status, code: missing.error?.code };
const seen = { ids, total, bedrooms, lowest, median, rent, rows, point, inventory, streamed };
console.log(JSON.stringify({ ...seen, ...watched }));
process.exit();
