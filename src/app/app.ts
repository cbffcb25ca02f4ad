// Wiring of the service: everything that a running service consists of, created in order and stopped in reverse.

import { createAccess } from '../access/access.ts';
import { createKeyForm } from '../access/key-form/key-form.ts';
import { openCounting } from '../access/limits/shared/open-counting.ts';
import { createFeedLimit } from '../access/limits/stream-limit.ts';
import type { SubscriptionProvider } from '../access/tiers/provider.ts';
import { type Principal, TIERS } from '../access/tiers/tiers.ts';
import { readTiersFile } from '../access/tiers/tiers-file.ts';
import type { CallLimits } from '../billing/call-budget-store.ts';
import { ChangeListeners } from '../changes/change-listeners.ts';
import type { Config } from '../config.ts';
import { openBasemap } from '../explore/basemap/archive.ts';
import { connectionBounds } from '../http/server/connection-bounds.ts';
import { descriptorLimit } from '../http/server/descriptor-limit.ts';
import { createServer, type Limits, type WebServer } from '../http/server/server.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { createMetrics } from '../lib/metrics.ts';
import type { Internet } from '../lib/network/internet.ts';
import { createOutbound } from '../lib/outbound.ts';
import { nullIfUnavailable } from '../lib/problem.ts';
import type { Scheduler } from '../lib/scheduler.ts';
import type { ChangeState } from '../listings/change-state.ts';
import { startAuthorizationServer } from '../oauth/authorization-server.ts';
import type { FreeGrantLimits } from '../oauth/consents/free-grant-cap.ts';
import { createGrantLimits } from '../oauth/protocol/tokens.ts';
import { shareSite } from '../page/site.ts';
import type { Database } from '../postgres/client/database.ts';
import { isOutgoing } from '../postgres/state/database-state.ts';
import { ALWAYS_SERVING, type StateWatch } from '../postgres/state/state-watch.ts';
import { SourceVerifier } from '../push/source-verifier.ts';
import type { SearchEngine } from '../search/engine/lifecycle/search-engine.ts';
import type { BaseBuilder } from '../search/engine/segments/build-base.ts';
import type { BuilderTarget } from '../search/engine/segments/builder-thread.ts';
import type { Slots } from '../search/summaries/analytics-queue.ts';
import { notFoundPage } from '../site/not-found-page.ts';
import { sharedSite } from '../site/shared-site.ts';
import type { Progress } from '../sources/metrics.ts';
import type { Variables } from '../sources/registry/secrets.ts';
import type { ReplicationStatus } from '../sources/replication-status.ts';
import type { Source } from '../sources/source.ts';
import type { SourceSet } from '../sources/source-set.ts';
import { ServiceUsage, type UsageRecorderOptions } from '../usage/usage-recorder.ts';
import { CredentialChecks } from '../watch/feeds/credential-checks.ts';
import { FeedHub } from '../watch/feeds/feed-hub.ts';
import { startBackground } from './background.ts';
import { describeOutside } from './backup/backup-outside.ts';
import { startBilling } from './billing.ts';
import { healthChecks } from './health-checks.ts';
import { createMedia } from './media/media.ts';
import { describeService } from './openapi.ts';
import { accountReads, followOwners, grantWatching, quotaAnnouncer } from './owners.ts';
import { createReads } from './reads.ts';
import { featureRoutes } from './routes.ts';
import type { SearchWiring } from './search.ts';
import { searchOptions } from './search-options.ts';
import { createEnding } from './state/ending.ts';
import { grantEnder, howToGetKey, startSubscriptions } from './subscriptions.ts';
import { startSources } from './upstream.ts';
import { createVerifyCredential } from './verify-credential.ts';
import { VERSION } from './version.ts';
import { createWebhooks } from './webhooks.ts';

