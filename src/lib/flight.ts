// Owns shared flights: one run of a piece of work for everyone who waits for the same thing at the same time.

export type Work<T> = (signal: AbortSignal) => Promise<T>;

interface Flight<T> {
  /** Null once it has ended. */
  result: Promise<T> | null;
  readonly controller: AbortController;
  waiters: number;
}

/**
 * One run per key. Each waiter leaves by its own signal without harm to the others; the run is aborted when the last
 * one has left. Results and errors are shared and nothing is kept once a run has ended.
 */
export class Flights<T> {
  readonly #flights = new Map<string, Flight<T>>();

  /** Runs under way. */
  get size(): number {
    return this.#flights.size;
  }

  /** Whether a run for this key is under way. */
  has(key: string): boolean {
    return this.#flights.has(key);
  }

  /** Joins the run for this key, or starts it. Rejects with the signal's reason when the waiter leaves. */
  join(key: string, signal: AbortSignal | null, start: Work<T>): Promise<T> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const flight = this.#flights.get(key) ?? this.#depart(key, start);
    flight.waiters++;
    return signal === null ? resultOf(flight) : this.#waitFor(key, flight, signal);
  }

  #depart(key: string, start: Work<T>): Flight<T> {
    const controller = new AbortController();
    const result = Promise.try(start, controller.signal).finally(() => {
      this.#land(key, flight);
      // A map that much was put into and taken out of leaves tables behind that point to what was in it, and that live
      // until a full collection: of a flight they must not hold the result.
      flight.result = null;
    });
    // Once everyone has left, nobody hears of the abortion that they caused.
    result.catch(() => {});
    const flight: Flight<T> = { result, controller, waiters: 0 };
    this.#flights.set(key, flight);
    return flight;
  }

  /** An aborted run may end after its successor for the same key has started. */
  #land(key: string, flight: Flight<T>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }

  #waitFor(key: string, flight: Flight<T>, signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(signal.reason);
        if (--flight.waiters > 0) return;
        this.#land(key, flight);
        flight.controller.abort(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      const settled = () => signal.removeEventListener('abort', leave);
      resultOf(flight).then(resolve, reject).finally(settled);
    });
  }
}

/** The result of a flight that has not ended. */
function resultOf<T>({ result }: Flight<T>): Promise<T> {
  if (result === null) throw new Error('This flight has ended');
  return result;
}
