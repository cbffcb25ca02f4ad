// Owns the throttle on guessing: how many refused credentials each address may send in a minute.
import { addressGroup } from '../../lib/address.ts';
import type { Clock } from '../../lib/clock.ts';
import { FAILURES_PER_MINUTE } from '../tiers/tiers.ts';
import { crowded, guessing } from './limit-refusals.ts';
import { Policy, wholeSeconds } from './limit-standing.ts';
import { Ring, WINDOW } from './ring.ts';
import { Roster } from './roster.ts';

/** What is remembered of an IPv4 address or a /48: whoever holds a /64 mostly holds thousands of them. */
interface Neighbourhood {
  /** Monotonic time of the last refusal. */
  failedAt: number;
  /** Credentials whose judgement is under way. */
  asking: number;
}

export class Failures {
  readonly #clock: Clock;
  readonly #policy: Policy;
  readonly #roster: Roster<Ring>;
  readonly #neighbourhoods: Roster<Neighbourhood>;

  constructor(clock: Clock, { capacity = 131_072, quota = FAILURES_PER_MINUTE } = {}) {
    this.#clock = clock;
    this.#policy = new Policy('failures', quota, WINDOW / 1000);
    const now = clock.monotonic();
    this.#roster = new Roster({ capacity, now, create: () => new Ring() });
    const create = () => ({ failedAt: Number.NEGATIVE_INFINITY, asking: 0 });
    this.#neighbourhoods = new Roster({ capacity, now, create });
  }

  /** One request whose credential is about to be judged. IPv6 addresses of one /64 are counted together. */
  attempt(address: string): Attempt {
    return new Attempt(this, address);
  }

  /** The memory of an address that may still fail; throws RATE_LIMITED when it has used up its minute. */
  free(address: string): Ring {
    const now = this.#clock.monotonic();
    const ring = this.#roster.enter(addressGroup(address), now);
    if (ring === undefined) throw crowded(this.#roster.untilTurn(now));
    const policy = this.#policy;
    if (ring.used(now) >= policy.quota) {
      const reset = Math.max(1, wholeSeconds(ring.wait(policy.quota, now)));
      throw guessing({ policy, remaining: 0, reset });
    }
    return ring;
  }

  charge(address: string): void {
    const now = this.#clock.monotonic();
    const around = this.neighbourhood(address);
    if (around !== undefined) around.failedAt = now;
    this.free(address).add(now);
  }

  /** Undefined when too many are active to remember this one too. */
  neighbourhood(address: string): Neighbourhood | undefined {
    return this.#neighbourhoods.enter(addressGroup(address, 48), this.#clock.monotonic());
  }

  /** Whether nothing was refused there for a minute, and nothing is being judged that may yet be. */
  isBlameless(around: Neighbourhood): boolean {
    return around.asking === 0 && around.failedAt + WINDOW <= this.#clock.monotonic();
  }
}

/** Follows one credential through its judgement, so that it takes one place of the throttle at most. */
export class Attempt {
  readonly #failures: Failures;
  readonly #address: string;
  #held: Ring | null = null;
  #around: Neighbourhood | undefined;
  #blameless = false;

  constructor(failures: Failures, address: string) {
    this.#failures = failures;
    this.#address = address;
  }

  /** Whether the address and those around it had sent nothing wrong for a minute when this attempt began. */
  get blameless(): boolean {
    return this.#blameless;
  }

  /** To be called before anybody else is asked about the credential: holds a place for the answer that may come. */
  begin(): void {
    if (this.#held !== null) return;
    this.#held = this.#failures.free(this.#address);
    this.#held.held++;
    this.#around = this.#failures.neighbourhood(this.#address);
    if (this.#around === undefined) return;
    this.#blameless = this.#failures.isBlameless(this.#around);
    this.#around.asking++;
  }

  /** The credential was refused: counts that; throws RATE_LIMITED instead where it was one refusal too many. */
  failed(): void {
    this.end();
    this.#failures.charge(this.#address);
  }

  /** The judgement is over: what was held is free again. */
  end(): void {
    if (this.#held !== null) this.#held.held--;
    if (this.#around !== undefined) this.#around.asking--;
    this.#held = null;
    this.#around = undefined;
  }
}
