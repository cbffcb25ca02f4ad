// A program on @freehold/client: compiled and run by test/docs/openapi-client.test.ts beside those on clients of generators.
import { Freehold, FreeholdError, type Listing } from '@freehold/client';

const [baseUrl = '', key = ''] = process.argv.slice(2);
const { search, operations, listing, events } = new Freehold({ baseUrl, key });

const query = { minBedrooms: 2, sort: ['price'], limit: 2 };
const facets = ['bedrooms' as const, 'priceBucket' as const];
const first = await search.sales({ ...query, facets, stats: ['median_list_price'] }).page();
const homes: Listing[] = await search.sales(query).all({ limit: 4 });
const total: number = first.total?.value ?? 0;
const bedrooms: number[] = (first.facets?.bedrooms ?? []).map(({ value }) => value);
const lowest: number | undefined = first.facets?.priceBucket?.[0]?.from;
const median: number | null | undefined = first.stats?.median_list_price?.value;
const rentals = await operations.searchRentalsByBody({ body: { maxPrice: 4_000, limit: 1 } });
const rent: number | null | undefined = rentals.data?.[0]?.priceMonthly;

const table: string = await operations.exportSales({ query });
const map = await operations.mapSales({ query });
const point: number[] | undefined = map.features[0]?.geometry?.coordinates;
const areaId = homes[0]?.areaIds.slice(0, 1) ?? [];
const figures = await operations.getMarketStats({ query: { listingType: 'sale', areaId } });
const inventory: number | null | undefined = figures.metrics.inventory?.value;

const id = homes[0]?.id ?? '';
const streamed: string[] = [];
for await (const { type } of listing.stream(id)) streamed.push(type);

const target = { type: 'search' as const, listingType: 'sale' as const, query: { ids: [id] } };
const { id: watcherId } = await operations.createWatcher({ body: { target, backfill: true } });
let matched: string | undefined;
for await (const { event } of events.feed({ watcherId })) {
  if (event.type === 'search.match_added') matched = event.data.object.id;
  if (event.type === 'watcher.digest') throw new Error(`${event.data.count} events in a digest`);
  break;
}
const deleted = await operations.deleteWatcher({ path: { id: watcherId } }).then(() => true);
const code = await operations.getArea({ path: { id: 'nowhere' } }).then(
  () => undefined,
  (error: unknown) => (error instanceof FreeholdError ? error.code : undefined),
);

// @ts-expect-error There is no such parameter.
export const unknown = () => search.sales({ nmae: 'x' });

const ids = homes.map((home) => home.id);
const rows = table.trim().split('\r\n').length;
const seen = { ids, total, bedrooms, lowest, median, rent, rows, point, inventory, streamed };
console.log(JSON.stringify({ ...seen, matched, deleted, code }));
