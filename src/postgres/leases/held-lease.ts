// Lease that a process holds and renews while it does long work, until it gives it back or has lost it.

import type { Database, Transaction, TransactionOptions } from '../client/database.ts';
import {
  holdWork,
  LEASE_TIMES,
  type LeaseClaim,
  type LeaseTimes,
  WorkLease,
  WorkTaken,
} from './work-lease.ts';

export interface HeldLease {
  /** For threads that write under it, by `holdWork`. */
  readonly claim: LeaseClaim;
  /**
   * Aborts with WorkTaken once another process has it or may have it. That is by our own monotonic clock, whether or not the
   * database can be asked. A process that was stopped learns it late: only the check of the fence protects what is written.
   */
  readonly lost: AbortSignal;
  /** Throws WorkTaken once another process may have it: before what is done outside of the database, where there is no fence. */
  readonly requireHeld: () => void;
  /** The check of the fence, at the end of a transaction that writes: nobody takes over before it has ended. Throws WorkTaken. */
  readonly hold: (tx: Transaction) => Promise<void>;
  /** Runs a transaction that is only committed if the fence still stands at its end. Throws WorkTaken. */
  readonly transaction: <T>(
    work: (tx: Transaction) => Promise<T>,
    options?: TransactionOptions,
  ) => Promise<T>;
  /** Stops the renewal and gives it back; where that fails, it ends by itself. */
  readonly release: () => Promise<void>;
}

/**
 * Takes the right to do a work, and renews it until it is released or lost; null while another process has it. Locks on the lease are
 * short, so renewals go on while a transaction of the holder takes long: it holds the lease at its end only.
 */
export async function takeLease(
  database: Database,
  name: string,
  { duration, renewal }: LeaseTimes = LEASE_TIMES,
): Promise<HeldLease | null> {
  const { clock } = database;
  const lease = new WorkLease(database, name, duration);
  let sentAt = clock.monotonic();
  if (!(await lease.acquire())) return null;
  const { claim } = lease;
  if (claim === null) return null;
  const late = `The lease of the work ${name} could not be renewed in time`;
  const lost = new AbortController();
  let cancelRenewal = (): void => {};
  let cancelEnd = (): void => {};
  let renewing = Promise.resolve();

  function lose(why: string): void {
    if (lost.signal.aborted) return;
    cancelRenewal();
    cancelEnd();
    lost.abort(new WorkTaken(why));
  }
  /** The database counts from when it got the statement, which is not before it was sent. */
  function renewed(at: number): void {
    sentAt = at;
    cancelEnd();
    const left = Math.max(0, at + duration - clock.monotonic());
    cancelEnd = clock.after(left, () => lose(late));
    schedule();
  }
  function schedule(): void {
    const wait = Math.max(0, sentAt + renewal - clock.monotonic());
    cancelRenewal = clock.after(wait, () => {
      renewing = renew();
    });
  }
  async function renew(): Promise<void> {
    const at = clock.monotonic();
    try {
      // Another number means that somebody has had it in between.
      const isOurs = (await lease.acquire()) && lease.fence === claim?.fence;
      if (lost.signal.aborted) return;
      if (isOurs) renewed(at);
      else lose(`Another process does the work ${name}`);
    } catch {
      if (lost.signal.aborted) return;
      // Tried again until its end.
      const wait = Math.max(renewal / 4, at + renewal - clock.monotonic());
      cancelRenewal = clock.after(wait, () => {
        renewing = renew();
      });
    }
  }

  renewed(sentAt);
  return {
    claim,
    lost: lost.signal,
    requireHeld() {
      // In a process that was stopped the clock has gone on, and the timer has not fired yet.
      if (clock.monotonic() >= sentAt + duration) lose(late);
      lost.signal.throwIfAborted();
    },
    hold: (tx) => holdWork(tx, claim),
    transaction: (work, options) =>
      database.transaction(
        async (tx) => {
          const result = await work(tx);
          await holdWork(tx, claim);
          return result;
        },
        { ...options, idleTimeout: duration },
      ),
    async release() {
      lose(`The work ${name} was given back`);
      await renewing;
      await lease.release().catch(() => {});
    },
  };
}
