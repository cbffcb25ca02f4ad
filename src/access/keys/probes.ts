// Owns how often a provider is asked about keys that were never seen to be good, from all addresses together.

import type { Clock } from '../../lib/clock.ts';
import { Ring } from '../limits/ring.ts';

/** Questions in vain, in any minute. */
const PER_MINUTE = 6_000;
/** The share that anybody may use; the rest is kept for those who have sent nothing wrong. */
const COMMON_SHARE = 0.5;

/**
 * Only questions that were in vain stay counted, so good keys use nothing up, however many there are. A flood of junk
 * fills the common share at most, unless it comes from as many blameless addresses as the rest has places.
 */
export class Probes {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #vain = new Ring();

  constructor(clock: Clock, perMinute = PER_MINUTE) {
    this.#clock = clock;
    this.#most = perMinute;
  }

  /** Holds a place for a question: 0, or the milliseconds until there may be one. */
  begin(blameless: boolean): number {
    const now = this.#clock.monotonic();
    const quota = blameless ? this.#most : Math.floor(this.#most * COMMON_SHARE);
    if (this.#vain.used(now) >= quota) return Math.max(1, this.#vain.wait(quota, now));
    this.#vain.held++;
    return 0;
  }

  /** The question has been answered; in vain is every answer but that the key is good. */
  end(vain: boolean): void {
    this.#vain.held--;
    if (vain) this.#vain.add(this.#clock.monotonic());
  }
}
