// Breaker of one source: after failures in a row nobody waits for a source that is down.

import type { Clock } from '../../lib/clock.ts';
import { LiveError } from '../source.ts';

/** Failures in a row after which requests are no longer sent. */
const FAILURES = 10;
/** Milliseconds after which one request finds out whether the source is back. */
const PROBE_AFTER = 10_000;

export class Breaker {
  readonly #clock: Clock;
  #failures = 0;
  /** Monotonic milliseconds from which on one request may be sent; null: all may. */
  #probeAt: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Lets a request pass. Throws LiveError while the source is down, but for one request every ten seconds. */
  pass(): void {
    if (this.#probeAt === null) return;
    const wait = this.#probeAt - this.#clock.monotonic();
    if (wait > 0)
      throw new LiveError('upstream_unavailable', 'The source has failed several times in a row.', {
        retryAfter: wait,
      });
    // Others wait for what becomes of this one; if nothing does, another one is sent.
    this.#probeAt = this.#clock.monotonic() + PROBE_AFTER;
  }

  /** What was sent to find out whether the source is back did not: the next request may. */
  passOn(): void {
    if (this.#probeAt !== null) this.#probeAt = this.#clock.monotonic();
  }

  succeeded(): void {
    this.#failures = 0;
    this.#probeAt = null;
  }

  failed(): void {
    this.#failures += 1;
    if (this.#failures >= FAILURES) this.#probeAt = this.#clock.monotonic() + PROBE_AFTER;
  }
}
