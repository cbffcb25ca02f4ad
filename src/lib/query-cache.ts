// Cache of answers that many listings went into: valid only while no listing was written since.

import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { SingleFlight } from './single-flight.ts';

/** Milliseconds that an answer is believed without a word: bounds what a notification that never came can cost. */
const LIFETIME = 5_000;

export interface QueryCacheOptions<Value> {
  /** Grows with every change that was heard of; null while none would be. */
  readonly version: () => number | null;
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
  /** The most that is kept, in the unit of `weigh`. */
  readonly max: number;
  /** What an answer weighs, above 0; default 1. */
  readonly weigh?: (value: Value) => number;
}

const NEVER = new AbortController().signal;

/** Who asks the same while it is being read shares that reading; a reading from before a change is kept by nobody. */
export class QueryCache<Value extends object> {
  readonly #options: QueryCacheOptions<Value>;
  readonly #flights = new SingleFlight<Value>();
  readonly #found: LRUCache<string, Value>;
  #version: number | null = null;

  constructor(options: QueryCacheOptions<Value>) {
    const { max, monotonic, weigh = () => 1 } = options;
    this.#options = options;
    // The cache takes a start of 0 for no start at all.
    const lifetime = { ttl: LIFETIME, perf: { now: () => monotonic() + 1 }, ttlResolution: 0 };
    this.#found = new LRUCache({ maxSize: max, sizeCalculation: weigh, ...lifetime });
  }

  /**
   * The answer to a question, whose key is all that decides the answer. Rejects as `read` does, or with the reason of the
   * signal of who asks; the signal that `read` is given aborts once all have left who asked.
   */
  get(
    question: unknown,
    read: (signal: AbortSignal) => Promise<Value>,
    signal: AbortSignal | null = null,
  ): Promise<Value> {
    const version = this.#options.version();
    if (version !== this.#version) this.#found.clear();
    this.#version = version;
    if (version === null) return read(signal ?? NEVER);
    const key = hash('sha256', JSON.stringify(question), 'base64url');
    const known = this.#found.get(key);
    if (known !== undefined) return Promise.resolve(known);
    return this.#flights.run(`${version} ${key}`, signal, async (left) => {
      const value = await read(left);
      const holds = this.#options.version() === version && this.#version === version;
      if (holds) this.#found.set(key, value);
      return value;
    });
  }
}
