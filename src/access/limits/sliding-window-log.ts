// Sliding-window log: the exact times of one caller's admitted requests in the last minute, and the map of recent callers.

/** Length of the window in milliseconds. */
export const WINDOW = 60_000;

/**
 * Admission times of the last 60 seconds, in a ring buffer that grows with use. A log, not a token bucket: a bucket that
 * refills while it drains admits nearly twice its number in some minute.
 */
export class SlidingWindowLog {
  /** Places reserved for requests that are still being decided; they count as used. */
  reserved = 0;
  #times = new Float64Array(4);
  #head = 0;
  #size = 0;

  /** Places used at this monotonic time, reserved ones included. A request leaves exactly 60.000 s after its admission. */
  count(now: number): number {
    const times = this.#times;
    const mask = times.length - 1;
    while (this.#size > 0 && (times[this.#head] ?? 0) + WINDOW <= now) {
      this.#head = (this.#head + 1) & mask;
      this.#size--;
    }
    return this.#size + this.reserved;
  }

  /** Adds an admission. Times must not decrease from one call to the next. */
  add(now: number): void {
    if (this.#size === this.#times.length) this.#grow();
    this.#times[(this.#head + this.#size) & (this.#times.length - 1)] = now;
    this.#size++;
  }

  /** Removes the latest admission, if there is one. */
  removeLatest(): void {
    if (this.#size > 0) this.#size--;
  }

  /**
   * Milliseconds until one more of `quota` places is free than after the last call of `count`: until the oldest
   * leaves, or a later one where a smaller quota than before is overdrawn. Zero when the log is empty.
   */
  timeUntilFree(quota: number, now: number): number {
    if (this.#size === 0) return this.reserved > 0 ? WINDOW : 0;
    const overdrawn = Math.max(0, this.#size + this.reserved - quota);
    const index = Math.min(overdrawn, this.#size - 1);
    return (this.#times[(this.#head + index) & (this.#times.length - 1)] ?? 0) + WINDOW - now;
  }

  /** The admissions that still count, oldest first; reserved places have no time yet. */
  times(now: number): number[] {
    this.count(now);
    const mask = this.#times.length - 1;
    return Array.from({ length: this.#size }, (_, at) => this.#times[(this.#head + at) & mask] ?? 0);
  }

  /** Doubles the buffer; its length stays a power of two, so that positions wrap by a mask. */
  #grow(): void {
    const old = this.#times;
    const times = new Float64Array(old.length * 2);
    times.set(old.subarray(this.#head));
    times.set(old.subarray(0, this.#head), old.length - this.#head);
    this.#times = times;
    this.#head = 0;
  }
}

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

  /** Whether the caller has an entry, or could get one. */
  hasRoom(name: string, now: number): boolean {
    if (now - this.#rotatedAt >= WINDOW) this.#rotate(now);
    return this.peek(name) !== undefined || this.size < this.#capacity;
  }

  /** The caller's entry, without counting as a call. */
  peek(name: string): Entry | undefined {
    return this.#current.get(name) ?? this.#previous.get(name);
  }

  /** All of them as they are now. */
  entries(): [string, Entry][] {
    return [...this.#previous, ...this.#current];
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
