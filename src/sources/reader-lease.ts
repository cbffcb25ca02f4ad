// Lease of a source's reader: of all processes that share a database, one reads a source, and a former one cannot write.

import { readerLeaseName } from '../ingest/removal/source-lock-store.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import { WorkLease } from '../postgres/client/work-lease.ts';

export interface LeaseTimes {
  /** Milliseconds after which another process takes over from one that no longer renews it. */
  readonly duration: number;
  /** Milliseconds between two renewals, and between two attempts of a process that waits. */
  readonly renewal: number;
}

/** Together they are less than ten seconds. */
export const LEASE_TIMES: LeaseTimes = { duration: 7_000, renewal: 2_000 };

export interface ReaderLease {
  /** Aborts once another process may have taken over. */
  readonly lost: AbortSignal;
  /** Called at the end of each transaction that writes: nobody takes over before it has ended. Throws WorkTaken. */
  hold(tx: Transaction): Promise<void>;
  release(): Promise<void>;
}

/** Takes the right to read a source, and renews it until it is released; null while another process has it. */
export async function takeReaderLease(
  database: Database,
  source: string,
  { duration, renewal }: LeaseTimes = LEASE_TIMES,
): Promise<ReaderLease | null> {
  const { clock } = database;
  const lease = new WorkLease(database, readerLeaseName(source), duration);
  if (!(await lease.acquire())) return null;
  const { fence } = lease;
  const lost = new AbortController();
  let renewedAt = clock.monotonic();
  let cancel = (): void => {};
  let renewing = Promise.resolve();
  const schedule = (): void => {
    cancel = clock.after(renewal, () => {
      renewing = renew();
    });
  };
  const renew = async (): Promise<void> => {
    const startedAt = clock.monotonic();
    try {
      // Another number means that somebody has had it in between.
      if (!(await lease.acquire()) || lease.fence !== fence) return lost.abort();
      renewedAt = startedAt;
    } catch {
      // Without the database nobody takes over either, but its end must be known by then.
      if (clock.monotonic() - renewedAt >= duration) return lost.abort();
    }
    if (!lost.signal.aborted) schedule();
  };
  lost.signal.addEventListener('abort', () => cancel());
  schedule();
  return {
    lost: lost.signal,
    hold: (tx) => lease.hold(tx, fence),
    async release() {
      lost.abort();
      await renewing;
      // Where it cannot be given back, it ends by itself.
      await lease.release().catch(() => {});
    },
  };
}
