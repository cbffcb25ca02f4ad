// Upkeep of what is stored, while the service runs: partitions, retention, sealed secrets, digests, reviews.

import { startChangeUpkeep } from '../changes/upkeep.ts';
import { startStoredReview } from '../ingest/stored-review.ts';
import type { Clock } from '../lib/clock.ts';
import type { Keyring } from '../lib/keyring.ts';
import type { Log } from '../lib/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Database } from '../postgres/client/database.ts';
import { startAddressAreas } from '../sources/address-area-upkeep.ts';
import { startSourceUpkeep } from '../sources/upkeep.ts';
import { startDigestScheduler } from '../watch/digests/digest-scheduler.ts';
import { startEventUpkeep } from '../watch/events/upkeep.ts';
import { startSealing } from '../watch/webhooks/secret-upkeep.ts';

export interface UpkeepOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Null: nothing is sealed. */
  readonly keyring: Keyring | null;
  readonly log: Log;
  /** The source of this process; null: none. */
  readonly source: { readonly id: string } | null;
  /** Id of the source whose listings come without areas; null: there is none. */
  readonly sourceWithoutAreas: string | null;
  readonly report: (error: unknown) => void;
}

export interface Upkeep {
  /** Resolves when the current rounds have ended. */
  stop(): Promise<void>;
}

export function startUpkeep(options: UpkeepOptions): Upkeep {
  const { sourceWithoutAreas } = options;
  const works = [
    startEventUpkeep(options),
    startSealing(options),
    startDigestScheduler(options),
    startChangeUpkeep(options),
    startStoredReview(options),
    startSourceUpkeep(options),
    ...(sourceWithoutAreas === null ? [] : [startAddressAreas({ ...options, source: sourceWithoutAreas })]),
  ];
  return {
    async stop() {
      for (const work of works) await work.stop();
    },
  };
}
