// Rows of the tool table that search: homes for rent, homes for sale, and areas.

import {
  currencyNote,
  dotted,
  listingLine,
  number,
  numbered,
  objectOf,
  rowsOf,
  totalOf,
  word,
} from './listing-text.ts';
import { type Json, READS, type ToolRow } from './tool-row.ts';

const PLACE = ['areaId', 'city', 'neighborhood', 'postalCode', 'address', 'lat', 'lng', 'radius', 'bbox'];
const HOME = [
  ...[
    'q',
    'status',
    'propertyType',
    'minPrice',
    'maxPrice',
    'bedrooms',
    'minBedrooms',
    'maxBedrooms',
    'minBathrooms',
  ],
  ...['minLivingArea', 'maxLivingArea', 'minYearBuilt', 'features', 'hasPhotos'],
  ...['maxDaysOnMarket', 'listedSince', 'priceChanged', 'openHouseFrom', 'openHouseTo'],
];
const ANSWER = ['currency', 'units', 'sort', 'limit', 'cursor', 'count', 'fields', 'explain'];

const DESCRIPTIONS = {
  q: 'Words in address, area names or description; all must match. Tolerates typos in names. For numbers and kinds use the other parameters.',
  areaId: 'In any of these areas. find_areas gives ids by name.',
  features: 'Homes that have all of these, such as washer_dryer or pool.',
  sort: 'price, -price, -listedAt (default), pricePerArea, livingArea, daysOnMarket, closedAt, distance (needs lat, lng and radius), -relevance (needs q); - is descending.',
  limit: 'Homes in the result, at most your tier’s page size.',
  cursor: 'nextCursor of the previous result. Send the same filters with it.',
  count: 'Whether to count total: exact (default; estimate means the same) or none.',
  fields:
    'Returns only these members of each record, such as id,price,address.city,photos[1]. Replaces the short record.',
  explain:
    'True: for each filter, how many homes match it alone and how many match all others. Use it when nothing is found.',
};

const shared = {
  defaults: { limit: 10 },
  defaultsFor: ({ fields }: Json, detail: string) =>
    detail === 'short' && fields === undefined ? { fields: ['summary'] } : {},
  descriptions: DESCRIPTIONS,
  annotations: READS,
  short: {},
} as const;

function searchText(answer: Json, noun: string, now: number): string {
  const rows = rowsOf(answer.data);
  const total = totalOf(answer.total);
  const meta = objectOf(answer.meta);
  const found = total === '' ? `${rows.length} ${noun}` : `${total} ${noun} match; ${rows.length} shown`;
  const loading =
    meta.loading === null || meta.loading === undefined
      ? ''
      : ' The source is still loading: more may follow.';
  const places = rowsOf(meta.suggestions).map(({ name, id }) => `${word(name)} (${word(id)})`);
  return [
    `${found}.${loading}`,
    numbered(rows.map((row) => listingLine(row, now))),
    currencyNote(meta.currency, meta.currencyChoice),
    places.length > 0 ? `Did you mean: ${places.join(', ')}?` : '',
    rows.length === 0 ? 'Widen the filters, or call again with explain true.' : '',
  ]
    .filter((part) => part !== '')
    .join('\n');
}

const searchLinks = ({ data }: Json) =>
  rowsOf(data).map(({ id }) => ({ kind: 'listing', id: String(id) }) as const);

const NEXT =
  'Read one home with get_property, fetch it from its source with get_listing_live, compare prices with find_comparables or get_market_stats, and follow the search with create_watcher.';

export const SEARCH_TOOLS: readonly ToolRow[] = [
  {
    ...shared,
    name: 'search_rentals',
    title: 'Search homes for rent',
    description: `Finds homes for rent by place, rent, size, pets and dates. Values of one parameter are alternatives; different parameters must all match. ${NEXT}`,
    operation: 'searchRentals',
    shown: [
      ...PLACE,
      ...HOME,
      ...[
        'availableFrom',
        'availableBy',
        'minLeaseTermMonths',
        'furnished',
        'pets',
        'noFee',
        'maxMoveInCost',
      ],
      ...ANSWER,
    ],
    examples: [
      { city: ['Eastmark'], minBedrooms: 3, maxPrice: 2500, pets: ['dogs'] },
      { areaId: ['neighborhood-ashgrove'], sort: ['price'] },
    ],
    text: (answer, now) => searchText(answer, 'homes for rent', now),
    links: searchLinks,
  },
  {
    ...shared,
    name: 'search_sales',
    title: 'Search homes for sale',
    description: `Finds homes for sale, and with status CLOSED those that were sold, by place, price, size and dates. Values of one parameter are alternatives; different parameters must all match. ${NEXT}`,
    operation: 'searchSales',
    shown: [
      ...PLACE,
      ...HOME,
      ...['newConstruction', 'waterfront', 'minLotSize', 'maxMonthlyCost', 'closedSince', 'underContract'],
      ...ANSWER,
    ],
    examples: [
      { city: ['Eastmark'], minBedrooms: 3, maxPrice: 700000 },
      { areaId: ['city-eastmark'], status: ['CLOSED'], closedSince: 'P90D', sort: ['-closedAt'] },
    ],
    text: (answer, now) => searchText(answer, 'homes for sale', now),
    links: searchLinks,
  },
  {
    name: 'find_areas',
    title: 'Find areas by name or place',
    description:
      'Finds neighbourhoods, cities, ZIP codes, counties and other areas by name, by a point in them, or below another area, with the numbers of homes on the market. Pass their ids as areaId to search_rentals, search_sales, get_market_stats and compare_markets.',
    operation: 'listAreas',
    shown: ['q', 'type', 'parentId', 'ancestorId', 'lat', 'lng', 'sort', 'limit', 'cursor'],
    defaults: { limit: 10 },
    descriptions: { limit: 'Areas in the result, at most your tier’s page size.' },
    examples: [
      { q: 'ashgrove' },
      { ancestorId: 'city-eastmark', type: 'neighborhood', sort: '-listingCount' },
    ],
    annotations: READS,
    short: {
      keep: {
        'data/*': [
          'id',
          'object',
          'name',
          'type',
          'parentId',
          'ancestors',
          'population',
          'counts',
          'centroid',
          'areaKm2',
        ],
      },
    },
    text({ data }) {
      const rows = rowsOf(data).map(({ id, name, type, ancestors, counts }) => {
        const within = rowsOf(ancestors).map((area) => word(area.name));
        const { rentals, sales } = objectOf(counts);
        const homes = counts ? `${number(rentals)} for rent, ${number(sales)} for sale` : null;
        return dotted([`${word(name)} (${word(type)})`, within.join(', '), homes, word(id)]);
      });
      return rows.length === 0 ? 'No area matches. Try fewer words, or a part of the name.' : numbered(rows);
    },
    links: ({ data }) => rowsOf(data).map(({ id }) => ({ kind: 'area', id: String(id) })),
  },
];