/** Overrides for tests. */
export interface Overrides {
  readonly clock?: Clock;
  readonly provider?: SubscriptionProvider;
  /** Of the payment service. */
  readonly callLimits?: CallLimits;
  /** Addresses that can be active within a minute. */
  readonly capacity?: number;
  /** Milliseconds for one call to the server that counts limits. */
  readonly limitsCallLimit?: number;
  /** Name servers, authorities and hosts of client metadata documents. */
  readonly internet?: Internet;
  /** False: events are not delivered to webhooks; default true. */
  readonly deliversWebhooks?: boolean;
  /** Instead of the builder of the search engine. */
  readonly searchBuilder?: (database: Database) => BaseBuilder;
  /** Rows that were added to the search engine before it merges them. */
  readonly maxTail?: NonNullable<SearchWiring['maxTail']>;
  /** Of expensive queries. */
  readonly slots?: Slots;
  /** Of scans. */
  readonly scheduler?: Scheduler;
  /** Registered OAuth clients. */
  readonly maxClients?: number;
  readonly freeGrantLimits?: FreeGrantLimits;
  readonly limits?: Partial<Limits>;
  /** Of the record of use. */
  readonly usage?: Pick<UsageRecorderOptions, 'maxEntries'>;
}

export interface AppOptions {
  readonly config: Config;
  /** Migrated. */
  readonly database: Database;
  /** What the database may be used for; default: everything, always. */
  readonly databaseState?: StateWatch;
  /** Where threads find the database; absent: what they would do is done in this thread. */
  readonly threadTarget?: BuilderTarget;
  /** Keys that seal stored secrets; null: there are none. Default: those of the configuration. */
  readonly secretsKey?: string | null;
  /** The source of the settings; null: none, so that listings come from imports, pushes, and sources that are set up. */
  readonly source: Source | null;
  /** Milliseconds between two rounds of changes from the source. */
  readonly interval: number;
  readonly publicUrl: string;
  /** The sample market's address, where there is one. */
  readonly sampleUrl?: string | null;
  readonly log: Log;
  /** The file of the keys that this installation created; null if there is none. */
  readonly keysFile?: string | null;
  /** Values of environment variables, for sources that are set up; default: those of this process. */
  readonly variables?: () => Variables;
  /** Milliseconds that connections stay open during the stop, for a last response; default 0. */
  readonly lingerMs?: number;
  /** Called for each page of the first load. */
  readonly onProgress?: (progress: Progress) => void;
  readonly overrides?: Overrides;
}

export interface App {
  readonly server: WebServer;
  /** Of the source of the settings; null: there is none. */
  readonly replication: { status(): ReplicationStatus } | null;
  readonly sources: Pick<SourceSet, 'list'>;
  readonly searchEngine: Pick<SearchEngine, 'status'>;
  /**
   * Lets running requests finish, then stops everything but the server, which answers MAINTENANCE from the first moment on:
   * afterwards nothing here uses the database.
   */
  suspend(): Promise<void>;
  /** Lets running requests finish, then stops everything that was started here. */
  stop(): Promise<void>;
}

