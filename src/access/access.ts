// Wiring of access: from tiers and a provider to the phases and routes of the server.

import type { Phases } from '../http/frame/route.ts';
import { type Clock, DAY } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import type { Database } from '../postgres/client/database.ts';
import { listen } from '../postgres/client/listen.ts';
import type { CredentialVerifier } from './keys/key-verifier.ts';
import { KeyVerifier } from './keys/key-verifier.ts';
import { SubscriptionCache } from './keys/subscription-cache.ts';
import { FailureThrottle } from './limits/failure-throttle.ts';
import { monthBefore, monthOf, type OnReached } from './limits/monthly-quota.ts';
import { deleteOldMonths } from './limits/monthly-usage-store.ts';
import { PushLimit } from './limits/push-limit.ts';
import { RateLimiter } from './limits/rate-limiter.ts';
import type { SharedCounting } from './limits/shared/shared-counting.ts';
import { createIdentify, createPhases, type ExplorerLimit, type FindCallerReach } from './phases.ts';
import { SUBSCRIPTIONS_CHANNEL } from './providers/subscription-store.ts';
import type { SubscriptionProvider } from './tiers/provider.ts';
import { NOTHING } from './tiers/reach.ts';
import type { Principal, Tiers } from './tiers/tiers.ts';

export interface AccessOptions {
  /** A sentence on how to get a key. */
  readonly howToGetKey?: string | undefined;
  readonly database: Database;
  readonly clock: Clock;
  readonly tiers: Tiers;
  readonly provider: SubscriptionProvider;
  /** Called with errors that no client sees, for the log. */
  readonly report: (error: unknown) => void;
  /** Whether a first load runs: callers without credentials spend nothing of their month then. */
  readonly isLoading?: () => Promise<boolean>;
  /** How many callers of each kind can be active within a minute. */
  readonly capacity?: number;
  /** Counts with other processes; null or absent: this one counts alone. */
  readonly counting?: SharedCounting | null | undefined;
  /** Notifies an owner of a month that is nearly used up. */
  readonly onReached?: OnReached;
  /** Called when a subscription has changed. */
  readonly onChange?: (subscription: string) => void;
  /** Verifiers of other credentials, tried after the one for keys. */
  readonly verifiers?: readonly CredentialVerifier[];
  /** Absent: nobody sees a listing. */
  readonly findReach?: FindCallerReach;
  /** Absent: nobody may look at the explorer. */
  readonly admitLook?: ExplorerLimit;
}

export interface AccessParts {
  readonly phases: Phases<Principal>;
  readonly rateLimiter: RateLimiter;
  readonly subscriptions: SubscriptionCache;
  readonly keys: KeyVerifier;
  readonly failures: FailureThrottle;
  readonly pushLimit: PushLimit;
  /** Stops listening and returns unspent requests: call it after the server has drained. */
  close(): Promise<void>;
}

export function createAccess(options: AccessOptions): AccessParts {
  const { database, clock, report } = options;
  const subscriptions = new SubscriptionCache(options);
  const keys = new KeyVerifier(subscriptions);
  const failures = new FailureThrottle({ clock, counting: options.counting });
  const rateLimiter = new RateLimiter(options);
  const verifiers = [keys, ...(options.verifiers ?? [])];
  const { admitLook = refuseLook } = options;
  const pushLimit = new PushLimit(clock);
  const identify = createIdentify({ verifiers, failures });
  const { findReach = () => NOTHING } = options;
  const phases = createPhases({ identify, findReach, rateLimiter, admitLook, pushLimit });
  const changes = listen(
    database,
    SUBSCRIPTIONS_CHANNEL,
    (subscription) => {
      subscriptions.invalidate(subscription);
      options.onChange?.(subscription);
    },
    () => subscriptions.clear(),
    { onError: report },
  );
  const stopCleanup = scheduleMonthCleanup(options);
  return {
    phases,
    rateLimiter,
    subscriptions,
    keys,
    failures,
    pushLimit,
    async close() {
      stopCleanup();
      await changes.close();
      await rateLimiter.close();
    },
  };
}

const refuseLook: ExplorerLimit = async () => {
  throw new Problem('NOT_FOUND', 'This service has no explorer.');
};

/** Deletes the counts of past months, now and every day; last month's stay. */
function scheduleMonthCleanup({ database, clock, report }: AccessOptions): () => void {
  let cancel = () => {};
  function cleanUp(): void {
    const oldest = monthBefore(monthOf(clock.now()));
    database.write((sql) => deleteOldMonths(sql, oldest), { timeout: 60_000 }).catch(report);
    cancel = clock.after(DAY, cleanUp);
  }
  cleanUp();
  return () => cancel();
}
