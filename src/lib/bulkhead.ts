// Bulkhead: bounds how much work runs at once; the rest waits in a bounded queue, first come, first served.

import { unlessAborted } from './deadline.ts';

export interface BulkheadOptions {
  /** Runs at once. */
  readonly places: number;
  /** Waiting for a place. */
  readonly queue: number;
}

export class BulkheadFull extends Error {
  override readonly name = 'BulkheadFull';
}

export class Bulkhead {
  readonly #options: BulkheadOptions;
  readonly #queue = new Set<() => void>();
  #busy = 0;

  constructor(options: BulkheadOptions) {
    this.#options = options;
  }

  get busy(): number {
    return this.#busy;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Runs the work in a place of its own. Rejects with BulkheadFull, or with the signal's reason, be it queued or at work:
   * work that does not hear the signal keeps no place.
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(signal);
    try {
      return await unlessAborted(signal, work());
    } finally {
      this.#leave();
    }
  }

  #enter(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#busy < this.#options.places) {
      this.#busy++;
      return Promise.resolve();
    }
    if (this.#queue.size >= this.#options.queue)
      return Promise.reject(new BulkheadFull('Too many wait already'));
    return new Promise((resolve, reject) => {
      const called = () => {
        this.#queue.delete(called);
        signal.removeEventListener('abort', gone);
        resolve();
      };
      const gone = () => {
        this.#queue.delete(called);
        reject(signal.reason);
      };
      this.#queue.add(called);
      signal.addEventListener('abort', gone, { once: true });
    });
  }

  /** The place goes to the first in the queue, or becomes free. */
  #leave(): void {
    const [next] = this.#queue;
    if (next === undefined) this.#busy--;
    else next();
  }
}
