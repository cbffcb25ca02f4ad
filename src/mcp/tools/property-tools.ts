// Rows of the tool table about one home: the record, the live copy, the estimate and comparable homes.

import { listingLine, objectOf, rowsOf, shortListingAt, word } from './listing-text.ts';
import { comparablesText, estimateText, propertyText } from './property-text.ts';
import { type Json, READS, type ToolRow } from './tool-row.ts';
import { homeView } from './view-link.ts';

const ID = 'Of a property, or of any of its listings.';

const PROPERTY_FIELDS = [
  'address.full',
  'location',
  'areaIds',
  'propertyType',
  'bedrooms',
  'bathrooms',
  'livingArea',
  'areaUnit',
  'lotSize',
  'yearBuilt',
  'features',
  'lastSale',
  'lastRent',
  'source',
  'fetchedAt',
  'live',
];
const CURRENT = [
  'summary',

  'originalPrice',
  'priceChange',
  'monthlyCosts',
  'rental',
  'description',
  'photoCount',
  'openHouses',
  'listedAt',
].map((name) => `currentListing.${name}`);
const COMPARABLE = [
  'price',
  'basis',
  'closedAt',
  'distance',
  'distanceUnit',
  'similarity',
  'listing.summary',
].map((name) => `comparables.${name}`);

const LIVE = [
  'description',
  'originalPrice',
  'priceChange',
  'photoCount',
  'openHouses',
  'source',
  'updatedAt',
];

/** The short record, and the parts that the call includes. */
function fieldsOf(include: unknown): readonly string[] {
  const parts = Array.isArray(include)
    ? include.filter((part): part is string => typeof part === 'string')
    : [];
  return [
    ...PROPERTY_FIELDS,
    ...CURRENT,
    ...new Set(
      parts.flatMap((part) => {
        if (part === 'comparables') return COMPARABLE;
        if (part === 'daysOnMarket')
          return ['currentListing.cumulativeDaysOnMarket', 'currentListing.daysOnMarketReported'];
        return [part];
      }),
    ),
  ];
}

const propertyLinks = (propertyId: unknown, listings: readonly Json[]) => [
  ...(typeof propertyId === 'string' ? [{ kind: 'property', id: propertyId } as const] : []),
  ...listings.flatMap(({ id }) => (typeof id === 'string' ? [{ kind: 'listing', id } as const] : [])),
];

export const PROPERTY_TOOLS: readonly ToolRow[] = [
  {
    name: 'get_property',
    title: 'Get one home',
    description:
      'Reads one home by the id of its property or of any listing: facts, current listing with remarks, last sale and rent. include adds its listings, history, photos, areas, comparables or estimate. Business and Internal callers get data fetched live unless freshness is cached. Call find_comparables or estimate_value to judge its price.',
    operation: 'getProperty',
    shown: ['include', 'units', 'freshness', 'fields'],
    defaultsFor: ({ fields, include }, detail) =>
      detail === 'short' && fields === undefined ? { fields: fieldsOf(include) } : {},
    descriptions: {
      id: ID,
      include: '',
      freshness: 'auto (default): live if your tier has it.',
      fields:
        'Only these members, such as id, address.full, currentListing.price; in place of the short record.',
    },
    examples: [
      { id: 'lst_8bxfyd9szrvre5mvzvqg' },
      { id: 'prp_jyytkd4rcjfc20mt9n16', include: ['history', 'estimate'] },
    ],
    annotations: { ...READS, openWorldHint: true },
    output: ['id'],
    short: {},
    text: propertyText,
    links: ({ id, currentListing }) => propertyLinks(id, [objectOf(currentListing)]),
    view: ({ id, currentListing }) => homeView(objectOf(currentListing).id ?? id),
    hasApp: true,
  },
  {
    name: 'get_listing_live',
    title: 'Fetch a listing from its source',
    description:
      'Fetches one listing from its source now, and gives that copy beside the stored one. Use it before the user relies on a price or a status. Takes up to ten seconds. Needs the Pro tier and the scope listings:live.',
    operation: 'streamListing',
    shown: [],
    descriptions: { id: 'Of a listing.' },
    examples: [{ id: 'lst_8bxfyd9szrvre5mvzvqg' }],
    annotations: { ...READS, openWorldHint: true },
    short: {
      keep: { ...shortListingAt('cached', LIVE), ...shortListingAt('live', LIVE) },
    },
    output: ['cached', 'live', 'error'],
    text({ cached, live, error }, now) {
      const { code, message } = objectOf(error);
      return [
        live ? `Live: ${listingLine(objectOf(live), now)}` : `No live copy: ${word(message)} (${word(code)})`,
        `Cached: ${listingLine(objectOf(cached), now)}`,
      ].join('\n');
    },
    links: ({ cached }) => propertyLinks(objectOf(cached).propertyId, [objectOf(cached)]),
    view: ({ cached }) => homeView(objectOf(cached).id),
    hasApp: true,
  },
  {
    name: 'estimate_value',
    title: 'Estimate price and rent',
    description:
      'Estimates what one home would sell for and rent for today, with a range that is meant to contain 80 % of the prices paid. No estimate means too few comparable homes. find_comparables shows homes to compare with.',
    operation: 'estimateProperty',
    output: ['propertyId', 'sale', 'rent'],
    shown: [],
    descriptions: { id: ID },
    examples: [{ id: 'prp_jyytkd4rcjfc20mt9n16' }],
    annotations: READS,
    short: { drop: ['rent/method'] },
    text: estimateText,
    links: ({ propertyId }) => propertyLinks(propertyId, []),
    view: ({ propertyId }) => homeView(propertyId),
  },
  {
    name: 'find_comparables',
    title: 'Find comparable homes',
    description:
      'Lists the homes most like one home nearby that closed recently or are on the market, with prices, distances and what differs. Use it to judge an asking price; estimate_value computes a value from them.',
    operation: 'listComparables',
    output: ['propertyId', 'data'],
    shown: ['listingType', 'maxRadius', 'daysOld', 'compCount', 'units'],
    descriptions: {
      id: ID,
      listingType: 'Default: that of its current listing.',
      maxRadius: 'In miles, or km if units is metric. Default 5.',
      daysOld: 'Age of closings in days. Default 365.',
      compCount: '5 to 25. Default 8.',
    },
    defaults: { compCount: 8 },
    examples: [{ id: 'prp_jyytkd4rcjfc20mt9n16', compCount: 5 }],
    annotations: READS,
    short: {
      keep: {
        ...shortListingAt('data/*/listing'),
        'data/*/why': ['differs'],
      },
    },
    text: comparablesText,
    links: ({ propertyId, data }) =>
      propertyLinks(
        propertyId,
        rowsOf(data).map(({ listing }) => objectOf(listing)),
      ),
    view: ({ propertyId }) => homeView(propertyId),
    hasApp: true,
  },
];
