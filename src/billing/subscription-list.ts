// Lists of all subscriptions of a payment service: one process makes them, again and again, so that no row of the mirror grows old.

import { ProviderUnavailable } from '../access/tiers/provider.ts';
import { type Clock, MINUTE, withDeadline } from '../lib/clock.ts';
import { startPeriodicWork } from '../lib/periodic-work.ts';
import type { CallLimits } from './call-budget-store.ts';
import type { Mirror } from './mirror.ts';
import type { MirrorCounts } from './mirror-store.ts';
import type { PaymentService } from './payment-service.ts';

/** Work that one process at a time does. */
interface Lease {
  acquire(): Promise<boolean>;
  release(): Promise<void>;
}

export interface SubscriptionListOptions {
  readonly mirror: Pick<Mirror, 'number' | 'save' | 'count'>;
  readonly service: Pick<PaymentService, 'name' | 'listAll'>;
  readonly limits: CallLimits;
  readonly clock: Clock;
  readonly lease: Lease;
  readonly report: (error: unknown) => void;
  /** Called with the milliseconds of each list that is complete. */
  readonly onList?: (milliseconds: number) => void;
  readonly onCount?: (counts: MirrorCounts) => void;
}

/** Milliseconds between two looks whether a list is due. The leases last twice as long. */
const ROUND = 10_000;
const COUNT_INTERVAL = MINUTE;
/** Milliseconds from the start of one list to the end of the next: rows that are older are renewed one by one. */
const CYCLE = 420_000;
/** Milliseconds that a list may take: its first rows are twice as old at the end of the next one. */
const MAX_DURATION = 280_000;
/** Milliseconds until the next attempt after one that failed. */
const RETRY_PAUSE = 30_000;

/** Calls for each hundred subscriptions: Polar has lists of keys, grants and subscriptions. */
export const CALLS_PER_HUNDRED: Readonly<Record<PaymentService['name'], number>> = { polar: 3, stripe: 1 };

/** Subscriptions of which a list can be made in time, with the calls that are left to it. */
export function maxListed({ width, buckets, maxBackground }: CallLimits, callsPerHundred: number): number {
  const calls = Math.floor(MAX_DURATION / (width * (buckets + 1))) * maxBackground;
  return Math.floor(calls / callsPerHundred) * 100;
}

/** Looks now, then every ten seconds, whether a list is due and it is this process that makes it. */
export function startSubscriptionList(options: SubscriptionListOptions): { stop(): Promise<void> } {
  const { clock, lease, limits, mirror, service, onCount = () => {} } = options;
  const stopping = new AbortController();
  const max = maxListed(limits, CALLS_PER_HUNDRED[service.name]);
  let [dueAt, countAt, isTooLong] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, false];
  const work = startPeriodicWork({
    clock,
    pause: ROUND,
    report: options.report,
    async work() {
      if (clock.monotonic() >= countAt) {
        countAt = clock.monotonic() + COUNT_INTERVAL;
        const counts = await mirror.count();
        isTooLong = counts.listed > max;
        onCount(counts);
      }
      if (!(await lease.acquire()) || isTooLong || clock.monotonic() < dueAt) return;
      const startedAt = clock.monotonic();
      dueAt = startedAt + RETRY_PAUSE;
      const isComplete = await makeList(options, stopping.signal);
      const duration = clock.monotonic() - startedAt;
      // After one that took longer than half a cycle, the next one begins at once.
      dueAt = startedAt + CYCLE - duration;
      if (isComplete) options.onList?.(duration);
    },
  });
  return {
    async stop() {
      stopping.abort(new ProviderUnavailable(new Error('The service stops')));
      await work.stop();
      await lease.release();
    },
  };
}

class TooLong extends Error {
  override readonly name = 'TooLong';
}

/**
 * Saves all subscriptions, numbered and dated from before the first page; false if that takes too long. One that is missing is
 * left as it is: it grows old, and is asked for by itself.
 */
async function makeList(options: SubscriptionListOptions, parent: AbortSignal): Promise<boolean> {
  const { clock, mirror, report, service } = options;
  const lost = new AbortController();
  const stopKeeping = keepLease(options, lost);
  const signal = AbortSignal.any([parent, lost.signal]);
  const onTimeout = () => new TooLong('A list of all subscriptions takes too long');
  try {
    await withDeadline({ clock, milliseconds: MAX_DURATION, parent: signal, onTimeout }, async (ended) => {
      const request = await mirror.number();
      await service.listAll(async (page) => {
        ended.throwIfAborted();
        await mirror.save(page, request);
      }, ended);
    });
    return true;
  } catch (error) {
    if (!(error instanceof TooLong)) throw error;
    report(error);
    return false;
  } finally {
    await stopKeeping();
  }
}

/**
 * Renews the lease while a list is made, and ends the list once another process has it. The returned function stops that, and
 * resolves when no renewal is under way: one that came after the release would keep others out.
 */
function keepLease(
  { clock, lease, report }: SubscriptionListOptions,
  lost: AbortController,
): () => Promise<void> {
  let cancel = clock.after(ROUND, renew);
  let renewal = Promise.resolve();
  function renew(): void {
    cancel = clock.after(ROUND, renew);
    renewal = renewal
      .then(() => lease.acquire())
      .then((isOurs) => {
        if (!isOurs) lost.abort(new ProviderUnavailable(new Error('Another process makes the lists')));
      }, report);
  }
  return () => {
    cancel();
    return renewal;
  };
}
