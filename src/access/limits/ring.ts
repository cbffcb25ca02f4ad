// Owns the exact memory of one caller's last minute: the times of its admitted requests, oldest first.

/** The span, in milliseconds, in which a tier's minute number may not be exceeded. */
export const WINDOW = 60_000;

/**
 * The admission times of the last 60 seconds. A log, not a bucket: buckets that refill while they drain admit nearly
 * twice their number in some minute. Grows with use, so that a rare caller costs a few bytes only.
 */
export class Ring {
  /** Places held for requests that are still being decided: counted as used, so that nobody else takes them. */
  held = 0;
  #times = new Float64Array(4);
  #head = 0;
  #count = 0;

  /** Places used at this monotonic time, held ones included. A request leaves exactly 60.000 s after its admission. */
  used(now: number): number {
    const times = this.#times;
    const mask = times.length - 1;
    while (this.#count > 0 && (times[this.#head] ?? 0) + WINDOW <= now) {
      this.#head = (this.#head + 1) & mask;
      this.#count--;
    }
    return this.#count + this.held;
  }

  /** Notes an admission. Times must not fall from one call to the next. */
  add(now: number): void {
    if (this.#count === this.#times.length) this.#grow();
    this.#times[(this.#head + this.#count) & (this.#times.length - 1)] = now;
    this.#count++;
  }

  /**
   * Milliseconds until one more of `quota` places is free than after the last call of `used`: until the oldest
   * leaves, or a later one where a smaller quota than before is overdrawn. Zero when nothing is remembered.
   */
  wait(quota: number, now: number): number {
    if (this.#count === 0) return this.held > 0 ? WINDOW : 0;
    const overdrawn = Math.max(0, this.#count + this.held - quota);
    const index = Math.min(overdrawn, this.#count - 1);
    return (this.#times[(this.#head + index) & (this.#times.length - 1)] ?? 0) + WINDOW - now;
  }

  /** Doubles the room; the length stays a power of two, so that positions wrap by a mask. */
  #grow(): void {
    const old = this.#times;
    const times = new Float64Array(old.length * 2);
    times.set(old.subarray(this.#head));
    times.set(old.subarray(0, this.#head), old.length - this.#head);
    this.#times = times;
    this.#head = 0;
  }
}
