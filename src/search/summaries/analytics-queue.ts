// Queue of costly questions: few are answered at once, each caller in turn, and none takes longer than three seconds.

import { availableParallelism } from 'node:os';
import { type Clock, type Deadline, unlessAborted, withDeadline } from '../../lib/clock.ts';
import { CostlyWork, type Place } from '../../lib/costly-work.ts';
import { QueueFull } from '../../lib/fair-queue.ts';
import { Problem } from '../../lib/problem.ts';
import { isStatementTimeout } from '../../postgres/client/connection-errors.ts';
import type { Database } from '../../postgres/client/database.ts';

/** Places of costly questions: statements of PostgreSQL, and questions that this process answers from memory. */
export interface Places {
  readonly statements: number;
  readonly scans: number;
}

/** Waiting in either queue. */
const MAX_WAITING = 200;
/** Of one caller. */
const MAX_WAITING_EACH = 50;
/** Milliseconds for a question, and for a response of several, waiting included. */
export const COSTLY_DEADLINE = 3_000;
/** Seconds until the queue is likely to be shorter. */
const RETRY_AFTER = '5';
/** Scans take turns of half a millisecond, so that several cost others no more than one. */
const SCANS = 4;
/** The share of the connections that costly statements may hold. */
const SHARE = 1 / 3;

/** Statements at once: a third of the connections, and no more than leaves a processor to everything else. */
export const placesFor = (connections: number, processors: number): Places => ({
  statements: Math.max(1, Math.min(Math.floor(connections * SHARE), processors - 1)),
  scans: SCANS,
});

/** Who asks, and how they may ask for less. */
export interface Asker {
  /** An account, whose turn is told by it. */
  readonly caller: string;
  /** What the question is a part of: its further ones go first, and all of them share the deadline. Default: nothing. */
  readonly request?: object | undefined;
  /** A sentence that says how to request less. */
  readonly remedy: string;
  /** Milliseconds to wait for a place; default: as long as the deadline. */
  readonly maxWait?: number | undefined;
}

/** The account of what this service asks by itself. */
export const OWN_ACCOUNT = 'service';

export class AnalyticsQueue {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #statements: CostlyWork;
  readonly #scans: CostlyWork;
  /** When the first question of a request came, in monotonic milliseconds. */
  readonly #began = new WeakMap<object, number>();

  constructor(
    database: Database,
    clock: Clock,
    { statements, scans } = placesFor(database.status().size, availableParallelism()),
  ) {
    this.#database = database;
    this.#clock = clock;
    const bounds = { clock, maxWaiting: MAX_WAITING, maxWaitingEach: MAX_WAITING_EACH };
    this.#statements = new CostlyWork({ ...bounds, places: statements });
    this.#scans = new CostlyWork({ ...bounds, places: scans });
  }

  /** Questions that hold a place, and those that wait for one. */
  status(): Readonly<Record<keyof Places, { readonly busy: number; readonly waiting: number }>> {
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
        const place = await this.#enter(this.#statements, asker, options?.signal);
        try {
          // A connection is waited for whatever aborts.
          const reading = this.#database.read(work, { ...options, signal: place.signal });
          return await unlessAborted(place.signal, reading);
        } catch (error) {
          throw isStatementTimeout(error) ? tooMuch(asker.remedy, error) : error;
        } finally {
          place.leave();
        }
      },
    };
  }

  /** A place for a question that is answered from memory. Rejects as reads do. */
  scan(asker: Asker, parent?: AbortSignal): Promise<Place> {
    return this.#enter(this.#scans, asker, parent);
  }

  /**
   * Runs an answer of several questions within the time limit of one, or rejects with OVERLOADED. Its signal aborts then, and
   * as soon as `left` does.
   */
  within<T>(remedy: string, left: AbortSignal, answer: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const deadline: Deadline = {
      clock: this.#clock,
      milliseconds: COSTLY_DEADLINE,
      parent: left,
      onTimeout: () => late(remedy),
    };
    return withDeadline(deadline, answer);
  }

  async #enter(work: CostlyWork, asker: Asker, parent: AbortSignal | undefined): Promise<Place> {
    const { caller, request, remedy, maxWait } = asker;
    try {
      return await work.enter({
        caller,
        request,
        maxWait,
        parent,
        deadline: this.#timeLeft(request),
        onLate: () => late(remedy),
      });
    } catch (error) {
      throw error instanceof QueueFull ? full(remedy, error) : error;
    }
  }

  /** Milliseconds that are left to the questions of a request since its first one came. */
  #timeLeft(request: object | undefined): number {
    if (request === undefined) return COSTLY_DEADLINE;
    const now = this.#clock.monotonic();
    const began = this.#began.get(request) ?? now;
    this.#began.set(request, began);
    return Math.max(0, began + COSTLY_DEADLINE - now);
  }
}

const overloaded = (detail: string, cause?: Error): Problem =>
  new Problem('OVERLOADED', detail, {
    headers: { 'retry-after': RETRY_AFTER },
    ...(cause && { cause }),
  });

const full = (remedy: string, cause: Error): Problem =>
  overloaded(`Too many costly questions wait at the moment. ${remedy} Or try again in a few seconds.`, cause);

const late = (remedy: string): Problem =>
  overloaded(
    `The request was not answered within three seconds, which is all that costly questions get. ${remedy} ` +
      'Or try again in a few seconds.',
  );

/** A statement that took too long would do so again: the client must request less. */
const tooMuch = (remedy: string, cause: Error): Problem =>
  overloaded(`The request takes longer to compute than the time limit allows. ${remedy}`, cause);
