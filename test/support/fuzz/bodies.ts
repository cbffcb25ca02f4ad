// Bodies that are made to cost as much as possible: many members, long lists, deep nesting, polygons of many parts.

export interface HostileBody {
  readonly path: string;
  readonly body: string;
}

const repeated = <T>(count: number, item: T): T[] => Array<T>(count).fill(item);

const members = (count: number, length = 0): string =>
  JSON.stringify(
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`minimumPricePerArea${at}`.padEnd(length, 'x'), 1]),
    ),
  );

/** So many squares side by side. */
function squares(count: number): object {
  const coordinates = Array.from({ length: count }, (_, at) => {
    const [west, south] = [-170 + (at % 30) * 10, -80 + Math.floor(at / 30) * 10];
    const corners = [
      [west, south],
      [west + 5, south],
      [west + 5, south + 5],
      [west, south + 5],
    ];
    return [corners];
  });
  return { type: 'MultiPolygon', coordinates };
}

const EVERY_RANGE = Object.fromEntries(
  [
    'Price',
    'PricePerArea',
    'Bedrooms',
    'Bathrooms',
    'LivingArea',
    'LotSize',
    'YearBuilt',
    'DaysOnMarket',
  ].flatMap((name) => [
    [`min${name}`, 0],
    [`max${name}`, 9_000],
  ]),
);
const EVERY_FLAG = Object.fromEntries(
  ['newConstruction', 'waterfront', 'hasPhotos', 'hasPrice', 'hasLivingArea'].map((name) => [name, true]),
);
const EVERY_WORD = Object.fromEntries(
  [
    'city',
    'neighborhood',
    'county',
    'state',
    'postalCode',
    'country',
    'features',
    'agentId',
    'officeId',
    'providerId',
    'mlsNumber',
    'ids',
    'propertySubType',
  ].map((name) => [name, repeated(100, 'aldern')]),
);
const OF_SEARCHES: readonly unknown[] = [
  ...['bbox', 'bedrooms', 'points', 'features', 'fields', 'stats'].map((name) => ({
    [name]: repeated(30_000, 1),
  })),
  ...['ids', 'status', 'facets', 'sort'].map((name) => ({ [name]: repeated(10_000, 'propertyTypes') })),
  { polygon: '1,1;'.repeat(14_000) },
  { polygon: { type: 'Polygon', coordinates: [repeated(10_000, [1, 1])] } },
  { polygon: { type: 'MultiPolygon', coordinates: repeated(5_000, repeated(1, repeated(2, [1, 1]))) } },
  { polygon: squares(120) },
  { polygon: squares(120), facets: ['city', 'areaId', 'features'], explain: true, count: 'exact' },
  { ...EVERY_RANGE, ...EVERY_FLAG, ...EVERY_WORD, polygon: squares(120), explain: true, limit: 1 },
  { q: 'a'.repeat(120_000) },
  { q: 'abcd '.repeat(39), explain: true },
];

/** What can be sent to the routes that read a body. */
export const HOSTILE_BODIES: readonly HostileBody[] = [
  ...[
    ...OF_SEARCHES.map((body) => JSON.stringify(body)),
    members(36_000),
    members(4_400),
    members(200),
    members(200, 600),
    members(200, 64),

    `${'['.repeat(60_000)}${']'.repeat(60_000)}`,
    `{"polygon":${'['.repeat(60_000)}${']'.repeat(60_000)}}`,

    '{"a":'.repeat(20_000),
    `{"minPrice":${'1'.repeat(120_000)}}`,
    `{"city":["${'\\u0041'.repeat(20_000)}"]}`,
  ].map((body) => ({ path: '/v1/search/sales', body })),
  ...[
    members(36_000),
    members(900),
    JSON.stringify({ redirect_uris: repeated(700, 'https://a.example/') }),
    '['.repeat(16_000),
  ].map((body) => ({ path: '/oauth/register', body })),
];

/** The request that carries a body; with a key where one is given. */
export function requestOf({ path, body }: HostileBody, key: string | null): Buffer {
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(key === null ? [] : [`Authorization: Bearer ${key}`]),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
