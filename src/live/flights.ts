// Live fetches that processes share: one calls the source for a listing, the others wait for what it stores.

import { randomUUID } from 'node:crypto';
import { type Clock, pause } from '../lib/clock.ts';
import type { Database } from '../postgres/client/database.ts';
import { type Listener, listen } from '../postgres/client/listen.ts';
import {
  endFlight,
  FLIGHTS_CHANNEL,
  type FlightEnd,
  type FlightUnderWay,
  findFlightEnd,
  renewFlight,
  startFlight,
} from './flight-store.ts';

export interface FlightsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
}

/** A fetch of this process, which ends it. */
export interface OwnFlight {
  end(end: FlightEnd): Promise<void>;
}

/** What becomes of a listing: this process fetches it, or another one has. */
export type Joined =
  | { readonly state: 'own'; readonly flight: OwnFlight }
  | { readonly state: 'ended'; readonly end: FlightEnd };

/** Milliseconds after which the fetch of a process that was killed is another's. */
const LEASE = 2_500;
const RENEWAL = 1_000;
/** Milliseconds between two looks while a notification may have been lost. */
const LOOK = 1_000;

/** Without an outcome: another process starts at once. */
export const ABANDONED: FlightEnd = { outcome: null, message: null, retryAfter: null };
/** Where the database cannot be asked, each process fetches for itself. */
const UNSHARED: OwnFlight = { end: async () => {} };

export class Flights {
  readonly #options: FlightsOptions;
  readonly #listener: Listener;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(options: FlightsOptions) {
    this.#options = options;
    const { database, report } = options;
    this.#listener = listen(
      database,
      FLIGHTS_CHANNEL,
      (id) => this.#wake(id),
      () => this.#wakeAll(),
      { onError: report },
    );
  }

  /**
   * Starts the fetch of a listing, or waits for that of another process, and starts it once that one is killed or abandoned. Rejects
   * with the signal's reason.
   */
  async join(listingId: string, signal: AbortSignal): Promise<Joined> {
    for (;;) {
      signal.throwIfAborted();
      const started = await this.#start(listingId);
      if ('state' in started) {
        // Nobody waits any more for what was started at the last moment: it would be renewed for ever.
        if (started.state === 'own' && signal.aborted) await started.flight.end(ABANDONED);
        signal.throwIfAborted();
        return started;
      }
      const end = await this.#ended(listingId, started.flight, started.left, signal);
      if (end?.outcome != null) return { state: 'ended', end };
    }
  }

  /** Starts the fetch of a listing; null: another process has. */
  async start(listingId: string): Promise<Joined | null> {
    const started = await this.#start(listingId);
    return 'state' in started ? started : null;
  }

  async #start(listingId: string): Promise<Joined | FlightUnderWay> {
    const { database } = this.#options;
    for (;;) {
      const own = randomUUID();
      const started = await startFlight(database, listingId, own, LEASE).catch(() => undefined);
      if (started === undefined) return { state: 'own', flight: UNSHARED };
      if (started === null) continue;
      return started.flight === own ? { state: 'own', flight: this.#keep(listingId, own) } : started;
    }
  }

  async close(): Promise<void> {
    await this.#listener.close();
  }

  /** How the fetch of another process ended; null where it was abandoned, or its lease has run out. */
  async #ended(
    listingId: string,
    flight: string,
    left: number,
    signal: AbortSignal,
  ): Promise<FlightEnd | null> {
    const { clock, database } = this.#options;
    const noticed = new AbortController();
    const notice = () => noticed.abort();
    const waiting = this.#waiting.get(listingId) ?? new Set();
    this.#waiting.set(listingId, waiting.add(notice));
    try {
      await pause(clock, Math.min(left, LOOK), AbortSignal.any([noticed.signal, signal]));
      return await findFlightEnd(database, listingId, flight).catch(() => null);
    } finally {
      waiting.delete(notice);
      if (waiting.size === 0) this.#waiting.delete(listingId);
    }
  }

  /** Renews the lease until the fetch ends. */
  #keep(listingId: string, flight: string): OwnFlight {
    const { clock, database, report } = this.#options;
    let cancel = (): void => {};
    let isEnded = false;
    const schedule = (): void => {
      cancel = clock.after(RENEWAL, () => void renew());
    };
    const renew = async (): Promise<void> => {
      // One that has lost its lease goes on: two calls do no harm, and somebody waits for this one.
      const isHeld = await renewFlight(database, listingId, flight, LEASE).catch(() => true);
      if (isHeld && !isEnded) schedule();
    };
    schedule();
    return {
      async end(end) {
        isEnded = true;
        cancel();
        await endFlight(database, listingId, flight, end).catch(report);
      },
    };
  }

  #wake(listingId: string): void {
    for (const notice of this.#waiting.get(listingId) ?? []) notice();
  }

  #wakeAll(): void {
    for (const id of this.#waiting.keys()) this.#wake(id);
  }
}
