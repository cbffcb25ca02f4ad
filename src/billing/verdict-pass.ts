// Passes over all subscriptions of a payment service: with many keys they cost fewer calls than asking for each one.

import { ProviderUnavailable } from '../access/tiers/provider.ts';
import { type Clock, MINUTE, withDeadline } from '../lib/clock.ts';
import { startPeriodicWork } from '../lib/periodic-work.ts';
import type { PaymentService } from './payment-service.ts';
import type { VerdictTable } from './verdict-table.ts';

/** Work that one process at a time does. */
interface Lease {
  acquire(): Promise<boolean>;
  release(): Promise<void>;
}

export interface VerdictPassOptions {
  readonly table: Pick<VerdictTable, 'begin' | 'save' | 'count'>;
  readonly service: Pick<PaymentService, 'name' | 'countKeys' | 'listAll'>;
  readonly clock: Clock;
  readonly lease: Lease;
  readonly report: (error: unknown) => void;
  /** Told of each pass that was complete: how many milliseconds it took. */
  readonly onPass?: (milliseconds: number) => void;
  /** Told now and then how many verdicts are active, and how old the oldest is, in milliseconds. */
  readonly onCount?: (counts: { readonly active: number; readonly oldest: number }) => void;
}

/** Active keys above which passes are made: so many can be asked for one by one within the limit of calls. */
export const PASS_ABOVE: Readonly<Record<PaymentService['name'], number>> = { polar: 1_000, stripe: 5_000 };
/** Milliseconds between two looks whether a pass is due. The leases last twice as long. */
const ROUND = 10_000;
/** Milliseconds between two counts of keys. */
const COUNT_INTERVAL = MINUTE;
/**
 * Milliseconds from the beginning of one pass to the end of the next: a verdict grows as old as that, and from 480 s on it is
 * asked for by itself.
 */
const CYCLE = 420_000;
/** Milliseconds that a pass may take at most: what it found first would be as old as that when it is saved. */
const LONGEST = 450_000;
/** Milliseconds until the next pass after one that failed. */
const RETRY_PAUSE = 30_000;

export interface VerdictPass {
  stop(): Promise<void>;
}

/** Looks now, then every ten seconds, whether a pass is due and it is this process that makes it. */
export function startVerdictPass(options: VerdictPassOptions): VerdictPass {
  const { clock, lease, service, table, onCount = () => {} } = options;
  const stopping = new AbortController();
  let [dueAt, countAt, isMany] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, false];
  const work = startPeriodicWork({
    clock,
    pause: ROUND,
    report: options.report,
    async work() {
      // In every process: it also looks at the shared time, so that a clock that is set back is noticed.
      onCount(await table.count());
      if (!(await lease.acquire())) return;
      if (clock.monotonic() >= countAt) {
        isMany = (await countKeys(options, stopping.signal)) > PASS_ABOVE[service.name];
        countAt = clock.monotonic() + COUNT_INTERVAL;
      }
      if (!isMany || clock.monotonic() < dueAt) return;
      dueAt = clock.monotonic() + RETRY_PAUSE;
      const begunAt = clock.monotonic();
      await runPass(options, stopping.signal);
      const taken = clock.monotonic() - begunAt;
      dueAt = begunAt + Math.max(taken, CYCLE - taken);
      options.onPass?.(taken);
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

function countKeys({ clock, service }: VerdictPassOptions, parent: AbortSignal): Promise<number> {
  const onTimeout = () => new ProviderUnavailable(new Error('The keys were not counted in time'));
  return withDeadline({ clock, milliseconds: MINUTE, parent, onTimeout }, (signal) =>
    service.countKeys(signal),
  );
}

/**
 * Saves what the service says of every subscription. Every verdict is dated from the beginning, before the first question. One
 * that is missing is left as it is: it grows too old and is asked for by itself.
 */
async function runPass(options: VerdictPassOptions, parent: AbortSignal): Promise<void> {
  const { clock, service, table } = options;
  const lost = new AbortController();
  const stopKeeping = keepLease(options, lost);
  const signal = AbortSignal.any([parent, lost.signal]);
  const onTimeout = () => new ProviderUnavailable(new Error('A pass over all subscriptions took too long'));
  try {
    await withDeadline({ clock, milliseconds: LONGEST, parent: signal, onTimeout }, async (ended) => {
      const asking = await table.begin();
      for await (const batch of service.listAll(ended)) {
        ended.throwIfAborted();
        await table.save(batch, asking, { announcesNew: false });
      }
    });
  } finally {
    stopKeeping();
  }
}

/** Renews the lease while a pass runs, and ends the pass once another process has it. */
function keepLease(
  { clock, lease, report, table, onCount }: VerdictPassOptions,
  lost: AbortController,
): () => void {
  let cancel = clock.after(ROUND, renew);
  function renew(): void {
    cancel = clock.after(ROUND, renew);
    lease.acquire().then((isOurs) => {
      if (!isOurs) lost.abort(new ProviderUnavailable(new Error('Another process makes the passes')));
    }, report);
    table.count().then(onCount, report);
  }
  return () => cancel();
}
