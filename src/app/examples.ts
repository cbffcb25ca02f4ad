// Examples of parameters and bodies for the OpenAPI document, taken from the sample market.

import type { Examples } from '../http/openapi/openapi-examples.ts';
import { PUSH_EXAMPLES } from '../push/examples.ts';

/** Ids in examples; the reference page replaces them by ids of the running store. */
export const EXAMPLE_IDS = {
  area: 'city-ashcombe',
  listing: 'lst_d1h842qr7jgn1h77ph5k',
  property: 'prp_cd7qay9hf20czjwe0j19',
  watcher: 'wat_8s2k4v6x0z1b3d5f7h9j',
  delivery: 'dlv_0123456789abcdef01234567',
} as const;

const { area, listing, property, watcher, delivery } = EXAMPLE_IDS;

const PLACE = {
  areaId: [area],
  city: ['Ashcombe'],
  neighborhood: ['Larkspur'],
  county: ['Calder'],
  state: ['MW'],
  postalCode: ['86919'],
  country: ['US'],
  address: '2421 Silver Way',
  bbox: '-137.60,40.60,-137.20,41.10',
  lat: 40.8,
  lng: -137.45,
  radius: '5km',
  polygon: '-137.6,40.6;-137.2,40.6;-137.2,41.1;-137.6,41.1',
  map: '[[[-137.6,40.6],[-137.2,40.6],[-137.2,41.1]]]',
  points: ['40.6,-137.6', '40.6,-137.2', '41.1,-137.2'],
  q: 'garden',
  qFields: ['description'],
};

const HOME = {
  status: ['ACTIVE', 'PENDING'],
  propertyType: ['CONDO', 'TOWNHOUSE'],
  propertySubType: ['Condominium'],
  minPrice: 1_000,
  maxPrice: 600_000,
  price: '1000:600000',
  currency: 'USD',
  minPricePerArea: 1,
  maxPricePerArea: 900,
  minBedrooms: 2,
  maxBedrooms: 4,
  bedrooms: [2, 3],
  minBathrooms: 1,
  maxBathrooms: 3,
  bathrooms: '1:3',
  minLivingArea: 600,
  maxLivingArea: 2_400,
  squareFootage: '600:2400',
  minLotSize: 2_000,
  maxLotSize: 20_000,
  lotSize: '2000:20000',
  minacres: 0.1,
  maxacres: 2,
  minYearBuilt: 1950,
  maxYearBuilt: 2020,
  yearBuilt: '1950:2020',
  minParking: 1,
  minGarage: 1,
  minStories: 2,
  minFloor: 3,
  features: ['washer_dryer', 'dishwasher'],
  featuresOperator: 'OR',
  newConstruction: false,
  waterfront: false,
  precision: ['exact'],
  hasPhotos: true,
  hasVirtualTour: false,
  hasPrice: true,
  hasLivingArea: true,
  minDaysOnMarket: 1,
  maxDaysOnMarket: 90,
  daysOld: '0:30',
  listedSince: 'P30D',
  listedBefore: 'P1D',
  updatedSince: 'P7D',
  updatedBefore: '2030-01-01',
  priceChanged: 'decrease',
  priceChangedSince: 'P30D',
  minPriceDropPercent: 5,
  openHouseFrom: '2026-01-01',
  openHouseTo: '2030-01-01T12:00:00Z',
  agentId: ['CSA30510'],
  officeId: ['CSO2050'],
  providerId: ['sample'],
  mlsNumber: ['26019987'],
  ids: [listing],
};

