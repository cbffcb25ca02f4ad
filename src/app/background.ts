// Work in the background while the service runs: replication, matching, deliveries, digests, and upkeep of what is stored.

import type { OwnerStatus } from '../access/keys/owner-status.ts';
import type { Tiers } from '../access/tiers/tiers.ts';
import type { BackupSettings } from '../backup/backup-settings.ts';
import { type NightlyOptions, startNightlyBackups } from '../backup/nightly.ts';
import { startChangeUpkeep } from '../changes/upkeep.ts';
import type { Config } from '../config.ts';
import type { EventMetrics } from '../entity-events/event-metrics.ts';
import { startEventWorker } from '../entity-events/event-worker.ts';
import { startConfiguredGeocoding } from '../geocoding/open-geocoder.ts';
import type { Catalogue } from '../ingest/listing-writer.ts';
import { startErasing } from '../ingest/removal/erasing.ts';
import { startStoredReview } from '../ingest/reviews/stored-review.ts';
import { startBringingIntoLine } from '../ingest/terms/bring-into-line.ts';
import { startForgetting } from '../ingest/terms/forgetting.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Licences } from '../licence/licences.ts';
import type { Refresh } from '../live/refresh.ts';
import type { Database, Sql } from '../postgres/client/database.ts';
import type { StateWatch } from '../postgres/state/state-watch.ts';
import { SAMPLE } from '../sources/abandoned.ts';
import { startAddressAreas } from '../sources/address-area-upkeep.ts';
import { startBudgetWatch } from '../sources/budget/budget-watch.ts';
import { startForEach } from '../sources/for-each.ts';
import type { Progress } from '../sources/metrics.ts';
import { startReaders } from '../sources/readers.ts';
import { type ReplicationStatus, STARTING, WAITING_FOR_ACCEPT } from '../sources/replication-status.ts';
import type { Source } from '../sources/source.ts';
import type { SourceSet } from '../sources/source-set.ts';
import { startSourceUpkeep } from '../sources/upkeep.ts';
import { startUsageUpkeep } from '../usage/upkeep.ts';
import type { ServiceUsage } from '../usage/usage-recorder.ts';
import { startDigestScheduler } from '../watch/digests/digest-scheduler.ts';
import { findPosition } from '../watch/events/position-store.ts';
import type { IsOpenEvent } from '../watch/events/read-store.ts';
import { startEventUpkeep } from '../watch/events/upkeep.ts';
import { type EvaluationOptions, startMarketEvaluation } from '../watch/market/evaluate-conditions.ts';
import { isAnyWatcher } from '../watch/matching/definition-store.ts';
import { type StartMatchingOptions, startMatching } from '../watch/matching/start-matching.ts';
import { type OwnerUpkeepOptions, startOwnerUpkeep } from '../watch/owner-upkeep.ts';
import { startRefreshWatched } from '../watch/refresh/refresh-watched.ts';
import { startSealing } from '../watch/webhooks/secret-upkeep.ts';
import { importAccess } from './imports/import-access.ts';
import { type ImportSchedulesOptions, startImportSchedules } from './imports/import-schedules.ts';
import type { Media } from './media/media.ts';
import { startOnceOutgoing } from './state/outgoing.ts';
import { VERSION } from './version.ts';
import { startDeliveries, type Webhooks } from './webhooks.ts';

export interface BackgroundOptions {
  readonly config: Pick<Config, 'geocoder'> & ImportSchedulesOptions['config'];
  readonly database: Database;
  readonly databaseState: StateWatch;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly eventMetrics: EventMetrics;
  readonly log: Log;
  readonly report: (error: unknown) => void;
  readonly tiers: Tiers;
  readonly publicUrl: string;
  readonly webhooks: Webhooks;
  /** False: events are not delivered to webhooks. */
  readonly deliversWebhooks: boolean;
  readonly ownerStatus: OwnerStatus;
  readonly setGrantWatched: OwnerUpkeepOptions['setGrantWatched'];
  readonly matchingTarget: StartMatchingOptions['target'];
  /** Nightly backups; null: this process makes none. */
  readonly backup: BackupSettings | null;
  readonly describeOutside: NightlyOptions['outside'];
  readonly computeFigure: EvaluationOptions['compute'];
  readonly isOpenEvent: IsOpenEvent;
  readonly usage: Pick<ServiceUsage, 'add'>;
  readonly licences: Licences;
  readonly catalogue: Catalogue;
  readonly refresh: Refresh;
  readonly media: Pick<Media, 'start'>;
  /** The source of the settings of this process; null: none. */
  readonly source: Source | null;
  /** All that this process reads. */
  readonly sources: SourceSet;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Background {
  /** Of the reading of a source. */
  status(id: string): ReplicationStatus;
  /** Resolves when the current rounds have ended. */
  stop(): Promise<void>;
}

interface Job {
  stop(): Promise<void>;
}

const NOTHING: Job = { stop: async () => {} };

export function startBackground(options: BackgroundOptions): Background {
  const { geocoder: settings } = options.config;
  const { source, sources } = options;
  const outgoing = <Running extends Job>(start: () => Running) =>
    startOnceOutgoing(options.databaseState, start);
  const readers = outgoing(() => startReaders({ ...options, own: source?.id ?? null }));
  const jobs: readonly (Job | null)[] = [
    readers,
    startMarketEvaluation({ ...options, compute: options.computeFigure }),
    outgoing(() => startRefreshWatched(options)),
    outgoing(() => startForEach(sources, { start: (source) => startEventWorker({ ...options, source }) })),
    options.deliversWebhooks && options.webhooks.keyring !== null
      ? outgoing(() => startDeliveries(options, options.webhooks) ?? NOTHING)
      : null,
    startMatching({ ...options, target: options.matchingTarget }),
    startOwnerUpkeep(options),
    startEventUpkeep(options),
    startSealing({ ...options, keyring: options.webhooks.keyring }),
    outgoing(() => startDigestScheduler(options)),
    startChangeUpkeep(options),
    startUsageUpkeep(options),
    startStoredReview(options),
    startErasing({ ...options, findMatched }),
    startBringingIntoLine(options),
    startForgetting(options),
    settings &&
      outgoing(() =>
        startConfiguredGeocoding({
          ...options,
          settings,
          access: importAccess(options.config, options.clock),
          userAgent: `Freehold/${VERSION} (${options.publicUrl})`,
        }),
      ),
    outgoing(() => options.media.start()),
    startSourceUpkeep(options),
    startBudgetWatch(options),
    outgoing(() =>
      startImportSchedules({
        ...options,
        keyring: options.webhooks.keyring,
        target: options.matchingTarget,
      }),
    ),
    startNightlyBackups({
      ...options,
      settings: options.backup,
      target: options.matchingTarget,
      release: VERSION,
      outside: options.describeOutside,
    }),
    // The sample market comes with its areas.
    startAddressAreas({ ...options, sources: () => sources.ids().filter((id) => id !== SAMPLE) }),
  ];
  return {
    status: (id) =>
      readers.current === null ? WAITING_FOR_ACCEPT : (readers.current.status(id) ?? STARTING),
    async stop() {
      for (const job of jobs) await job?.stop();
    },
  };
}

/** Sequence up to which watchers are matched with the log of changes: without one, nothing is. */
const findMatched = async (sql: Sql): Promise<number> =>
  (await isAnyWatcher(sql)) ? findPosition(sql) : Number.MAX_SAFE_INTEGER;
