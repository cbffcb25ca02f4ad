// Budget of calls to a payment service: over all processes together they stay below its limit.

import { ProviderUnavailable } from '../access/tiers/provider.ts';
import { type Clock, pause } from '../lib/clock.ts';
import type { Database } from '../postgres/client/database.ts';
import { type CallLimits, reserveCall } from './call-budget-store.ts';
import type { PaymentService } from './payment-service.ts';

/**
 * Who waits for a call. `known`: a key that was good before, an event, or a person who buys. `unknown`: a key that was never
 * seen, which may be junk. `stranger`: a caller that names a purchase, which may be made up. `background`: a pass over all subscriptions.
 */
export type Urgency = 'known' | 'unknown' | 'stranger' | 'background';

export interface CallBudget {
  /** Resolves when a call may be sent, now. Throws ProviderUnavailable when no place becomes free in time. */
  reserve(urgency: Urgency, signal: AbortSignal): Promise<void>;
}

/**
 * Polar takes fewer than 500 calls in any minute, and Stripe is to get fewer than 15 in any second. A call arrives later than
 * its place was taken, so that calls may come closer together: the buckets add up to a minute and five seconds, and to a second
 * and a tenth, besides the present one.
 */
export const CALL_LIMITS: Readonly<Record<PaymentService['name'], CallLimits>> = {
  polar: {
    width: 5_000,
    buckets: 13,
    most: 490,
    mostUnknown: 245,
    mostStrangers: 60,
    mostBackground: 245,
    mostBoth: 367,
  },
  stripe: {
    width: 100,
    buckets: 11,
    most: 14,
    mostUnknown: 7,
    mostStrangers: 2,
    mostBackground: 7,
    mostBoth: 10,
  },
};

/** Milliseconds that a call waits for a place. A person waits five seconds for everything; junk is not waited for. */
const TIMEOUT_MS: Readonly<Record<Urgency, number>> = {
  known: 2_000,
  unknown: 0,
  stranger: 1_500,
  background: 600_000,
};

export interface CallBudgetOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly service: PaymentService['name'];
  readonly limits?: CallLimits;
  /** Told of every call that got no place. */
  readonly onRefusal?: (urgency: Urgency) => void;
}

export function createCallBudget(options: CallBudgetOptions): CallBudget {
  const { database, clock, service, limits = CALL_LIMITS[service], onRefusal = () => {} } = options;
  /** The last of each queue: one at a time asks the database, in the order of their coming. */
  const queues = new Map<Urgency, Promise<void>>();

  async function takePlace(urgency: Urgency, until: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      if (signal.aborted) throw signal.reason;
      const wait = await database
        .write((sql) => reserveCall(sql, service, urgency, limits))
        .catch((error: unknown) => {
          throw new ProviderUnavailable(error);
        });
      if (wait === 0) return;
      if (clock.monotonic() + wait > until) throw noPlace(wait);
      await pause(clock, wait, signal);
    }
  }

  return {
    async reserve(urgency, signal) {
      const until = clock.monotonic() + TIMEOUT_MS[urgency];
      const before = queues.get(urgency) ?? Promise.resolve();
      const mine = before.then(() => takePlace(urgency, until, signal));
      const settled = mine.catch(() => {});
      queues.set(urgency, settled);
      try {
        await mine;
      } catch (error) {
        onRefusal(urgency);
        throw error;
      }
    },
  };
}

function noPlace(wait: number): ProviderUnavailable {
  return new ProviderUnavailable(
    new Error(`All calls are taken; a place may be free in ${Math.ceil(wait)} ms`),
  );
}
