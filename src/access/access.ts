// Owns the wiring of access: from the tiers and a provider to the phases and routes that the server is given.

import type { Phases, Route } from '../http/frame/route.ts';
import type { Clock } from '../lib/clock.ts';
import { DAY } from '../lib/time.ts';
import type { Database } from '../postgres/client/database.ts';
import { listen } from '../postgres/client/listen.ts';
import { type CredentialVerifier, createIdentify } from './keys/identify.ts';
import { Keys } from './keys/keys.ts';
import { Failures } from './limits/failures.ts';
import { Limits } from './limits/limits.ts';
import { monthBefore, monthOf } from './limits/month.ts';
import { deleteOldMonths } from './limits/month-store.ts';
import { createPhases } from './phases.ts';
import { SUBSCRIPTIONS_CHANNEL } from './providers/subscription-store.ts';
import { accessRoutes } from './routes.ts';
import type { Principal } from './tiers/principal.ts';
import type { SubscriptionProvider } from './tiers/provider.ts';
import type { Tiers } from './tiers/tiers.ts';

export interface AccessOptions {
  /** A sentence on how a caller without credentials comes by a key. */
  readonly toGetKey?: string | undefined;
  readonly database: Database;
  readonly clock: Clock;
  readonly tiers: Tiers;
  readonly provider: SubscriptionProvider;
  /** Told of failures that no client hears of, for the log. */
  readonly report: (error: unknown) => void;
  /** How many callers of each kind can be active within a minute. */
  readonly capacity?: number;
  /** Judges of further kinds of credentials, asked after the one for keys. */
  readonly verifiers?: readonly CredentialVerifier[];
}

export interface AccessParts {
  readonly phases: Phases<Principal>;
  readonly routes: readonly Route<Principal>[];
  readonly limits: Limits;
  readonly keys: Keys;
  readonly failures: Failures;
  /** Stops listening, and gives back requests that were taken and not spent: after the server has drained. */
  close(): Promise<void>;
}

export function createAccess(options: AccessOptions): AccessParts {
  const { database, clock, report } = options;
  const keys = new Keys(options);
  const failures = new Failures(clock);
  const limits = new Limits(options);
  const verifiers = [keys, ...(options.verifiers ?? [])];
  const phases = createPhases({ identify: createIdentify({ verifiers, failures }), limits });
  const hints = listen(
    database,
    SUBSCRIPTIONS_CHANNEL,
    (subscription) => keys.forget(subscription),
    () => keys.freshen(),
    { onTrouble: report },
  );
  const stopTidying = tidyMonths(options);
  return {
    phases,
    routes: accessRoutes(limits),
    limits,
    keys,
    failures,
    async close() {
      stopTidying();
      await hints.close();
      await limits.close();
    },
  };
}

/** Forgets the counts of bygone months, now and every day; last month's stay for whoever asks about them. */
function tidyMonths({ database, clock, report }: AccessOptions): () => void {
  let cancel = () => {};
  function tidy(): void {
    const kept = monthBefore(monthOf(clock.now()));
    database.write((sql) => deleteOldMonths(sql, kept), { timeout: 60_000 }).catch(report);
    cancel = clock.after(DAY, tidy);
  }
  tidy();
  return () => cancel();
}
