// OpenAPI document without a running service: the same routes, connected to nothing.

import { RateLimiter } from '../access/limits/rate-limiter.ts';
import type { Principal } from '../access/tiers/principal.ts';
import { TIERS } from '../access/tiers/tiers.ts';
import type { Phases } from '../http/frame/route.ts';
import { createServer } from '../http/server/server.ts';
import { createCatalogue } from '../ingest/listing-writer.ts';
import { systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { createMetrics } from '../lib/metrics.ts';
import { createAuthorizationOptions } from '../oauth/authorization-service.ts';
import { createTokenContext } from '../oauth/token/token-service.ts';
import { openDatabase } from '../postgres/client/database.ts';
import { describeService } from './describe.ts';
import { featureRoutes } from './routes.ts';

/** The address that the document names; the served one names PUBLIC_URL. */
const PUBLIC_URL = 'http://127.0.0.1:8080';

const NOBODY: Phases<Principal> = {
  identify: () => Promise.reject(new Error('nothing is served here')),
  allow: () => null,
  limit: async () => ({}),
  headers: () => ({}),
};

/** The document, as `/openapi.json` serves it with the default settings. Connects to nothing. */
export function openApi(): object {
  const clock = systemClock;
  // A database connects when it is first asked, which nothing does here.
  const database = openDatabase({ url: 'postgres://nobody@127.0.0.1/none', clock });
  const rateLimiter = new RateLimiter({ database, clock, tiers: TIERS, report: () => {} });
  const catalogue = createCatalogue(database);
  const refresh = () => Promise.reject(new Error('nothing is served here'));
  const log = createLog({ level: 'silent' });
  const metrics = createMetrics();
  const provider = { validate: refresh, refresh };
  const grantLimits = { grace: 0, maxAge: null };
  const common = { database, clock, tiers: TIERS, publicUrl: PUBLIC_URL, document: () => ({}) };
  const [keys, documents] = [{ verifyFresh: refresh }, { find: refresh }];
  const tokens = createTokenContext({
    ...common,
    provider,
    log,
    metrics,
    limits: grantLimits,
    onRevoked: () => {},
  });
  const parts = {
    ...{ ...common, rateLimiter, catalogue, cache: { ...catalogue, version: () => null }, refresh },
    findLoading: refresh,
    sample: null,
    oauth: createAuthorizationOptions({
      ...tokens,
      ...common,
      log,
      keys,
      documents,
      report: () => {},
    }),
    tokens,
  };
  const server = createServer<Principal>({
    ...{ routes: featureRoutes(parts), phases: NOBODY, clock, publicUrl: PUBLIC_URL },
    describe: describeService(PUBLIC_URL),
    ...{ log, metrics },
    health: { checks: [], metricsAccess: { allow: [], token: null } },
  });
  return server.openapi;
}
