// Sliding-window log: the exact times of one caller's admitted requests in the last minute.

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
