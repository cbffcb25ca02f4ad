// Rows of the tool table that search: homes for rent, homes for sale, and areas.

import {
  currencyNote,
  dotted,
  listingLine,
  number,
  numbered,
  objectOf,
  rowsOf,
  word,
} from './listing-text.ts';
import { type Json, READS, type ToolRow } from './tool-row.ts';
import { areasView, searchView } from './view-link.ts';

const PLACE = ['areaId', 'city', 'neighborhood', 'postalCode', 'address', 'lat', 'lng', 'radius', 'bbox'];
const HOME = [
  'q',
  'status',
  'propertyType',
  'minPrice',
  'maxPrice',
  'bedrooms',
  'minBedrooms',
  'maxBedrooms',
  'minBathrooms',
  'minLivingArea',
  'maxLivingArea',
  'minYearBuilt',
  'features',
  'hasPhotos',
  'maxDaysOnMarket',
  'listedSince',
  'priceChanged',
  'openHouseFrom',
  'openHouseTo',
];
const TERMS = [
  'availableFrom',
  'availableBy',
  'minLeaseTermMonths',
  'furnished',
  'pets',
  'noFee',
  'maxMoveInCost',
];
const COSTS = [
  'newConstruction',
  'waterfront',
  'precision',
  'minLotSize',
  'maxMonthlyCost',
  'closedSince',
  'underContract',
];
/** The filters of both searches, which a watcher takes too. */
export const FILTERS = [...PLACE, ...HOME, ...TERMS, ...COSTS, 'currency', 'units'];
const ANSWER = ['currency', 'units', 'sort', 'limit', 'cursor', 'count', 'fields', 'explain'];

const shared = {
  defaults: { limit: 10 },
  defaultsFor: ({ fields }: Json, detail: string) =>
    detail === 'short' && fields === undefined ? { fields: ['summary'] } : {},
  descriptions: { limit: 'Homes in the result.' },
  annotations: READS,
  rows: 'data',
  output: ['data', 'page', 'total', 'meta'],
  short: {},
} as const;

function searchText(answer: Json, noun: Noun, now: number): string {
  const rows = rowsOf(answer.data);
  const total = objectOf(answer.total).value;
  const meta = objectOf(answer.meta);
  const found =
    typeof total !== 'number'
      ? countOf(rows.length, noun)
      : `${countOf(total, noun)} found; ${rows.length} shown`;
  const loading =
    meta.loading === null || meta.loading === undefined
      ? ''
      : ' The source is still loading: more may follow.';
  return [
    `${found}.${loading}`,
    numbered(rows.map((row) => listingLine(row, now))),
    currencyNote(meta.currency, meta.currencyChoice),
    ...rowsOf(meta.suggestions).map(suggestionLine),
    explainText(answer.explain),
    rows.length === 0 && answer.explain === undefined
      ? 'Widen the filters, or call again with explain true.'
      : '',
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** `1 home for sale`, `1,338 homes for sale`. */
const countOf = (count: unknown, { one, many }: Noun): string =>
  `${number(count)} ${count === 1 ? one : many}`;

/** `No city "Eastmrk". Did you mean Eastmark?`. */
function suggestionLine({ parameter, value, suggestions }: Json): string {
  const names = (Array.isArray(suggestions) ? suggestions : []).map(word).filter((name) => name !== '');
  const meant = names.length > 0 ? ` Did you mean ${names.join(', ')}?` : ' Nothing is named like it.';
  return `No ${word(parameter)} "${word(value)}".${meant}`;
}

/** `minPrice: 12 match it alone, 30 match all the others.`, a line for each filter. */
function explainText(explain: unknown): string {
  return rowsOf(objectOf(explain).filters)
    .map(
      ({ parameter, matchesAlone, matchesWithout }) =>
        `${word(parameter)}: ${number(matchesAlone)} match it alone, ${number(matchesWithout)} match all the others.`,
    )
    .join('\n');
}

interface Noun {
  readonly one: string;
  readonly many: string;
}
const RENTALS: Noun = { one: 'home for rent', many: 'homes for rent' };
const SALES: Noun = { one: 'home for sale', many: 'homes for sale' };

const searchLinks = ({ data }: Json) =>
  rowsOf(data).map(({ id }) => ({ kind: 'listing', id: String(id) }) as const);

const NEXT =
  'It knows nothing of school quality, crime, transit or commutes. Next: get_property, get_listing_live, find_comparables, create_watcher.';

export const SEARCH_TOOLS: readonly ToolRow[] = [
  {
    ...shared,
    name: 'search_rentals',
    title: 'Search homes for rent',
    description: `Finds homes for rent by place, rent, size, pets and dates. Values of one argument are alternatives; different arguments must all match. ${NEXT}`,
    operation: 'searchRentals',
    shown: [...PLACE, ...HOME, ...TERMS, ...ANSWER],
    examples: [
      { city: ['Eastmark'], minBedrooms: 3, maxPrice: 2500, pets: ['dogs'] },
      { areaId: ['neighborhood-ashgrove'], sort: ['price'] },
    ],
    text: (answer, now) => searchText(answer, RENTALS, now),
    links: searchLinks,
    view: searchView('rental'),
    hasApp: true,
  },
  {
    ...shared,
    name: 'search_sales',
    title: 'Search homes for sale',
    description: `Finds homes for sale, and with status CLOSED those sold, by place, price, size and dates. Values of one argument are alternatives; different arguments must all match. ${NEXT}`,
    operation: 'searchSales',
    shown: [...PLACE, ...HOME, ...COSTS, ...ANSWER],
    examples: [
      { city: ['Eastmark'], minBedrooms: 3, maxPrice: 700000 },
      { areaId: ['city-eastmark'], status: ['CLOSED'], closedSince: 'P90D', sort: ['-closedAt'] },
    ],
    text: (answer, now) => searchText(answer, SALES, now),
    links: searchLinks,
    view: searchView('sale'),
    hasApp: true,
  },
  {
    name: 'find_areas',
    title: 'Find areas by name or place',
    description:
      'Finds neighbourhoods, cities, ZIP codes, counties and other areas by name, by a point in them, or below another area, with the numbers of homes on the market. Their ids are areaId elsewhere.',
    operation: 'listAreas',
    rows: 'data',
    output: ['data', 'page'],
    shown: ['q', 'type', 'parentId', 'ancestorId', 'lat', 'lng', 'sort', 'limit', 'cursor'],
    defaults: { limit: 10 },
    descriptions: {
      q: 'Starts of words of the name, in any order; typos are tolerated.',
      parentId: 'Areas right below this one.',
      ancestorId: 'Areas anywhere below this one.',
      lat: 'With lng: areas around this point.',
      sort: 'Default name.',
      limit: 'Areas in the result.',
    },
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
    view: ({ data }) => areasView(data),
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