const TERMS = {
  availableFrom: '2026-01-01',
  availableBy: '2030-01-01',
  leaseTermMonths: [6, 12],
  minLeaseTermMonths: 6,
  furnished: ['Furnished'],
  pets: ['cats'],
  noFee: true,
  rentControl: true,

  utilitiesIncluded: ['water'],
  maxMoveInCost: 5_000,
  hasConcession: false,
  maxNetEffectivePrice: 3_000,
  saleCondition: ['Standard'],
  maxMonthlyCost: 900,
  maxAssociationFee: 300,
  maxTax: 600,
  minClosePrice: 200_000,
  maxClosePrice: 800_000,
  closedSince: 'P90D',
  closedBefore: '2030-01-01',
  underContract: 'exclude',
};

/** A placeholder: the cursor comes from a response. */
const CURSOR = 'NEXT_CURSOR_OF_THE_PAGE_BEFORE';

const PAGE = {
  sort: ['price'],
  limit: 3,
  cursor: CURSOR,
  count: 'exact',
  includeTotalCount: true,
  fields: ['id', 'price', 'address.full'],
  include: ['history'],
  units: 'metric',
  format: 'csv',
  facets: ['bedrooms', 'priceBucket'],
  priceBucket: 50_000,
  stats: ['median_list_price'],
  cluster: true,
  zoom: 11,
  explain: true,
};

const STATISTICS = {
  listingType: 'sale',
  from: '2026-01-01',
  to: '2026-07-01',
  metrics: ['median_list_price', 'inventory'],
  groupBy: ['bedrooms'],
  interval: 'month',
  periods: 6,
  window: 'P90D',
  measure: 'price',
  buckets: 10,
  maxRadius: 3,
  compCount: 5,
};

const AREAS = {
  suggest: true,
  parentId: area,
  ancestorId: area,
  type: 'city',
  hasBoundary: true,
  simplify: 100,
};
const AREA_LIST = { include: ['counts'], sort: '-population' };

/** The request of RFC 7636, appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CLIENT = { client_id: 'my-app', redirect_uri: 'http://127.0.0.1:9000/callback' };
const AUTHORIZATION = {
  response_type: 'code',
  ...CLIENT,
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
  state: 'af0ifjsldkj',
};

const OF_WATCHER = { id: watcher };
/** The cursor of a `watcher.digest` event. */
const DIGEST = 'NDgyMTMgd2F0XzhzMms0djZ4MHoxYjNkNWY3aDlqIHdhdGNoZXIuZGlnZXN0IDA';
const FROM_NOW = { after: 'now', lastEventId: 'now' };
const EVENTS = { after: 'now', type: ['search.match_added', 'search.match_removed'] };

/** Homes that the example search finds. */
export const EXAMPLE_HOMES = { maxPrice: 600_000, minBedrooms: 2 };
const SALES = { areaId: [area], ...EXAMPLE_HOMES, limit: 3 };
const RENTALS = { areaId: [area], maxPrice: 3_000, limit: 3 };
const OF_AREA = { listingType: 'sale', areaId: [area] };
const OF_PROPERTY = { id: property };

