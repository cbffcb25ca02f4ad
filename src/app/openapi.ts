// OpenAPI document: the description of the service, and the document without a running service.

import { createKeyForm } from '../access/key-form/key-form.ts';
import { PushLimit } from '../access/limits/push-limit.ts';
import { RateLimiter } from '../access/limits/rate-limiter.ts';
import { createFeedLimit } from '../access/limits/stream-limit.ts';
import { describeAccess, describeAnonymousLimits } from '../access/tiers/describe-access.ts';
import { NOTHING } from '../access/tiers/reach.ts';
import { anonymous, type Principal, SCOPES, TIERS, type Tiers } from '../access/tiers/tiers.ts';
import { createEventMetrics } from '../entity-events/event-metrics.ts';
import type { Phases, Route } from '../http/frame/route.ts';
import type { Describe } from '../http/openapi/openapi.ts';
import { createServer } from '../http/server/server.ts';
import { createCatalogue } from '../ingest/listing-writer.ts';
import { DAY, HOUR, MINUTE, systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { createMetrics } from '../lib/metrics.ts';
import { NO_FACTS } from '../market/facts/market-facts.ts';
import { oauthEndpoints } from '../oauth/authorization-server.ts';
import { LIFETIMES } from '../oauth/protocol/tokens.ts';
import { openDatabase } from '../postgres/client/database.ts';
import { createLocalBuilder } from '../search/engine/segments/build-base.ts';
import { AnalyticsQueue } from '../search/summaries/analytics-queue.ts';
import { WebhookLimits } from '../watch/webhooks/webhook-limits.ts';
import { EXAMPLES } from './examples.ts';
import { featureRoutes } from './routes.ts';
import { createSearch } from './search.ts';
import { VERSION } from './version.ts';

const DESCRIPTION: Omit<Describe, 'server' | 'description'> = {
  title: 'Freehold',
  version: VERSION,
  license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
  tags: {
    Search: 'Search listings by place, price and type.',
    Areas: 'Named areas: counties, cities, neighbourhoods, postal codes.',
    Market: 'Market statistics: prices, supply and pace, by period and place.',
    Properties: 'A property with all its listings and their history.',
    Live: 'One listing, fetched live from its source once; watchers are for ongoing monitoring.',
    Watchers: 'Ongoing monitoring: watch listings, properties and searches, and read what happens to them.',
    Push: 'Listings of your own, pushed by programs with the token of a source.',
    Account: 'Limits and usage of the caller.',
    OAuth:
      'Client registration, consent and tokens: recommended for MCP clients and third-party applications.',
    Health: 'Liveness, readiness and metrics.',
    Service: 'Descriptions of this API.',
  },
};

const plural = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'}`;

/** What a reader needs to know before the first request. */
function introduction(tiers: Tiers): string {
  const { code, accessToken, refreshToken, registration } = LIFETIMES;
  return [
    'A property-listing API: search, areas, market statistics, properties by id, and a live stream for one listing.',
    '**Credentials.** Send an API key as `Authorization: Bearer SERVICE-<uuid>`, or an OAuth access token in its place. ' +
      'OAuth 2.1 with PKCE (S256) is recommended for MCP clients and third-party applications. Keep keys in ' +
      'environment variables, never in client-side code, and use the lowest tier that suffices. The tiers are Free, ' +
      'Pro, Business and Internal; each operation names those that may call it.',
    `**Without credentials** searches, areas and market statistics work, too: ${describeAnonymousLimits(tiers)}.`,
    `**Lifetimes.** An authorization code lasts ${plural(code / MINUTE, 'minute')}, an access token ` +
      `${plural(accessToken / HOUR, 'hour')}, a refresh token ${plural(refreshToken / DAY, 'day')}, and the registration of a ` +
      `client ${plural(registration / DAY, 'day')}. A refresh checks the key again, so a change of the tier takes effect ` +
      'there. The validation of a key is cached for 10 minutes, so a revoked one ends within 10 minutes.',
    '**Errors** are problem documents (RFC 9457). Each operation names its codes at their statuses: 401 ' +
      '`MISSING_API_KEY` (no credentials), `INVALID_API_KEY` (the key matches no active subscription), `EXPIRED_API_KEY` ' +
      '(the subscription has ended); 403 `TIER_RESTRICTED` (the endpoint needs a higher tier). Any request can also get ' +
      '405 `METHOD_NOT_ALLOWED`, 408 `REQUEST_TIMEOUT`, 414 `URI_TOO_LONG` and 431 `HEADERS_TOO_LARGE`.',
    '**Following.** The stream of a listing fetches it from its source once. Watchers are for ongoing monitoring.',
  ].join('\n\n');
}

/** What the document says about the service as a whole. */
export function describeService(publicUrl: string, tiers: Tiers): Omit<Describe, 'server'> {
  const scopes = Object.entries(SCOPES).map(([name, { description }]) => [name, description]);
  const oauth = {
    authorizationUrl: `${publicUrl}/oauth/authorize`,
    tokenUrl: `${publicUrl}/oauth/token`,
    scopes: Object.fromEntries(scopes),
  };
  return { ...DESCRIPTION, description: introduction(tiers), oauth, examples: EXAMPLES, describeAccess };
}

/** In a document without a running service. */
const PUBLIC_URL = 'http://127.0.0.1:8080';

const NOBODY: Phases<Principal> = {
  identify: () => Promise.reject(new Error('nothing is served here')),
  allow: () => null,
  look: () => null,
  limit: async () => ({}),
  headers: () => ({}),
};

/** The document as `/openapi.json` serves it with the default settings. */
export function openApi(): object {
  const server = createServer<Principal>({
    routes: unconnectedRoutes(),
    phases: NOBODY,
    clock: systemClock,
    publicUrl: PUBLIC_URL,
    describe: describeService(PUBLIC_URL, TIERS),
    log: createLog({ level: 'silent' }),
    metrics: createMetrics(),
    health: { checks: [], metricsAccess: { allow: [], token: null } },
  });
  return server.openapi;
}

/** The routes of the service, connected to nothing: for what is printed of them. */
export function unconnectedRoutes(): readonly Route<Principal>[] {
  const clock = systemClock;
  // Never connects: nothing reads from it.
  const database = openDatabase({ url: 'postgres://nobody@127.0.0.1/none', clock });
  const rateLimiter = new RateLimiter({ database, clock, tiers: TIERS, report: () => {} });
  const catalogue = createCatalogue(database);
  const refresh = () => Promise.reject(new Error('nothing is served here'));
  const log = createLog({ level: 'silent' });
  const metrics = createMetrics();
  const keyForm = createKeyForm({
    clock,
    keys: { verifyFresh: refresh, verifySubscription: refresh },
    proofKey: refresh,
    publicUrl: PUBLIC_URL,
  });
  const provider = { validate: refresh, refresh };
  const common = { database, clock, tiers: TIERS, publicUrl: PUBLIC_URL, document: () => ({}) };
  const cache = { ...catalogue, version: () => null, onRemoved: () => {} };
  const analytics = new AnalyticsQueue(database, clock);
  const search = createSearch({
    database,
    clock,
    analytics,
    cache,
    metrics,
    report: () => {},

    settings: { engine: 'postgres', cacheMegabytes: 0 },
    builder: createLocalBuilder(database),
  });
  const parts = {
    ...common,
    rateLimiter,
    pushLimit: new PushLimit(clock),
    eventMetrics: createEventMetrics(metrics, clock),
    catalogue,
    cache,
    refresh,
    findLoading: refresh,
    analytics,
    findCurrencies: refresh,
    defaultCurrency: null,
    facts: NO_FACTS,
    ...search,
    figures: { interpret: refresh, compute: refresh },
    hub: { open: () => {}, listen: refresh },
    changes: { listen: refresh },
    checks: { add: () => () => {} },
    stopping: new AbortController().signal,
    webhooks: { access: { check: refresh }, keyring: null, limits: new WebhookLimits(clock) },
    feeds: createFeedLimit(TIERS),
    countWatchers: refresh,
    findOwnerPlan: refresh,
    countApps: refresh,
    portalUrl: null,
    logo: null,
    service: null,
    setGrantWatched: refresh,
    metrics,
    report: () => {},
    originals: { read: refresh },
    sizes: { read: refresh },
    sizeFormats: [],
    uploads: { check: refresh, put: refresh, remove: refresh },
    mediaMode: 'link' as const,
    sample: null,
    basemap: null,
    visitor: anonymous(''),
    anywhere: NOTHING,
    findOwnerReach: () => NOTHING,
    explorer: {
      admit: refresh,
      mayLook: refresh,
      takeList: () => null,
      takePins: refresh,
      embedder: null,
      isOff: false,
    },
    keyForm,
    billing: [],
    usage: { asked: () => {} },
    oauth: oauthEndpoints({
      ...common,
      provider,
      log,
      metrics,
      limits: { grace: 0, maxAge: null },
      keyForm,
      sharedKeys: refresh,
      findDocument: refresh,
      report: () => {},
      onRevoked: () => {},
    }),
  };
  return featureRoutes(parts);
}
