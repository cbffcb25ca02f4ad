// Throttle on guessing: limits the refused credentials that each address may send in a minute.

import type { Clock } from '../../lib/clock.ts';
import { addressGroup } from '../../lib/ip-address.ts';
import { FAILURES_PER_MINUTE } from '../tiers/tiers.ts';
import { RateLimitPolicy, tooManyCallers, tooManyFailures, wholeSeconds } from './rate-limit-status.ts';
import type { SharedCounting } from './shared/shared-counting.ts';
import type { SharedWindow } from './shared/shared-window.ts';
import type { Slot } from './shared/window-name.ts';
import { RecentCallers, SlidingWindowLog, WINDOW } from './sliding-window-log.ts';

export interface FailureThrottleOptions {
  readonly clock: Clock;
  /** Null or absent: failures are counted in this process alone. */
  readonly counting?: SharedCounting | null | undefined;
  /** Addresses that can be active within a minute. */
  readonly capacity?: number;
  readonly quota?: number;
  /** What is guessed at, where pages have limits of their own. */
  readonly kind?: string;
}

const CAPACITY = 131_072;

export class FailureThrottle {
  readonly #policy: RateLimitPolicy;
  readonly #failures: LocalFailures | SharedFailures;

  constructor(options: FailureThrottleOptions) {
    const { clock, counting, capacity = CAPACITY, quota = FAILURES_PER_MINUTE, kind = 'failures' } = options;
    this.#policy = new RateLimitPolicy('failures', quota, WINDOW / 1000);
    this.#failures = counting
      ? new SharedFailures(counting.window(kind, capacity), this.#policy)
      : new LocalFailures(clock, capacity, this.#policy);
  }

  /** Starts an attempt to verify a credential. IPv6 addresses of one /64 are counted together. */
  attempt(address: string): CredentialAttempt {
    return new CredentialAttempt(this.#failures, addressGroup(address));
  }
}

/** One attempt to verify a credential; it reserves one slot of the throttle at most. */
export class CredentialAttempt {
  readonly #failures: LocalFailures | SharedFailures;
  readonly #address: string;
  #reserved: Reserved | null = null;

  constructor(failures: LocalFailures | SharedFailures, address: string) {
    this.#failures = failures;
    this.#address = address;
  }

  /**
   * Reserves a slot for a possible refusal; call it before any request to another service. Throws RATE_LIMITED when the minute of the
   * address is used up.
   */
  async begin(): Promise<void> {
    this.#reserved ??= await this.#failures.reserve(this.#address);
  }

  /** Counts a refused credential; throws RATE_LIMITED where it was one too many. */
  async fail(): Promise<void> {
    const reserved = this.#reserved;
    this.#reserved = null;
    if (reserved !== null) reserved.use();
    else (await this.#failures.reserve(this.#address)).use();
  }

  /** Releases what was reserved. */
  end(): void {
    this.#reserved?.release();
    this.#reserved = null;
  }
}

/** A slot of an address: either used for a failure, from now on, or released. */
interface Reserved {
  use(): void;
  release(): void;
}

/** Counted in this process. */
class LocalFailures {
  readonly #clock: Clock;
  readonly #policy: RateLimitPolicy;
  readonly #logs: RecentCallers<SlidingWindowLog>;

  constructor(clock: Clock, capacity: number, policy: RateLimitPolicy) {
    this.#clock = clock;
    this.#policy = policy;
    const now = clock.monotonic();
    this.#logs = new RecentCallers({ capacity, now, create: () => new SlidingWindowLog() });
  }

  async reserve(address: string): Promise<Reserved> {
    const now = this.#clock.monotonic();
    const log = this.#logs.getOrCreate(address, now);
    if (log === undefined) throw tooManyCallers(this.#logs.timeUntilRotation(now));
    if (log.count(now) >= this.#policy.quota)
      throw exceeded(this.#policy, log.timeUntilFree(this.#policy.quota, now));
    log.reserved++;
    return {
      use: () => {
        log.reserved--;
        // The log may have been evicted since.
        (this.#logs.getOrCreate(address, this.#clock.monotonic()) ?? log).add(this.#clock.monotonic());
      },
      release: () => {
        log.reserved--;
      },
    };
  }
}

/** Counted with all processes. */
class SharedFailures {
  readonly #window: SharedWindow;
  readonly #policy: RateLimitPolicy;

  constructor(window: SharedWindow, policy: RateLimitPolicy) {
    this.#window = window;
    this.#policy = policy;
  }

  async reserve(address: string): Promise<Reserved> {
    const { slot, reset } = await this.#window.take(address, this.#policy.quota);
    if (slot === null) throw exceeded(this.#policy, reset);
    return reserved(slot);
  }
}

const reserved = (slot: Slot): Reserved => ({ use: () => slot.renew(), release: () => slot.giveBack() });

function exceeded(policy: RateLimitPolicy, wait: number) {
  return tooManyFailures({ policy, remaining: 0, reset: Math.max(1, wholeSeconds(wait)) });
}
