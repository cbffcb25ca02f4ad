// Time that all processes share: the clock of the database, watched with the monotonic clock of each process.

import type { Clock } from '../lib/clock.ts';

/** Milliseconds by which less time may have passed on the shared clock than on ours before we move it on. */
const TOLERANCE = 250;

/** A statement's answer, with when it was given. */
export interface Timed<Value> {
  readonly value: Value;
  /** Monotonic time at which the statement was sent. */
  readonly sentAt: number;
  /** Shared time then, in milliseconds: never too early by more than the tolerance, which `monotonicOf` allows for. */
  readonly now: number;
}

export interface SharedTimeOptions {
  readonly clock: Clock;
  /** Moves the shared time on, if it is earlier. */
  readonly moveOn: (date: number) => Promise<void>;
}

/** A reading of the shared time, as a distance from our monotonic clock. */
interface Reading {
  /** The shared time was at least so far ahead of our clock. */
  readonly least: number;
  /** The same at most. */
  readonly most: number;
}

/**
 * The clock of a database may be set back, or run slowly for a while: what was asked long ago would then look young. A clock
 * that was ahead of ours by some distance and is so by less lost time. Whoever sees that moves the shared time on for all.
 */
export class SharedTime {
  readonly #options: SharedTimeOptions;
  #best: Reading | null = null;

  constructor(options: SharedTimeOptions) {
    this.#options = options;
  }

  /** Runs a statement that also reads the shared time. */
  async run<Value extends { readonly now: number }>(statement: () => Promise<Value>): Promise<Timed<Value>> {
    const { clock, moveOn } = this.#options;
    const sentAt = clock.monotonic();
    const value = await statement();
    const reading = { least: value.now - clock.monotonic(), most: value.now - sentAt };
    const best = this.#best;
    if (best === null || reading.least > best.least) this.#best = reading;
    if (best === null) return { value, sentAt, now: value.now };
    // Read after it was sent, a sound clock shows at least this.
    const lost = sentAt + best.least - value.now;
    if (lost > TOLERANCE) await moveOn(clock.monotonic() + best.most);
    return { value, sentAt, now: Math.max(value.now, sentAt + best.most) };
  }

  /** Our monotonic time at a shared date, or earlier. */
  static monotonicOf({ now, sentAt }: Timed<unknown>, date: number): number {
    return sentAt - Math.ceil(now - date) - TOLERANCE;
  }
}
