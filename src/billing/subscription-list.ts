// Lists of all subscriptions of a payment service: one process makes them, again and again, so that no row of the mirror grows old.

import { ProviderUnavailable } from '../access/tiers/provider.ts';
import { type Clock, MINUTE, withDeadline } from '../lib/clock.ts';
import { startPeriodicWork } from '../lib/periodic-work.ts';
import type { HeldLease } from '../postgres/leases/held-lease.ts';
import { LEASE_TIMES, WorkTaken } from '../postgres/leases/work-lease.ts';
import type { CallLimits } from './call-budget-store.ts';
import type { Mirror } from './mirror.ts';
import type { MirrorCounts } from './mirror-store.ts';
import type { PaymentService } from './payment-service.ts';

export interface SubscriptionListOptions {
  readonly mirror: Pick<Mirror, 'number' | 'save' | 'count'>;
  readonly service: Pick<PaymentService, 'name' | 'listAll'>;
  readonly limits: CallLimits;
  readonly clock: Clock;
  /** Takes the right to make the lists, which is kept between them; null: another process makes them. */
  readonly takeLease: () => Promise<HeldLease | null>;
  readonly report: (error: unknown) => void;
  /** Called with the milliseconds of each list that is complete. */
  readonly onList?: (milliseconds: number) => void;
  readonly onCount?: (counts: MirrorCounts) => void;
}

/** Milliseconds between two looks whether a list is due, and whether the process that makes them is gone. */
const ROUND = LEASE_TIMES.renewal;
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

/** Looks now, then every two seconds, whether a list is due and it is this process that makes it. */
export function startSubscriptionList(options: SubscriptionListOptions): { stop(): Promise<void> } {
  const { clock, takeLease, limits, mirror, service, onCount = () => {} } = options;
  const stopping = new AbortController();
  let lease: HeldLease | null = null;
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
      if (lease?.lost.aborted) lease = null;
      lease ??= await takeLease();
      if (lease === null || isTooLong || clock.monotonic() < dueAt) return;
      const startedAt = clock.monotonic();
      dueAt = startedAt + RETRY_PAUSE;
      const isComplete = await makeList(options, lease, stopping.signal).catch((error: unknown) => {
        if (error instanceof WorkTaken) return null;
        throw error;
      });
      if (isComplete === null) return;
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
      await lease?.release();
    },
  };
}

class TooLong extends Error {
  override readonly name = 'TooLong';
}

/**
 * Saves all subscriptions, numbered and dated from before the first page; false if that takes too long. One that is missing is
 * left as it is: it grows old, and is asked for by itself. Throws WorkTaken once another process makes the lists.
 */
async function makeList(
  { clock, mirror, report, service }: SubscriptionListOptions,
  { lost, hold }: HeldLease,
  parent: AbortSignal,
): Promise<boolean> {
  const signal = AbortSignal.any([parent, lost]);
  const onTimeout = () => new TooLong('A list of all subscriptions takes too long');
  try {
    await withDeadline({ clock, milliseconds: MAX_DURATION, parent: signal, onTimeout }, async (ended) => {
      const request = await mirror.number();
      await service.listAll(async (page) => {
        ended.throwIfAborted();
        await mirror.save(page, request, { hold });
      }, ended);
    });
    return true;
  } catch (error) {
    lost.throwIfAborted();
    if (!(error instanceof TooLong)) throw error;
    report(error);
    return false;
  }
}
