// Lease of work that one process at a time does, by the clock of the database.

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Database, Sql, Transaction } from '../client/database.ts';

/** This process among those on one database: the same in all of its threads. Holders of leases start with it. */
export const PROCESS_NAME = `${hostname()}:${process.pid}`;

export interface LeaseTimes {
  /** Milliseconds after which another process takes over from one that no longer renews it. */
  readonly duration: number;
  /** Milliseconds between two renewals, and between two attempts of a process that waits. */
  readonly renewal: number;
}

/** Those of every lease: together they are less than ten seconds, and two renewals may be lost. */
export const LEASE_TIMES: LeaseTimes = { duration: 7_000, renewal: 2_000 };

/** Milliseconds for a statement about a lease: one whose connection hangs costs no more than one renewal. */
const STATEMENT_TIMEOUT = 2_000;

/** Another process does the work by now: nothing of this transaction may be written. */
export class WorkTaken extends Error {
  override readonly name = 'WorkTaken';
}

/** Work as somebody took it, as plain data: a thread of the process that holds it can write under it, too. */
export interface LeaseClaim {
  /** Of the work. */
  readonly name: string;
  readonly holder: string;
  readonly fence: number;
  /** Milliseconds. */
  readonly duration: number;
}

/**
 * The check of the fence, in the transaction that writes: from here to its end nobody takes the work over. Throws WorkTaken where
 * somebody has. It also makes the lease last, and PostgreSQL ends the transaction of a process that is stopped now before the
 * lease is over.
 */
export async function holdWork(
  tx: Sql,
  { name, holder, fence, duration }: Omit<LeaseClaim, 'fence'> & { readonly fence: number | null },
): Promise<void> {
  const { count } = await tx`
    update work_lease set leased_until = ${leaseEnd(tx, duration)}
    where name = ${name} and holder = ${holder} and fence = ${fence}
    returning set_config('idle_in_transaction_session_timeout', ${String(duration)}::text, true)`;
  if (count === 0) throw new WorkTaken(`Another process does the work ${name}`);
}

export class WorkLease {
  readonly #database: Database;
  readonly #name: string;
  readonly #duration: number;
  readonly #holder = `${PROCESS_NAME} ${randomUUID()}`;
  #fence: number | null = null;

  /**
   * @param name of the work
   * @param duration milliseconds after which another process may take the work over
   */
  constructor(database: Database, name: string, duration = LEASE_TIMES.duration) {
    this.#database = database;
    this.#name = name;
    this.#duration = duration;
  }

  /** Takes or renews the lease; false while another process has it, whose transactions are not waited for. */
  async acquire(): Promise<boolean> {
    const rows = await this.#database.write(
      (sql) => sql<{ fence: number }[]>`
        insert into work_lease as current (name, holder, leased_until, fence)
        select ${this.#name}::text, ${this.#holder}::text, ${leaseEnd(sql, this.#duration)}, 1
        where not exists (
          select from work_lease
          where name = ${this.#name} and holder <> ${this.#holder} and leased_until >= clock_timestamp())
        on conflict (name) do update set holder = excluded.holder, leased_until = excluded.leased_until,
          fence = case when current.holder = excluded.holder then current.fence else current.fence + 1 end
        where current.holder is null or current.holder = excluded.holder or current.leased_until < clock_timestamp()
        returning fence`,
      { timeout: STATEMENT_TIMEOUT },
    );
    this.#fence = rows[0]?.fence ?? null;
    return this.#fence !== null;
  }

  /** A number that grows whenever somebody takes the lease, as of the last call of `acquire`; null: another process has it. */
  get fence(): number | null {
    return this.#fence;
  }

  /** What was taken, as of the last call of `acquire`; null: another process has it. */
  get claim(): LeaseClaim | null {
    const fence = this.#fence;
    return fence === null
      ? null
      : { name: this.#name, holder: this.#holder, fence, duration: this.#duration };
  }

  /**
   * Keeps the lease until the transaction ends, so that nobody takes the work over meanwhile. Throws WorkTaken.
   * @param fence under which the work was started: if the lease was lost and taken again since, others have worked in between
   */
  hold(tx: Transaction, fence = this.#fence): Promise<void> {
    return holdWork(tx, { name: this.#name, holder: this.#holder, fence, duration: this.#duration });
  }

  /** Gives it back, so that another process need not wait for its end. The row stays, since fences must not begin again. */
  async release(): Promise<void> {
    this.#fence = null;
    await this.#database.write(
      (sql) => sql`
        update work_lease set holder = null, leased_until = clock_timestamp()
        where name = ${this.#name} and holder = ${this.#holder}`,
      { timeout: STATEMENT_TIMEOUT },
    );
  }
}

function leaseEnd(sql: Sql, duration: number) {
  return sql`clock_timestamp() + ${duration} * interval '1 millisecond'`;
}
