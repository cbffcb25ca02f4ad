// Lease of work that one process at a time does, by the clock of the database.

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Database, Sql, Transaction } from './database.ts';

/** This process among those on one database: the same in all of its threads. Holders of leases start with it. */
export const PROCESS_NAME = `${hostname()}:${process.pid}`;

/** Milliseconds. A process that stops is replaced after this time. */
const DURATION = 20_000;

/** Another process does the work by now: nothing of this transaction may be written. */
export class WorkTaken extends Error {
  override readonly name = 'WorkTaken';
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
  constructor(database: Database, name: string, duration = DURATION) {
    this.#database = database;
    this.#name = name;
    this.#duration = duration;
  }

  /** Takes or renews the lease; false while another process has it, whose transactions are not waited for. */
  async acquire(): Promise<boolean> {
    const rows = await this.#database.write(
      (sql) => sql<{ fence: number }[]>`
        insert into work_lease as current (name, holder, leased_until, fence)
        select ${this.#name}::text, ${this.#holder}::text, ${this.#end(sql)}, 1
        where not exists (
          select from work_lease
          where name = ${this.#name} and holder <> ${this.#holder} and leased_until >= clock_timestamp())
        on conflict (name) do update set holder = excluded.holder, leased_until = excluded.leased_until,
          fence = case when current.holder = excluded.holder then current.fence else current.fence + 1 end
        where current.holder is null or current.holder = excluded.holder or current.leased_until < clock_timestamp()
        returning fence`,
    );
    this.#fence = rows[0]?.fence ?? null;
    return this.#fence !== null;
  }

  /** A number that grows whenever somebody takes the lease, as of the last call of `acquire`; null: another process has it. */
  get fence(): number | null {
    return this.#fence;
  }

  /**
   * Keeps the lease until the transaction ends, so that nobody takes the work over meanwhile. Throws WorkTaken.
   * @param fence under which the work was started: if the lease was lost and taken again since, others have worked in between
   */
  async hold(tx: Transaction, fence = this.#fence): Promise<void> {
    const { count } = await tx`
      update work_lease set leased_until = ${this.#end(tx)}
      where name = ${this.#name} and holder = ${this.#holder} and fence = ${fence}`;
    if (count === 0) throw new WorkTaken(`Another process does the work ${this.#name}`);
  }

  /** Gives it back, so that another process need not wait for its end. The row stays, since fences must not begin again. */
  async release(): Promise<void> {
    this.#fence = null;
    await this.#database.write(
      (sql) => sql`
        update work_lease set holder = null, leased_until = clock_timestamp()
        where name = ${this.#name} and holder = ${this.#holder}`,
    );
  }

  #end(sql: Sql) {
    return sql`clock_timestamp() + ${this.#duration} * interval '1 millisecond'`;
  }
}
