// Single flight: one run of work for all callers with the same key at the same time, and results cached for a while.

import type { Clock } from './clock.ts';

export type Work<T> = (signal: AbortSignal) => Promise<T>;

interface Flight<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiters: number;
}

/**
 * One run per key. Each waiter leaves by its own signal without effect on the others; the run is aborted when the last one has
 * left. Results and errors are shared; nothing is cached once a run has ended.
 */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>();

  /** Runs under way. */
  get size(): number {
    return this.#flights.size;
  }

  /** Whether a run for this key is under way. */
  has(key: string): boolean {
    return this.#flights.has(key);
  }

  /** Joins the run for this key, or starts it. Rejects with the signal's reason when this waiter leaves. */
  run(key: string, signal: AbortSignal | null, work: Work<T>): Promise<T> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const flight = this.#flights.get(key) ?? this.#start(key, work);
    flight.waiters++;
    return signal === null ? flight.result : this.#waitFor(key, flight, signal);
  }

  #start(key: string, work: Work<T>): Flight<T> {
    const controller = new AbortController();
    const result = Promise.try(work, controller.signal).finally(() => this.#end(key, flight));
    // If everyone has left, nobody handles the rejection.
    result.catch(() => {});
    const flight: Flight<T> = { result, controller, waiters: 0 };
    this.#flights.set(key, flight);
    return flight;
  }

  /** An aborted run may end after its successor for the same key has started. */
  #end(key: string, flight: Flight<T>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }

  #waitFor(key: string, flight: Flight<T>, signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(signal.reason);
        if (--flight.waiters > 0) return;
        this.#end(key, flight);
        flight.controller.abort(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      const settled = () => signal.removeEventListener('abort', leave);
      flight.result.then(resolve, reject).finally(settled);
    });
  }
}

/** Milliseconds for which an error is kept: what fails, such as a database that is away, may be well again at any moment. */
const ERROR_LIFETIME = 1_000;

/** A function that computes at most once in so many milliseconds; after an error, once a second. */
export function cacheFor<Value>(
  milliseconds: number,
  clock: Pick<Clock, 'monotonic'>,
  compute: () => Promise<Value>,
): () => Promise<Value> {
  let cached: Promise<Value> | undefined;
  let until = Number.NEGATIVE_INFINITY;
  return () => {
    if (cached === undefined || clock.monotonic() >= until) {
      const computed = compute();
      cached = computed;
      until = clock.monotonic() + milliseconds;
      computed.catch(() => {
        if (cached === computed) until = Math.min(until, clock.monotonic() + ERROR_LIFETIME);
      });
    }
    return cached;
  };
}
