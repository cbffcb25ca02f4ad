// A client with generated types, as somebody who builds on the API would write it; compiled and run by test/docs/openapi-client.test.ts.
import createClient from 'openapi-fetch';
import type { paths } from './api.d.ts';

type Problem = 'application/problem+json';

const [baseUrl = '', key = ''] = process.argv.slice(2);
const headers = { authorization: `Bearer ${key}` };
const api = createClient<paths, 'application/json' | Problem>({ baseUrl, headers });
const tables = createClient<paths, 'text/csv' | Problem>({ baseUrl, headers });
const maps = createClient<paths, 'application/geo+json' | Problem>({ baseUrl, headers });

/** The data of an answer. Throws what the problem document says where there is none. */
function dataOf<T>({ data, error }: { data?: T; error?: { code: string; detail: string } }): T {
  if (data === undefined) throw new Error(`${error?.code}: ${error?.detail}`);
  return data;
}

const query = { minBedrooms: 2, sort: ['price'], limit: 2 };
const sales = dataOf(await api.GET('/v1/search/sales', { params: { query } }));
const prices: (number | null)[] = (sales.data ?? []).map(({ price }) => price);

const { lng = 0, lat = 0 } = sales.data?.[0]?.location ?? {};
const [west, east, south, north] = [lng - 1, lng + 1, lat - 1, lat + 1];
const corners = [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];
const polygon = { type: 'Polygon', coordinates: [corners] };
const rentals = dataOf(
  await api.POST('/v1/search/rentals', { body: { maxPrice: 4_000, polygon, limit: 1 } }),
);
const cheapest: number | null | undefined = rentals.data?.[0]?.priceMonthly;

const table: string = dataOf(
  await tables.GET('/v1/search/sales', {
    params: { query: { ...query, format: 'csv' } },
    parseAs: 'text',
  }),
);
const map = dataOf(
  await maps.GET('/v1/search/sales', { params: { query: { ...query, format: 'geojson' } }, parseAs: 'json' }),
);
const point: number[] | undefined = map.features[0]?.geometry?.coordinates;

const [first] = sales.data ?? [];
const property = dataOf(
  await api.GET('/v1/property/{id}', { params: { path: { id: first?.propertyId ?? '' } } }),
);
const missing = await api.GET('/v1/areas/{id}', { params: { path: { id: 'nowhere' } } });
const usage = dataOf(await api.GET('/v1/usage'));
const { data: client } = await api.POST('/oauth/register', {
  body: { client_name: 'Typed', redirect_uris: ['http://127.0.0.1:9000/callback'] },
});

// @ts-expect-error A page for people is no operation.
const page = () => api.GET('/docs');
// @ts-expect-error There is no such parameter.
const unknown = () => api.GET('/v1/areas', { params: { query: { nmae: 'x' } } });

console.log(
  JSON.stringify({
    ...{ prices, cheapest, point, total: sales.total?.relation },
    rows: table.trim().split('\r\n').length,
    property: property.id === first?.propertyId,
    ...{
      code: missing.error?.code,
      tier: usage.tier,
      client: client?.client_id,
      unused: [page, unknown].length,
    },
  }),
);
