// Throttle on guessing: limits the refused credentials that each address may send in a minute.

import type { Clock } from '../../lib/clock.ts';
import { addressGroup } from '../../lib/ip-address.ts';
import { FAILURES_PER_MINUTE } from '../tiers/tiers.ts';
import { RateLimitPolicy, tooManyCallers, tooManyFailures, wholeSeconds } from './rate-limit-status.ts';
import { RecentCallers, SlidingWindowLog, WINDOW } from './sliding-window-log.ts';

/** State of an IPv4 address or an IPv6 /48, since whoever holds one /64 mostly holds thousands. */
interface NetworkRecord {
  /** Monotonic time of the last refusal. */
  failedAt: number;
  /** Credentials that are being verified. */
  pending: number;
}

export class FailureThrottle {
  readonly #clock: Clock;
  readonly #policy: RateLimitPolicy;
  readonly #logs: RecentCallers<SlidingWindowLog>;
  readonly #networks: RecentCallers<NetworkRecord>;

  constructor(clock: Clock, { capacity = 131_072, quota = FAILURES_PER_MINUTE } = {}) {
    this.#clock = clock;
    this.#policy = new RateLimitPolicy('failures', quota, WINDOW / 1000);
    const now = clock.monotonic();
    this.#logs = new RecentCallers({ capacity, now, create: () => new SlidingWindowLog() });
    const create = () => ({ failedAt: Number.NEGATIVE_INFINITY, pending: 0 });
    this.#networks = new RecentCallers({ capacity, now, create });
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
    const now = this.#clock.monotonic();
    const network = this.network(address);
    if (network !== undefined) network.failedAt = now;
    this.findLog(address).add(now);
  }

  /** Undefined when too many networks are active to track another. */
  network(address: string): NetworkRecord | undefined {
    return this.#networks.getOrCreate(addressGroup(address, 48), this.#clock.monotonic());
  }

  /** Whether no credential was refused there for a minute, and none is being verified. */
  hasCleanRecord(network: NetworkRecord): boolean {
    return network.pending === 0 && network.failedAt + WINDOW <= this.#clock.monotonic();
  }
}

/** One attempt to verify a credential; it reserves one place of the throttle at most. */
export class CredentialAttempt {
  readonly #throttle: FailureThrottle;
  readonly #address: string;
  #log: SlidingWindowLog | null = null;
  #network: NetworkRecord | undefined;
  #hasCleanRecord = false;

  constructor(throttle: FailureThrottle, address: string) {
    this.#throttle = throttle;
    this.#address = address;
  }

  /** Whether the network of the address had no refused credential for a minute when this attempt began. */
  get hasCleanRecord(): boolean {
    return this.#hasCleanRecord;
  }

  /** Reserves a slot for a possible refusal; call it before any request to another service. */
  begin(): void {
    if (this.#log !== null) return;
    this.#join();
    this.#log = this.#throttle.findLog(this.#address);
    this.#log.reserved++;
  }

  /** Counts in its network, with or without a place. */
  #join(): void {
    if (this.#network !== undefined) return;
    this.#network = this.#throttle.network(this.#address);
    if (this.#network === undefined) return;
    this.#hasCleanRecord = this.#throttle.hasCleanRecord(this.#network);
    this.#network.pending++;
  }

  /** Counts a refused credential; throws RATE_LIMITED where it was one too many. */
  fail(): void {
    this.end();
    this.#throttle.recordFailure(this.#address);
  }

  /** Releases what was reserved. */
  end(): void {
    if (this.#log !== null) this.#log.reserved--;
    if (this.#network !== undefined) this.#network.pending--;
    this.#log = null;
    this.#network = undefined;
  }
}
