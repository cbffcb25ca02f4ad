// Budget of calls to a payment service: over all processes together they stay below its limit.

import { ProviderUnavailable } from '../access/tiers/provider.ts';
import { type Clock, pause } from '../lib/clock.ts';
import type { Database } from '../postgres/client/database.ts';
import { type CallLimits, reserveCall } from './call-budget-store.ts';
import type { PaymentService } from './payment-service.ts';

/**
 * Who waits for a call. `known`: a key that was good before, an event, or a person who buys. `unknown`: a key that was never
 * seen, which may be junk. `stranger`: a caller that names a purchase, which may be made up. `background`: a list of all subscriptions.
 */
export type Urgency = 'known' | 'unknown' | 'stranger' | 'background';

export interface CallBudget {
  /** Resolves when a call may be sent, now. Throws ProviderUnavailable when no slot becomes free in time. */
  reserve(urgency: Urgency, signal: AbortSignal): Promise<void>;
}

/**
 * Polar takes fewer than 500 calls in any minute, its sandbox fewer than 100, and Stripe is to get fewer than 15 in any second.
 * A call arrives later than its slot was taken, so that calls may come closer together: the buckets add up to a minute and five
 * seconds, and to a second and a tenth, besides the present one.
 */
export const CALL_LIMITS: Readonly<Record<'polar' | 'polarSandbox' | 'stripe', CallLimits>> = {
  polar: {
    width: 5_000,
    buckets: 13,
    max: 490,
    maxUnknown: 245,
    maxStrangers: 60,
    maxBackground: 245,
    maxOthers: 367,
  },
  polarSandbox: {
    width: 5_000,
    buckets: 13,
    max: 95,
    maxUnknown: 47,
    maxStrangers: 12,
    maxBackground: 47,
    maxOthers: 71,
  },
  stripe: {
    width: 100,
    buckets: 11,
    max: 14,
    maxUnknown: 7,
    maxStrangers: 2,
    maxBackground: 7,
    maxOthers: 10,
  },
};

/** The limits of the payment service at an address. */
export function callLimitsOf(service: PaymentService['name'], apiUrl: string): CallLimits {
  const isSandbox = service === 'polar' && new URL(apiUrl).hostname.startsWith('sandbox');
  return CALL_LIMITS[isSandbox ? 'polarSandbox' : service];
}

/** Milliseconds that a call waits for a slot. A person waits five seconds for everything; nothing waits for junk. */
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
  /** Default: those of the service. */
  readonly limits?: CallLimits | undefined;
  /** Called for every call that got no slot. */
  readonly onRefusal?: (urgency: Urgency) => void;
}

export function createCallBudget(options: CallBudgetOptions): CallBudget {
  const { database, clock, service, limits = CALL_LIMITS[service], onRefusal = () => {} } = options;
  /** The last of each queue: the database gets one request at a time, in the order of their coming. */
  const queues = new Map<Urgency, Promise<void>>();

  async function takeSlot(urgency: Urgency, until: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      if (signal.aborted) throw signal.reason;
      const wait = await database
        .write((sql) => reserveCall(sql, service, urgency, limits))
        .catch((error: unknown) => {
          throw new ProviderUnavailable(error);
        });
      if (wait === 0) return;
      if (clock.monotonic() + wait > until) throw noSlot(wait);
      await pause(clock, wait, signal);
    }
  }

  return {
    async reserve(urgency, signal) {
      const until = clock.monotonic() + TIMEOUT_MS[urgency];
      const before = queues.get(urgency) ?? Promise.resolve();
      const mine = before.then(() => takeSlot(urgency, until, signal));
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

function noSlot(wait: number): ProviderUnavailable {
  return new ProviderUnavailable(
    new Error(`All calls are taken; a slot may be free in ${Math.ceil(wait)} ms`),
  );
}
