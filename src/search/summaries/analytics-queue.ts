// Queue of expensive queries: few are answered at once, fairly by caller, and none takes longer than three seconds.

import { availableParallelism } from 'node:os';
import { type Clock, type Deadline, unlessAborted, withDeadline } from '../../lib/clock.ts';
import { FairQueue, QueueFull } from '../../lib/fair-queue.ts';
import { Problem } from '../../lib/problem.ts';
import { eventLoop, type Scheduler, type Slot, type Task } from '../../lib/scheduler.ts';
import { isStatementTimeout } from '../../postgres/client/connection-errors.ts';
import type { Database } from '../../postgres/client/database.ts';

/** Slots of expensive queries: statements of PostgreSQL, and scans of what this process has in memory. */
export interface Slots {
  readonly statements: number;
  readonly scans: number;
}

/** Waiting in either queue. */
const MAX_WAITING = 200;
/** Of one caller. */
const MAX_WAITING_EACH = 50;
/** Milliseconds for a query, and for a response of several, waiting included. */
export const EXPENSIVE_TIMEOUT = 3_000;
/** Seconds until the queue is likely to be shorter. */
const RETRY_AFTER = '5';
/** One scan has a slice in an iteration of the event loop, so that several delay others no more than one does. */
const SCANS = 4;
/** The share of the connections that expensive statements may use. */
const SHARE = 1 / 3;

/** Statements at once: a third of the connections, and no more than leaves a processor to everything else. */
export const slotsFor = (connections: number, processors: number): Slots => ({
  statements: Math.max(1, Math.min(Math.floor(connections * SHARE), processors - 1)),
  scans: SCANS,
});

/** A request of several queries. */
export interface SharedRequest {
  /** Monotonic milliseconds of its first expensive query. */
  startedAt?: number;
}

/** Who sends a query, and how they may request less. */
export interface Asker {
  /** An account: slots are shared between accounts. */
  readonly caller: string;
  /** What the query is a part of: its further ones go first, and all of them share the timeout. Default: nothing. */
  readonly request?: SharedRequest | undefined;
  /** A sentence that says how to request less. */
  readonly remedy: string;
  /** Milliseconds to wait for a slot; default: as long as the timeout. */
  readonly maxWait?: number | undefined;
}

export interface ScanOptions {
  /** Milliseconds of work. */
  readonly expensiveAfter: number;
  /** Ends the scan. */
  readonly signal?: AbortSignal | undefined;
  /** Makes a signal that ends an expensive scan, where there is no other one. */
  readonly left?: (() => AbortSignal) | undefined;
}

/** The account of the queries that this service sends by itself. */
export const OWN_ACCOUNT = 'service';

export class AnalyticsQueue {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #statements: FairQueue;
  readonly #scans: FairQueue;

  constructor(
    database: Database,
    clock: Clock,
    { statements, scans }: Slots = slotsFor(database.status().size, availableParallelism()),
    scheduler = eventLoop,
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#scheduler = scheduler;
    const bounds = { maxWaiting: MAX_WAITING, maxWaitingEach: MAX_WAITING_EACH };
    this.#statements = new FairQueue({ ...bounds, slots: statements });
    this.#scans = new FairQueue({ ...bounds, slots: scans });
  }

  /** Queries that have a slot, and those that wait for one. */
  status(): Readonly<Record<keyof Slots, { readonly busy: number; readonly waiting: number }>> {
    return { statements: this.#statements, scans: this.#scans };
  }

  /**
   * The database with its reads in the queue. They throw OVERLOADED if the queue is full, or if waiting or the statement
   * takes too long; PostgreSQL is then made to stop.
   */
  database(asker: Asker): Database {
    return {
      ...this.#database,
      read: async (work, options) => {
        const slot = await this.#enter(this.#statements, asker, options?.signal);
        try {
          // A connection is waited for whatever aborts.
          const reading = this.#database.read(work, { ...options, signal: slot.signal });
          return await unlessAborted(slot.signal, reading);
        } catch (error) {
          throw isStatementTimeout(error) ? tooMuch(asker.remedy, error) : error;
        } finally {
          slot.leave();
        }
      },
    };
  }

  /** Runs a scan of what is in memory as a task that needs a slot once it is expensive. Rejects as reads do. */
  scan<T>(
    asker: Asker,
    { expensiveAfter: after, signal, left }: ScanOptions,
    work: (task: Task) => Promise<T>,
  ): Promise<T> {
    const admit = () => this.#enter(this.#scans, asker, signal ?? left?.());
    return this.#scheduler.run({ signal, expensive: { after, admit } }, work);
  }

  /**
   * Runs an answer of several queries within the timeout of one, or rejects with OVERLOADED. Its signal aborts then, and
   * as soon as `left` does.
   */
  within<T>(remedy: string, left: AbortSignal, answer: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const deadline: Deadline = {
      clock: this.#clock,
      milliseconds: EXPENSIVE_TIMEOUT,
      parent: left,
      onTimeout: () => late(remedy),
    };
    return withDeadline(deadline, answer);
  }

  async #enter(queue: FairQueue, asker: Asker, parent: AbortSignal | undefined): Promise<Slot> {
    const { caller, request, remedy, maxWait = EXPENSIVE_TIMEOUT } = asker;
    const start = this.#clock.monotonic();
    const timeout = this.#timeLeft(request, start);
    const over = new AbortController();
    const end = (): void => over.abort(late(remedy));
    const signal = parent ? AbortSignal.any([over.signal, parent]) : over.signal;
    let cancel = this.#clock.after(Math.min(timeout, maxWait), end);
    try {
      const leave = await queue.enter(caller, signal, request);
      cancel();
      cancel = this.#clock.after(start + timeout - this.#clock.monotonic(), end);
      return {
        signal,
        leave() {
          cancel();
          leave();
        },
      };
    } catch (error) {
      cancel();
      throw error instanceof QueueFull ? full(remedy, error) : error;
    }
  }

  /** Milliseconds that are left to the queries of a request since its first one came. */
  #timeLeft(request: SharedRequest | undefined, now: number): number {
    if (request === undefined) return EXPENSIVE_TIMEOUT;
    request.startedAt ??= now;
    return Math.max(0, request.startedAt + EXPENSIVE_TIMEOUT - now);
  }
}

const overloaded = (detail: string, cause?: Error): Problem =>
  new Problem('OVERLOADED', detail, {
    headers: { 'retry-after': RETRY_AFTER },
    ...(cause && { cause }),
  });

const full = (remedy: string, cause: Error): Problem =>
  overloaded(
    `Too many expensive queries wait at the moment. ${remedy} Or try again in a few seconds.`,
    cause,
  );

const late = (remedy: string): Problem =>
  overloaded(
    `The request was not answered within three seconds, which is the timeout of expensive queries. ${remedy} ` +
      'Or try again in a few seconds.',
  );

/** A statement that took too long would do so again: the client must request less. */
const tooMuch = (remedy: string, cause: Error): Problem =>
  overloaded(`The request takes longer to compute than the time limit allows. ${remedy}`, cause);
