// Bulkhead: bounds how much work runs at once; the rest waits in a bounded queue, first in, first out.

import { unlessAborted } from './clock.ts';

export interface BulkheadOptions {
  /** Runs at once. */
  readonly maxConcurrent: number;
  /** Waiting runs. */
  readonly maxQueue: number;
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
   * Runs the work once there is room. Rejects with BulkheadFull, or with the signal's reason, whether queued or running: work
   * that ignores the signal does not block others.
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
    if (this.#busy < this.#options.maxConcurrent) {
      this.#busy++;
      return Promise.resolve();
    }
    if (this.#queue.size >= this.#options.maxQueue)
      return Promise.reject(new BulkheadFull('Too many wait already'));
    return new Promise((resolve, reject) => {
      const start = () => {
        this.#queue.delete(start);
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#queue.delete(start);
        reject(signal.reason);
      };
      this.#queue.add(start);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** The first in the queue takes over. */
  #leave(): void {
    const [next] = this.#queue;
    if (next === undefined) this.#busy--;
    else next();
  }
}