/** Words in capitals are placeholders for values from earlier responses, the key of zeros for the reader's key. */
export const EXAMPLES: Examples = {
  parameters: {
    ...PLACE,
    ...HOME,
    ...TERMS,
    ...PAGE,
    ...STATISTICS,
    ...AREAS,

    ...PUSH_EXAMPLES.parameters,

    freshness: 'cached',
    verbose: true,
    scope: 'listings:read',
    response_mode: 'query',
    prompt: 'consent',
    resource: ['http://127.0.0.1:8080'],
  },
  perOperation: {
    listWatchers: { status: 'active' },
    exportSales: { include: ['cursor'] },
    exportRentals: { include: ['cursor'] },
    listAreas: { ...AREA_LIST, q: 'ash', bbox: [-137.6, 40.6, -137.2, 41.1] },
    listAreaChildren: AREA_LIST,
    listNearbyAreas: AREA_LIST,
    getArea: AREA_LIST,
    listPropertyListings: { include: ['daysOnMarket'] },
    listEvents: EVENTS,
    streamEvents: FROM_NOW,
    streamWatcherEvents: { ...OF_WATCHER, ...FROM_NOW },
    listChanges: { after: '0' },
    exportChanges: { after: '0' },
    listWatcherEvents: { ...OF_WATCHER, ...EVENTS, digest: DIGEST },
    getWatcher: OF_WATCHER,
    updateWatcher: OF_WATCHER,
    deleteWatcher: OF_WATCHER,
    pauseWatcher: OF_WATCHER,
    resumeWatcher: OF_WATCHER,
    listMatches: OF_WATCHER,
    getUsageHistory: { from: '2027-01-01', to: '2027-01-31', groupBy: ['day', 'channel'] },
    testWatcher: OF_WATCHER,
    rotateSecret: OF_WATCHER,
    listDeliveries: { ...OF_WATCHER, status: 'failed' },
    redeliver: { ...OF_WATCHER, delivery },
    ...PUSH_EXAMPLES.perOperation,
    listComparables: { daysOld: 180 },
    getProperty: { fields: ['id', 'address.full'] },
  },
  samples: {
    searchSales: SALES,
    searchRentals: RENTALS,
    exportSales: SALES,
    exportSalesAsLines: SALES,
    mapSales: SALES,
    exportRentals: RENTALS,
    exportRentalsAsLines: RENTALS,
    mapRentals: RENTALS,
    listAreas: { type: 'city', limit: 3 },
    getArea: { id: area },
    listAreaChildren: { id: area, limit: 3 },
    listNearbyAreas: { id: area, limit: 3 },
    getAreaBoundary: { id: area, simplify: 100 },
    getMarketStats: { ...OF_AREA, metrics: ['median_list_price', 'inventory'] },
    getMarketHistory: { ...OF_AREA, metrics: ['median_list_price'], periods: 6 },
    compareMarkets: { ...OF_AREA, metrics: ['median_list_price'] },
    getMarketYield: { areaId: [area] },
    getMarketDistribution: { ...OF_AREA, measure: 'price', buckets: 10 },
    listPropertyListings: OF_PROPERTY,
    listPropertyHistory: OF_PROPERTY,
    estimateProperty: OF_PROPERTY,
    listSimilarListings: OF_PROPERTY,
    listComparables: OF_PROPERTY,
    getProperty: { id: property, include: ['listings', 'history'] },

    streamListing: { id: listing, lastEventId: 'req_1.cached' },
    getListing: { id: listing },
    exportChanges: { limit: 3 },
    listEvents: { limit: 3 },
    ...PUSH_EXAMPLES.samples,
    showConsent: AUTHORIZATION,
    getReadiness: { verbose: true },
  },
  bodies: {
    searchSalesByBody: { ...SALES, sort: ['price'], facets: ['bedrooms'] },
    searchRentalsByBody: { ...RENTALS, sort: ['price'], features: ['dishwasher'] },
    registerClient: { client_name: 'My app', redirect_uris: [CLIENT.redirect_uri] },
    decideConsent: { decision: 'free', ...AUTHORIZATION },
    exchangeToken: {
      grant_type: 'authorization_code',
      ...CLIENT,
      code: 'CODE_FROM_THE_REDIRECT',
      code_verifier: VERIFIER,
    },
    ...PUSH_EXAMPLES.bodies,
    revokeToken: { token: 'REFRESH_TOKEN', client_id: CLIENT.client_id },
    createWatcher: {
      target: {
        type: 'search',
        listingType: 'sale',
        query: { areaId: [area], ...EXAMPLE_HOMES },
      },
      name: 'Family homes in Ashcombe',
      metadata: { crm: '4711' },
    },
    updateWatcher: { name: 'Family homes', events: ['search.match_added', 'listing.price_decreased'] },
    rotateSecret: { secret: 'whsec_ZXhhbXBsZSBvZiAyNCBieXRlczogb25l' },
    listGrants: { api_key: 'SERVICE-00000000-0000-0000-0000-000000000000' },
  },
};
