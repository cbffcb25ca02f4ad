// All routes of the service, feature by feature.

import type { KeyForm } from '../access/key-form/key-form.ts';
import { accessRoutes, type UsageParts } from '../access/routes.ts';
import type { Principal, Tiers } from '../access/tiers/tiers.ts';
import { grantsRoutes } from '../account/grants/routes.ts';
import { type BillingPageOptions, billingPageRoutes } from '../account/plans/routes.ts';
import { type AccountOptions, accountRoutes } from '../account/routes.ts';
import { type WatcherPageContext, watcherPageRoutes } from '../account/watchers/routes.ts';
import type { AreaIdCache } from '../areas/area-cache.ts';
import { createOutlines } from '../areas/outlines/outlines.ts';
import { outlineRoutes } from '../areas/outlines/routes.ts';
import { areaRoutes } from '../areas/routes.ts';
import { changeRoutes } from '../changes/http/routes.ts';
import type { EventMetrics } from '../entity-events/event-metrics.ts';
import { entityEventRoutes } from '../entity-events/routes.ts';
import type { ExplorerAccess } from '../explore/allowance/allowance.ts';
import { Assets } from '../explore/assets/assets.ts';
import { assetRoute } from '../explore/assets/routes.ts';
import type { Basemap } from '../explore/basemap/archive.ts';
import { basemapRoutes } from '../explore/basemap/routes.ts';
import { homeRoutes } from '../explore/home/routes.ts';
import { marketPageRoutes } from '../explore/market/routes.ts';
import { exploreRoutes } from '../explore/routes.ts';
import { sessionRoutes } from '../explore/session/routes.ts';
import type { Route } from '../http/frame/route.ts';
import type { Json } from '../http/openapi/openapi-schemas.ts';
import type { Catalogue } from '../ingest/listing-writer.ts';
import type { Clock } from '../lib/clock.ts';
import type { Metrics } from '../lib/metrics.ts';
import { withChannels } from '../licence/channel-table.ts';
import type { CachedReads } from '../listings/property-cache.ts';
import { freshnessOf } from '../listings/provenance/confirmation-store.ts';
import { createReadSources } from '../listings/provenance/data-source-store.ts';
import type { FindLoading } from '../listings/provenance/loading.ts';
import type { Refresh } from '../live/refresh.ts';
import { liveRoutes } from '../live/routes.ts';
import { createMarketAnswers } from '../market/answers.ts';
import { createAreaTrends } from '../market/area-trend.ts';
import type { FactSource } from '../market/facts/market-facts.ts';
import type { MarketFigures } from '../market/figure.ts';
import { marketRoutes } from '../market/routes.ts';
import { mcpRoutes } from '../mcp/routes.ts';
import { type PhotoParts, photoRoutes } from '../media/routes.ts';
import type { OAuthEndpoints } from '../oauth/authorization-server.ts';
import { LIFETIMES } from '../oauth/protocol/tokens.ts';
import type { Database } from '../postgres/client/database.ts';
import { PriceTrends } from '../property/price-trend-store.ts';
import { propertyRoutes } from '../property/routes.ts';
import type { PushOptions } from '../push/push-parts.ts';
import { pushRoutes } from '../push/routes.ts';
import type { RecordCache } from '../search/http/record-cache.ts';
import { searchRoutes } from '../search/http/routes.ts';
import type { SearchSessions } from '../search/query/search-backend.ts';
import type { AnalyticsQueue } from '../search/summaries/analytics-queue.ts';
import type { FindCurrencies } from '../search/summaries/currency.ts';
import { METRICS, MINIMUM_SAMPLE } from '../search/summaries/metrics.ts';
import { siteRoutes } from '../site/routes.ts';
import type { LogoFile } from '../site/site-settings.ts';
import { usageRoutes } from '../usage/routes.ts';
import { eventRoutes } from '../watch/events/routes.ts';
import type { FeedHub } from '../watch/feeds/feed-hub.ts';
import { feedRoutes } from '../watch/feeds/routes.ts';
import { freezeSearch } from '../watch/freeze-search.ts';
import type { SavedSearches, WatcherOptions } from '../watch/resolve-target.ts';
import { watcherRoutes } from '../watch/routes.ts';
import { createSavedMatches } from '../watch/saved-matches.ts';
import { webhookRoutes } from '../watch/webhook-routes.ts';
import { deliveryRoutes } from '../watch/webhooks/delivery-routes.ts';
import { findExampleIds } from './example-store.ts';
import { EXAMPLE_HOMES, EXAMPLE_IDS, EXAMPLES } from './examples.ts';
import { frontPage } from './front/page.ts';
import { type McpParts, mcpParts } from './mcp.ts';
import { type SamplePictures, samplePhotoRoute } from './sample-photos.ts';

