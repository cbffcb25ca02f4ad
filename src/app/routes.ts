// Owns the list of everything that is served, feature by feature.

import type { Limits } from '../access/limits.ts';
import type { Principal } from '../access/principal.ts';
import { accessRoutes } from '../access/routes.ts';
import type { Tiers } from '../access/tiers.ts';
import { areaRoutes } from '../catalogue/area-routes.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { createFindCurrencies } from '../catalogue/currency.ts';
import { findExampleIds } from '../catalogue/example-store.ts';
import { freshnessOf } from '../catalogue/freshness.ts';
import { HeavyReads } from '../catalogue/heavy-reads.ts';
import type { FindLoading } from '../catalogue/loading.ts';
import { countMarket } from '../catalogue/market-size-store.ts';
import { METRICS, MINIMUM_SAMPLE } from '../catalogue/metrics.ts';
import { propertyPartRoutes } from '../catalogue/property-routes.ts';
import type { Remembered } from '../catalogue/read-cache.ts';
import { searchRoutes } from '../catalogue/routes.ts';
import type { Json } from '../http/openapi-schemas.ts';
import type { Route } from '../http/route.ts';
import type { Clock } from '../lib/clock.ts';
import { rememberFor } from '../lib/remember.ts';
import type { Refresh } from '../live/refresh.ts';
import { liveRoutes } from '../live/routes.ts';
import { PriceTrends } from '../market/price-trend.ts';
import { propertyParts } from '../market/property-parts.ts';
import { valuationRoutes } from '../market/property-routes.ts';
import { marketRoutes } from '../market/routes.ts';
import { grantsRoutes } from '../oauth/grants-routes.ts';
import { type OAuthRoutesOptions, oauthRoutes } from '../oauth/routes.ts';
import { type TokenRoutesOptions, tokenRoutes } from '../oauth/token-routes.ts';
import type { Database } from '../postgres/database.ts';
import { siteRoutes } from '../site/routes.ts';
import { EXAMPLE_IDS, EXAMPLES } from './examples.ts';
import { type SamplePictures, samplePhotoRoute } from './sample-photos.ts';

/** Milliseconds: counting reads an index of all that is on the market. */
const MARKET_SIZE_LIFETIME = 10_000;

export interface FeatureParts {
  readonly database: Database;
  readonly catalogue: Catalogue;
  readonly memory: Remembered;
  readonly refresh: Refresh;
  readonly limits: Limits;
  readonly tiers: Tiers;
  readonly oauth: OAuthRoutesOptions;
  readonly tokens: TokenRoutesOptions;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly findLoading: FindLoading;
  /** The sample market, whose pictures are served here; null: there is none. */
  readonly sample: SamplePictures | null;
  /** The OpenAPI document, once the server has made it of these routes. */
  readonly document: () => Json;
}

export function featureRoutes(parts: FeatureParts): readonly Route<Principal>[] {
  const { database, memory, clock, sample } = parts;
  const findCurrencies = createFindCurrencies(database, {
    version: () => memory.version(),
    monotonic: () => clock.monotonic(),
  });
  const heavy = new HeavyReads(database, clock);
  const valuer = { database, trends: new PriceTrends(database) };
  const reading = { ...parts, heavy, dataAsOf: freshnessOf(database), findCurrencies };
  const routes: readonly Route<Principal>[] = [
    ...searchRoutes(reading),
    ...areaRoutes(reading),
    ...marketRoutes(reading),
    ...propertyPartRoutes(reading),
    ...valuationRoutes({ ...reading, ...valuer }),
    ...liveRoutes({ ...parts, streams: parts.limits.streams, gather: propertyParts(valuer) }),
    ...accessRoutes(parts.limits),
    ...oauthRoutes(parts.oauth),
    ...tokenRoutes(parts.tokens),
    ...grantsRoutes({ ...parts.oauth, ...parts.tokens }),
    ...(sample === null ? [] : [samplePhotoRoute(sample)]),
    ...siteRoutes({
      ...{ ...parts, metrics: METRICS, minimumSample: MINIMUM_SAMPLE, routes: () => routes },
      reference: {
        ...{ clock: parts.clock, document: parts.document },
        ...{ samples: EXAMPLES.samples, placeholders: EXAMPLE_IDS },
        findIds: async () => ({ ...(await findExampleIds(parts.database)) }),
      },
      findMarketSize: rememberFor(MARKET_SIZE_LIFETIME, parts.clock, async () => ({
        ...(await countMarket(parts.database)),
        confirmedAt: await reading.dataAsOf(),
      })),
    }),
  ];
  return routes;
}
