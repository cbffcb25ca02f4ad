// Bounded map of recent callers: whoever called within the last minute is never evicted.
import { WINDOW } from './sliding-window-log.ts';

/**
 * A map of two generations. A call moves its caller to the current one; once a minute the previous one is evicted. Its
 * callers were silent for at least 60 seconds, so their logs are empty and eviction frees nobody from a limit.
 */
export class RecentCallers<Entry> {
  #current = new Map<string, Entry>();
  #previous = new Map<string, Entry>();
  #rotatedAt: number;
  readonly #capacity: number;
  readonly #create: () => Entry;
  readonly #onEvict: (entries: Iterable<[string, Entry]>) => void;

  /** @param now the monotonic time at the start  @param onEvict receives what is evicted */
  constructor(options: {
    readonly capacity: number;
    readonly now: number;
    readonly create: () => Entry;
    readonly onEvict?: (entries: Iterable<[string, Entry]>) => void;
  }) {
    this.#capacity = options.capacity;
    this.#rotatedAt = options.now;
    this.#create = options.create;
    this.#onEvict = options.onEvict ?? (() => {});
  }

  /** The caller's entry, created where there is none; undefined when the map is full of recent callers. */
  getOrCreate(name: string, now: number): Entry | undefined {
    if (now - this.#rotatedAt >= WINDOW) this.#rotate(now);
    const known = this.#current.get(name);
    if (known !== undefined) return known;
    const earlier = this.#previous.get(name);
    if (earlier !== undefined) {
      this.#previous.delete(name);
      this.#current.set(name, earlier);
      return earlier;
    }
    if (this.size >= this.#capacity) return undefined;
    const entry = this.#create();
    this.#current.set(name, entry);
    return entry;
  }

  /** The caller's entry, without counting as a call. */
  peek(name: string): Entry | undefined {
    return this.#current.get(name) ?? this.#previous.get(name);
  }

  get size(): number {
    return this.#current.size + this.#previous.size;
  }

  /** Milliseconds until the next generation is evicted. */
  timeUntilRotation(now: number): number {
    return Math.max(0, this.#rotatedAt + WINDOW - now);
  }

  /** Evicts everything. */
  clear(): void {
    this.#onEvict(this.#previous);
    this.#onEvict(this.#current);
    this.#previous = new Map();
    this.#current = new Map();
  }

  #rotate(now: number): void {
    this.#rotatedAt = now;
    const evicted = this.#previous;
    this.#previous = this.#current;
    this.#current = new Map();
    this.#onEvict(evicted);
  }
}
