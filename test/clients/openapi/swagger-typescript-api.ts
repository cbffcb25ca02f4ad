// A program on a client by swagger-typescript-api: generated, compiled and run by test/docs/openapi-client.test.ts.
import { Api, type Event, type Listing, type Problem } from './api/api';
import { readEvents } from './events';

const [baseUrl = '', key = ''] = process.argv.slice(2);
const { v1 } = new Api({ baseUrl, baseApiParams: { headers: { authorization: `Bearer ${key}` } } });

const query = { minBedrooms: 2, sort: ['price'], limit: 2 };
const facets = ['bedrooms' as const, 'priceBucket' as const];
const { data: first } = await v1.searchSales({ ...query, facets, stats: ['median_list_price'] });
const cursor = first.page.nextCursor ?? '';
const { data: second } = await v1.searchSales({ ...query, cursor });
const homes: Listing[] = [...(first.data ?? []), ...(second.data ?? [])];
const total: number = first.total?.value ?? 0;
const bedrooms: number[] = (first.facets?.bedrooms ?? []).map(({ value }) => value);
const lowest: number | undefined = first.facets?.priceBucket?.[0]?.from;
const median: number | null | undefined = first.stats?.median_list_price?.value;
const rentals = await v1.searchRentalsByBody({ maxPrice: 4_000, limit: 1 });
const rent: number | null | undefined = rentals.data.data?.[0]?.priceMonthly;

const { data: table } = await v1.exportSales(query, { format: 'text' });
const text: string = table;
const { data: map } = await v1.mapSales(query);
const point: number[] | undefined = map.features[0]?.geometry?.coordinates;
const areaId = homes[0]?.areaIds.slice(0, 1) ?? [];
const { data: figures } = await v1.getMarketStats({ listingType: 'sale', areaId });
const inventory: number | null | undefined = figures.metrics.inventory?.value;

const id = homes[0]?.id ?? '';
const streamed: string[] = [];
const live = await v1.streamListing(id);
for await (const { event } of readEvents(live.body)) streamed.push(event);

const target = { type: 'search' as const, listingType: 'sale' as const, query: { ids: [id] } };
const { data: watcher } = await v1.createWatcher({ target, backfill: true });
const feed = await v1.streamWatcherEvents(watcher.id);
let matched: string | undefined;
for await (const { data } of readEvents(feed.body)) {
  const event = data as Event;
  if (event.type === 'search.match_added') matched = event.data.object.id;
  if (event.type === 'watcher.digest') throw new Error(`${event.data.count} events in a digest`);
  break;
}
const { status: deleted } = await v1.deleteWatcher(watcher.id);
const code = await v1.getArea('nowhere').then(
  () => undefined,
  ({ error }: { error: Problem }) => error.code,
);

// @ts-expect-error There is no such parameter.
export const unknown = () => v1.searchSales({ nmae: 'x' });

const ids = homes.map((home) => home.id);
const rows = text.trim().split('\r\n').length;
const seen = { ids, total, bedrooms, lowest, median, rent, rows, point, inventory, streamed };
console.log(JSON.stringify({ ...seen, matched, deleted, code }));