/** Starts everything but listening. Throws if the tiers file or the base map is invalid, before anything runs. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, database, databaseState = ALWAYS_SERVING, source, log, publicUrl } = options;
  const { sampleUrl = null, overrides = {}, secretsKey = config.secretsKey } = options;
  const mayActOutside = () => isOutgoing(databaseState.state);
  const clock = overrides.clock ?? systemClock;
  const metrics = createMetrics({ withProcess: true });
  const files = await readFiles(config);
  const report = (error: unknown): void => log.error({ err: error }, 'Background task failed');
  const endGrants = grantEnder(log, clock);
  const outside = { clock, metrics, report, endGrants, mayWrite: mayActOutside };
  const subscriptions = startSubscriptions({ ...options, ...overrides, ...outside });
  const provider = overrides.provider ?? subscriptions.provider;
  const { payments } = subscriptions;
  const { defaultCurrency } = config;
  const counting = openCounting({ ...options, ...overrides, clock, report, metrics });
  const common = { ...files, database, clock, counting, provider, report, metrics, defaultCurrency };
  const oauth = startAuthorizationServer({
    ...overrides,
    ...common,
    log,
    publicUrl,
    limits: createGrantLimits(config.oauth),
  });
  const sourceVerifier = new SourceVerifier(common);
  const access = createAccess({
    ...overrides,
    ...common,
    verifiers: [sourceVerifier, oauth.verifier],
    admitLook: (...look) => reads.explorer.admit(...look),
    findReach: (...call) => reads.findReach(...call),
    onChange: (subscription) => ownerStatus.hint({ subscription }),
    onReached: quotaAnnouncer(database, clock),
    isLoading: async () => (await nullIfUnavailable(reads.findLoading())) !== null,
    howToGetKey: howToGetKey(publicUrl, payments === null ? (options.keysFile ?? null) : payments),
  });
  const usage = new ServiceUsage({ ...common, ...overrides.usage, auditsQueries: config.auditsQueries });
  const ownerStatus = followOwners({ ...common, subscriptions: access.subscriptions }, oauth);
  const keyForm = createKeyForm({ ...common, keys: access.keys, publicUrl, proofKey: oauth.proofKey });
  const sources = await startSources({ ...options, ...common });
  const reads = createReads({
    ...options,
    sources,
    ...overrides,
    ...common,
    mayActOutside,
    search: searchOptions(options, report),
  });
  const media = createMedia({ ...options, ...overrides, ...common, sources, mayActOutside });
  const sample = sampleUrl === null ? null : { url: sampleUrl, outbound: createOutbound({ clock }) };
  const watchGrant = grantWatching(clock);
  const verify = createVerifyCredential(access.phases, ownerStatus);
  const checks = new CredentialChecks({ ...common, verify });
  const hub = new FeedHub({ ...common, metrics, publicUrl, checks, ...reads.openEvents });
  const changes = new ChangeListeners<ChangeState>(common);
  const stopping = new AbortController();
  const findPort = () => server.port();
  const webhooks = createWebhooks({ ...options, ...overrides, secretsKey, clock, findPort });
  const billing = startBilling({ ...common, metrics, settings: config.subscriptions, payments });
  const routes = featureRoutes({
    hub,
    changes,
    checks,
    webhooks,
    stopping: stopping.signal,
    ...common,
    ...reads,
    ...media,
    publicUrl,
    sample,
    feeds: createFeedLimit(files.tiers, counting),
    ...accountReads(database, clock),
    portalUrl: config.billing.portalUrl,
    service: payments?.service ?? null,
    setGrantWatched: watchGrant,
    usage,
    rateLimiter: access.rateLimiter,
    pushLimit: access.pushLimit,
    oauth: oauth.endpoints(keyForm),
    billing: billing.routes,
    keyForm,
    document: () => server.openapi,
  });
  shareSite(sharedSite({ version: VERSION, isSample: sampleUrl !== null, routes, config }), stopping.signal);
  const background = startBackground({
    ...options,
    sources,
    ...common,
    ...reads,
    databaseState,
    media,
    webhooks,
    deliversWebhooks: overrides.deliversWebhooks ?? true,
    usage,
    ownerStatus,
    setGrantWatched: watchGrant,
    matchingTarget: options.threadTarget ?? null,
    backup: config.backup,
    describeOutside: () => describeOutside(config),
  });
  const health = healthChecks({ ...common, ...reads, ...background, databaseState, sources, source, config });
  const server = createServer<Principal>({
    ...options,
    routes,
    phases: access.phases,
    recorder: usage,
    clock,
    metrics,
    ...boundsOf(options),
    health: { ...health, metricsAccess: config.metrics },
    describe: describeService(publicUrl, files.tiers),
    notFoundPage: notFoundPage(publicUrl),
  });
  for (const each of [counting, reads]) await each?.start();
  return {
    server,
    replication: source && { status: () => background.status(source.id) },
    sources,
    searchEngine: reads.engine,
    ...createEnding(server, async (drained) => {
      // Feeds and subscriptions would stay open; their clients go on at another process.
      stopping.abort();
      for (const each of [hub, changes]) await each.close();
      await drained;
      for (const each of [background, sources, billing, subscriptions, reads, counting]) await each?.stop();
      const others = [sources, media, sample?.outbound, files.basemap, webhooks.access];
      await usage.close().catch(report);
      for (const each of [oauth, sourceVerifier, access, reads, ...others]) await each?.close();
    }),
  };
}

/** The operator's files that are read at the start. Throws if one is invalid. */
async function readFiles({ tiersFile, site: { logo }, explorer: { basemapFile } }: Config) {
  return {
    logo,
    tiers: tiersFile === null ? TIERS : await readTiersFile(tiersFile),
    basemap: basemapFile === null ? null : await openBasemap(basemapFile),
  };
}

/** Bounds of the server, and the proxies that it trusts. */
function boundsOf({ config, lingerMs = 0, overrides }: AppOptions) {
  const limits: Partial<Limits> = {
    lingerMs,
    keepAliveTimeoutMs: config.keepAliveSeconds * 1_000,
    ...connectionBounds(config.connections, descriptorLimit()),
    ...overrides?.limits,
  };
  return { limits, trustedProxies: config.trustedProxies };
}
