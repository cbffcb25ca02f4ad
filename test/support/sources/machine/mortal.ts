// Mortal process: its calls of the database and of others, at any of which it can die as by kill -9.

import type { Clock } from '../../../../src/lib/clock.ts';
import type { Outbound } from '../../../../src/lib/outbound.ts';
import type { Database } from '../../../../src/postgres/client/database.ts';
import type { ManualClock } from '../../service/clock.ts';

/** What a dead process waits for. */
const NEVER = new Promise<never>(() => {});

/** A process whose calls are counted. Once it is dead none of them returns, and none of its timers fires. */
export class Mortal {
  isDead = false;
  /** Calls under way. */
  busy = 0;
  /** Steps that it takes until it dies; a call has one before it and one behind it. */
  #left = Number.POSITIVE_INFINITY;
  readonly #timers = new Set<() => void>();
  readonly #clock: ManualClock;
  readonly #offset: () => number;

  /** `offset`: milliseconds by which its clock on the wall is ahead. */
  constructor(clock: ManualClock, offset: () => number) {
    this.#clock = clock;
    this.#offset = offset;
  }

  /** Callbacks that wait for time to pass. */
  get waiting(): number {
    return this.#timers.size;
  }

  dieAfter(steps: number): void {
    this.#left = steps;
  }

  die(): void {
    this.isDead = true;
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  readonly clock: Clock = {
    now: () => this.#clock.now() + this.#offset(),
    monotonic: () => this.#clock.monotonic(),
    after: (milliseconds, callback) => {
      if (this.isDead) return () => {};
      const cancel = this.#clock.after(milliseconds, () => {
        this.#timers.delete(forget);
        callback();
      });
      const forget = () => {
        this.#timers.delete(forget);
        cancel();
      };
      this.#timers.add(forget);
      return forget;
    },
  };

  /** The database as the process reaches it. A transaction whose end it does not live to see is rolled back. */
  database(database: Database): Database {
    return {
      ...database,
      read: (work, options) => this.#call(() => database.read(work, options)),
      write: (work, options) => this.#call(() => database.write(work, options)),
      transaction: (work, options) =>
        this.#call(() =>
          database.transaction(async (tx) => {
            const result = await work(tx);
            this.#step();
            if (this.isDead) throw new Error('The process is dead');
            return result;
          }, options),
        ),
    };
  }

  outbound(outbound: Outbound): Outbound {
    return { ...outbound, send: (request) => this.#call(() => outbound.send(request)) };
  }

  async #call<T>(work: () => Promise<T>): Promise<T> {
    this.#step();
    if (this.isDead) return NEVER;
    this.busy += 1;
    try {
      return await work();
    } finally {
      this.busy -= 1;
      this.#step();
      if (this.isDead) await NEVER;
    }
  }

  #step(): void {
    if (this.#left-- <= 0 && !this.isDead) this.die();
  }
}