export interface FeatureParts extends UsageParts {
  readonly hub: Pick<FeedHub, 'open' | 'listen'>;
  readonly changes: McpParts['changes'];
  readonly checks: McpParts['checks'];
  /** Aborts when the service begins to stop. */
  readonly stopping: AbortSignal;
  readonly database: Database;
  readonly catalogue: Catalogue;
  readonly analytics: AnalyticsQueue;
  readonly backend: SearchSessions;
  readonly areas: AreaIdCache;
  readonly records: RecordCache;
  readonly findCurrencies: FindCurrencies;
  readonly defaultCurrency: string | null;
  readonly facts: FactSource;
  readonly figures: MarketFigures;
  readonly setGrantWatched: WatcherOptions['setGrantWatched'];
  readonly webhooks: WatcherOptions['webhooks'];
  readonly report: (error: unknown) => void;
  readonly cache: CachedReads;
  readonly refresh: Refresh;
  readonly tiers: Tiers;
  /** Anybody, as the explorer shows homes to them. */
  readonly visitor: Principal;
  /** Who may look at the explorer, and how often. */
  readonly explorer: ExplorerAccess;
  /** The operator's map; null: there is none. */
  readonly basemap: Basemap | null;
  readonly keyForm: KeyForm;
  /** The payment service that sells subscriptions; null: there is none. */
  readonly service: BillingPageOptions['service'];
  readonly countApps: AccountOptions['countApps'];
  /** Where customers see and change their payments; null: not set. */
  readonly portalUrl: string | null;
  readonly pushLimit: PushOptions['pushLimit'];
  readonly eventMetrics: EventMetrics;
  readonly untilSearched: PushOptions['untilSearched'];
  /** The endpoints of the authorization server. */
  readonly oauth: OAuthEndpoints;
  /** The webhook of the payment service. */
  readonly billing: readonly Route<Principal>[];
  readonly clock: Clock;
  readonly usage: McpParts['usage'];
  readonly publicUrl: string;
  readonly metrics: Metrics;
  readonly findLoading: FindLoading;
  readonly originals: PhotoParts['originals'];
  readonly sizes: PhotoParts['sizes'];
  readonly sizeFormats: PhotoParts['sizeFormats'];
  readonly uploads: PushOptions['photos'];
  readonly anywhere: PhotoParts['anywhere'];
  readonly findOwnerReach: WatcherPageContext['findOwnerReach'];
  readonly mediaMode: PushOptions['mediaMode'];
  /** The sample market, whose pictures are served here; null: there is none. */
  readonly sample: SamplePictures | null;
  /** The operator's logo; null: ours. */
  readonly logo: LogoFile | null;
  /** The OpenAPI document, once the server has made it of these routes. */
  readonly document: () => Json;
}

export function featureRoutes(parts: FeatureParts): readonly Route<Principal>[] {
  const { database, sample, findCurrencies, defaultCurrency, backend } = parts;
  const searches: SavedSearches = {
    ...createSavedMatches(parts),
    freeze: (request) => freezeSearch({ database, findCurrencies, defaultCurrency, backend }, request),
  };
  const readSources = createReadSources(database, parts.clock);
  const reading = { ...parts, dataAsOf: freshnessOf(database), readSources };
  const trends = new PriceTrends(database);
  const answers = createMarketAnswers(reading);
  const features: readonly Route<Principal>[] = [
    ...searchRoutes(reading),
    ...areaRoutes(reading),
    ...marketRoutes({ ...reading, answers }),
    ...propertyRoutes({ ...reading, trends }),
    ...liveRoutes({ ...parts, streams: parts.rateLimiter.streams }),
    ...watcherRoutes({ ...reading, searches }),
    ...watcherPageRoutes({ ...reading, searches }),
    ...webhookRoutes({ ...reading, searches }),
    ...deliveryRoutes(parts),
    ...eventRoutes(parts),
    ...feedRoutes(parts),
    ...changeRoutes(parts),
    ...accessRoutes(parts),
    ...usageRoutes(parts),
    ...pushRoutes({ ...parts, photos: parts.uploads }),
    ...entityEventRoutes(parts),
    ...accountRoutes(parts),
    ...billingPageRoutes(parts),
  ];
  const assets = new Assets();
  const outlines = createOutlines(database);
  const areaTrends = createAreaTrends(parts);
  const views = { ...parts, cursorKey: parts.oauth.cursorKey, outlines, readSources };
  // Switched off it has no routes at all, and so no page leads there.
  const explorer = parts.explorer.isOff
    ? []
    : [
        ...homeRoutes({
          ...parts,
          trends,
          areaTrends,
          outlines,
          script: () => assets.script('home'),
          refusedScript: () => assets.script('refused'),
        }),
        ...sessionRoutes({ ...parts, assets, explorer: parts.oauth.explorer }),
        assetRoute<Principal>(assets),
        ...marketPageRoutes({ ...reading, answers, assets, outlines }),
        ...outlineRoutes(outlines),
        ...(parts.basemap === null ? [] : basemapRoutes(parts.basemap)),
        ...exploreRoutes({ ...views, assets }),
      ];
  const mcp = mcpParts(features, { ...parts, outlines });
  const routes: readonly Route<Principal>[] = withChannels([
    ...features,
    ...parts.oauth.routes,
    ...grantsRoutes({ ...parts, endGrant: parts.oauth.endGrant }),
    ...parts.billing,
    ...mcpRoutes(mcp),
    ...explorer,
    ...photoRoutes(parts),
    ...(sample === null ? [] : [samplePhotoRoute(sample)]),
    ...siteRoutes({
      ...parts,
      metrics: METRICS,
      minimumSample: MINIMUM_SAMPLE,
      routes: () => routes,
      lifetimes: LIFETIMES,
      ...(parts.explorer.isOff ? {} : { searchScript: () => assets.url('front') }),
      reference: {
        clock: parts.clock,
        document: parts.document,
        samples: EXAMPLES.samples,
        placeholders: EXAMPLE_IDS,
        findIds: async () => ({
          ...(await findExampleIds(parts.database, parts.visitor.reach, EXAMPLE_HOMES)),
        }),
      },
      ...frontPage({
        ...views,
        dataAsOf: reading.dataAsOf,
        areaTrends,
        routes: features,
      }),
    }),
  ]);
  return routes;
}
