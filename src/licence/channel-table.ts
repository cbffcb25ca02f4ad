// THE table of channels: by which one each route shows listings.

import type { Channel } from '../access/tiers/reach.ts';
import type { Route } from '../http/frame/route.ts';

/** Operations by channel. What passes through the MCP endpoint is of its channel, whichever operation answers it. */
const OPERATIONS: Readonly<Record<Channel, readonly string[]>> = {
  search: [
    'searchRentals',
    'searchRentalsByBody',
    'searchSales',
    'searchSalesByBody',
    'mapRentals',
    'mapSales',
    'getProperty',
    'getListing',
    'listPropertyListings',
    'listPropertyHistory',
    'listSimilarListings',
    'listAreas',
    'getArea',
    'listAreaChildren',
    'listNearbyAreas',
    'getAreaBoundary',
  ],
  stream: ['streamListing'],
  export: [
    'exportRentals',
    'exportRentalsAsLines',
    'exportSales',
    'exportSalesAsLines',
    'listChanges',
    'exportChanges',
  ],
  watchers: [
    'createWatcher',
    'listWatchers',
    'getWatcher',
    'updateWatcher',
    'deleteWatcher',
    'pauseWatcher',
    'resumeWatcher',
    'testWatcher',
    'rotateSecret',
    'listMatches',
    'listEvents',
    'listWatcherEvents',
    'streamEvents',
    'streamWatcherEvents',
    'listDeliveries',
    'redeliver',
    'showWatcherPage',
    'useWatcherPage',
  ],
  market: [
    'getMarketStats',
    'getMarketHistory',
    'compareMarkets',
    'getMarketYield',
    'getMarketDistribution',
    'listComparables',
    'estimateProperty',
  ],
  explorer: [
    'showHome',
    'showExplorer',
    'getExploreView',
    'getExploreFacets',
    'getExploreSuggestions',
    'getWatchTarget',
    'showListing',
    'showMarket',
    'getMarketFigures',
    'getReferenceDocument',
  ],
  mcp: ['mcp', 'mcpGet'],
};

/** Operations whose answers hold no listing, and nothing that is counted or computed of listings. */
const WITHOUT_LISTINGS: readonly string[] = [
  'listMetrics',
  'getUsage',
  'getOutlines',
  'getAsset',
  'getBasemap',
  'getSamplePhoto',
  'putListing',
  'patchListing',
  'endListing',
  'getPushedListing',
  'putListings',
  'takeSnapshot',
  'receiveEvents',
  'showAccount',
  'useAccount',
  'showPlans',
  'beginCheckout',
  'showPurchase',
  'showCanceledPurchase',
  'getAuthorizationServer',
  'getProtectedResource',
  'getProtectedResourceOfMcp',
  'registerClient',
  'showConsent',
  'decideConsent',
  'exchangeToken',
  'revokeToken',
  'showGrants',
  'listGrants',
  'polarWebhook',
  'stripeWebhook',
  'mcpPage',
  'exploreSession',
  'exploreSignIn',
  'exploreCallback',
  'exploreWatching',
  'showReference',
  'showInteractiveReference',
  'getReferenceScript',
  'showMetrics',
  'showErrors',
];

const CHANNEL_OF: ReadonlyMap<string, Channel> = new Map(
  Object.entries(OPERATIONS).flatMap(([channel, operations]) =>
    operations.map((operation) => [operation, channel as Channel] as const),
  ),
);

/** The channel of an operation; null: it shows no listings. Undefined where the table does not say. */
export function channelOf(operation: string): Channel | null | undefined {
  const isWithout = WITHOUT_LISTINGS.includes(operation) || isFile(operation);
  return CHANNEL_OF.get(operation) ?? (isWithout ? null : undefined);
}

/** Documents and icons, which are named by their paths. */
const isFile = (operation: string): boolean => /^(show|get) \//.test(operation);

/** The routes, each with its channel. Throws for one that the table does not have. */
export function withChannels<Caller>(routes: readonly Route<Caller>[]): Route<Caller>[] {
  return routes.map(withChannel);
}

function withChannel<Caller>(route: Route<Caller>): Route<Caller> {
  const channel = channelOf(route.operation);
  if (channel === undefined)
    throw new Error(`The table of channels does not say how ${route.operation} shows listings`);
  return {
    ...route,
    ...(channel !== null && { access: { ...route.access, channel } }),
    ...(route.variant !== undefined && { variant: withChannel(route.variant) }),
  };
}
