// Lease of periodic work that one process at a time does, by the clock of the database.

import { randomUUID } from 'node:crypto';
import type { Database, Sql, Transaction } from './database.ts';

/** Milliseconds. A process that stops is replaced after this time. */
const LEASE = 20_000;

/** Another process does the work by now: nothing of this transaction may be written. */
export class WorkTaken extends Error {
  override readonly name = 'WorkTaken';
}

export class WorkLease {
  readonly #database: Database;
  readonly #name: string;
  readonly #holder = randomUUID();

  /** @param name of the work */
  constructor(database: Database, name: string) {
    this.#database = database;
    this.#name = name;
  }

  /** Takes or renews the lease; false while another process has it. */
  async acquire(): Promise<boolean> {
    const { count } = await this.#database.write(
      (sql) => sql`
        insert into work_lease as current (name, holder, leased_until)
        values (${this.#name}, ${this.#holder}, ${leaseEnd(sql)})
        on conflict (name) do update set holder = excluded.holder, leased_until = excluded.leased_until
        where current.holder = excluded.holder or current.leased_until < clock_timestamp()`,
    );
    return count === 1;
  }

  /** Keeps the lease until the transaction ends, so that nobody takes the work over meanwhile. Throws WorkTaken. */
  async hold(tx: Transaction): Promise<void> {
    const { count } = await tx`
      update work_lease set leased_until = ${leaseEnd(tx)} where name = ${this.#name} and holder = ${this.#holder}`;
    if (count === 0) throw new WorkTaken(`Another process does the work ${this.#name}`);
  }

  /** Gives it back, so that another process need not wait for its end. */
  async release(): Promise<void> {
    await this.#database.write(
      (sql) => sql`delete from work_lease where name = ${this.#name} and holder = ${this.#holder}`,
    );
  }
}

const leaseEnd = (sql: Sql) => sql`clock_timestamp() + ${LEASE} * interval '1 millisecond'`;
