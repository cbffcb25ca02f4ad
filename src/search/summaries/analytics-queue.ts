// Queue of heavy reads (statistics, facets, exact counts): few run at once, so that pages always find a connection.

import { Bulkhead, BulkheadFull } from '../../lib/bulkhead.ts';
import { type Clock, type Deadline, withDeadline } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { isStatementTimeout } from '../../postgres/client/connection-errors.ts';
import type { Database } from '../../postgres/client/database.ts';

/** The share of the connections that heavy reads may hold. */
const SHARE = 1 / 3;
/** Reads in the queue; a response needs one, and one more for its groups or for each compared area. */
const MAX_QUEUED = 200;
/** Milliseconds for a read, and for a response of several reads, waiting included. */
const TIMEOUT = 8_000;
/** Seconds until the queue is likely to be shorter. */
const RETRY_AFTER = '5';

/** One queue for the process: heavy reads compete with each other, not with pages. */
export class AnalyticsQueue {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #bulkhead: Bulkhead;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#bulkhead = new Bulkhead({
      maxConcurrent: Math.max(1, Math.floor(database.status().size * SHARE)),
      maxQueue: MAX_QUEUED,
    });
  }

  /**
   * The database with its reads in the queue. They throw OVERLOADED if the queue is full, or if waiting or the statement
   * takes too long.
   * @param remedy a sentence that says how to request less
   */
  database(remedy: string): Database {
    return {
      ...this.#database,
      read: (work, options) =>
        withDeadline(this.#deadline(remedy, options?.signal), (signal) =>
          this.#bulkhead.run(signal, () => this.#database.read(work, { ...options, signal })),
        ).catch((error: unknown) => {
          if (isStatementTimeout(error)) throw tooMuch(remedy, error);
          throw error instanceof BulkheadFull ? overloaded(remedy, error) : error;
        }),
    };
  }

  /**
   * Runs an answer of several reads within the time limit of one, or rejects with OVERLOADED. Its signal aborts then, and
   * as soon as `left` does.
   */
  within<T>(remedy: string, left: AbortSignal, answer: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withDeadline(this.#deadline(remedy, left), answer);
  }

  #deadline(remedy: string, parent: AbortSignal | undefined): Deadline {
    const onTimeout = () => overloaded(remedy);
    return { clock: this.#clock, milliseconds: TIMEOUT, onTimeout, ...(parent && { parent }) };
  }
}

const overloaded = (remedy: string, cause?: Error): Problem =>
  new Problem(
    'OVERLOADED',
    `Too many statistics are being computed at the moment. ${remedy} Or try again in a few seconds.`,
    { headers: { 'retry-after': RETRY_AFTER }, ...(cause && { cause }) },
  );

/** A statement that took too long would do so again: the client must request less. */
const tooMuch = (remedy: string, cause: Error): Problem =>
  new Problem('OVERLOADED', `The request takes longer to compute than the time limit allows. ${remedy}`, {
    ...{ headers: { 'retry-after': RETRY_AFTER }, cause },
  });
