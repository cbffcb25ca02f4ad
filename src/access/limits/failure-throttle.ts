// Throttle on guessing: limits the refused credentials that each address may send in a minute.

import type { Clock } from '../../lib/clock.ts';
import { addressGroup } from '../../lib/ip-address.ts';
import { FAILURES_PER_MINUTE } from '../tiers/tiers.ts';
import { RateLimitPolicy, tooManyCallers, tooManyFailures, wholeSeconds } from './rate-limit-status.ts';
import { RecentCallers, SlidingWindowLog, WINDOW } from './sliding-window-log.ts';

export class FailureThrottle {
  readonly #clock: Clock;
  readonly #policy: RateLimitPolicy;
  readonly #logs: RecentCallers<SlidingWindowLog>;

  constructor(clock: Clock, { capacity = 131_072, quota = FAILURES_PER_MINUTE } = {}) {
    this.#clock = clock;
    this.#policy = new RateLimitPolicy('failures', quota, WINDOW / 1000);
    const now = clock.monotonic();
    this.#logs = new RecentCallers({ capacity, now, create: () => new SlidingWindowLog() });
  }

  /** Starts an attempt to verify a credential. IPv6 addresses of one /64 are counted together. */
  attempt(address: string): CredentialAttempt {
    return new CredentialAttempt(this, address);
  }

  /** The failures of an address that may still fail; throws RATE_LIMITED when its minute is used up. */
  findLog(address: string): SlidingWindowLog {
    const now = this.#clock.monotonic();
    const log = this.#logs.getOrCreate(addressGroup(address), now);
    if (log === undefined) throw tooManyCallers(this.#logs.timeUntilRotation(now));
    const policy = this.#policy;
    if (log.count(now) >= policy.quota) {
      const reset = Math.max(1, wholeSeconds(log.timeUntilFree(policy.quota, now)));
      throw tooManyFailures({ policy, remaining: 0, reset });
    }
    return log;
  }

  recordFailure(address: string): void {
    this.findLog(address).add(this.#clock.monotonic());
  }
}

/** One attempt to verify a credential; it reserves one slot of the throttle at most. */
export class CredentialAttempt {
  readonly #throttle: FailureThrottle;
  readonly #address: string;
  #log: SlidingWindowLog | null = null;

  constructor(throttle: FailureThrottle, address: string) {
    this.#throttle = throttle;
    this.#address = address;
  }

  /** Reserves a slot for a possible refusal; call it before any request to another service. */
  begin(): void {
    if (this.#log !== null) return;
    this.#log = this.#throttle.findLog(this.#address);
    this.#log.reserved++;
  }

  /** Counts a refused credential; throws RATE_LIMITED where it was one too many. */
  fail(): void {
    this.end();
    this.#throttle.recordFailure(this.#address);
  }

  /** Releases what was reserved. */
  end(): void {
    if (this.#log !== null) this.#log.reserved--;
    this.#log = null;
  }
}
