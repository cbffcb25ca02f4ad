// Owns API keys: asks the provider as seldom as possible, and never believes an answer for longer than ten minutes.
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { hashSecret } from '../../lib/secrets.ts';
import type { Attempt } from '../limits/failures.ts';
import type { Principal } from '../tiers/principal.ts';
import type { ActiveSubscription, SubscriptionProvider, Verdict } from '../tiers/provider.ts';
import type { CredentialVerifier } from './identify.ts';
import { Probes } from './probes.ts';
import { askProvider } from './verdict.ts';

/** Milliseconds that a good verdict is believed, from the moment the provider was asked. */
const LIFETIME = 600_000;
/** The share of a verdict's life after which a new one is fetched in the background. */
const SOFT_SHARE = 0.8;
/** Milliseconds between two attempts at that. */
const SOFT_PAUSE = 30_000;
/** Milliseconds that a refusal is believed. */
const REFUSAL_LIFETIME = 30_000;
/** Milliseconds for which a key is not asked about again after the provider failed. */
const FAILURE_PAUSE = 1_000;
const KEYS_REMEMBERED = 100_000;
const REFUSALS_REMEMBERED = 20_000;

const KEY_FORM = /^SERVICE-[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}$/;

export interface KeysOptions {
  readonly provider: SubscriptionProvider;
  readonly clock: Clock;
  /** Told of failures that no client hears of: background refreshes. */
  readonly report: (error: unknown) => void;
  /** Questions a minute about unknown keys that the provider may be asked in vain. */
  readonly probesPerMinute?: number;
}

/** A key that was good when last asked about. It stays after its time, as one that may always be asked about again. */
interface KnownKey {
  readonly principal: Principal;
  validUntil: number;
  softUntil: number;
}

interface Refusal {
  readonly problem: Problem;
  readonly until: number;
}

/** Verifies keys; everything is remembered by hash, never by the key itself. */
export class Keys implements CredentialVerifier {
  readonly #options: KeysOptions;
  readonly #clock: Clock;
  readonly #known = new LRUCache<string, KnownKey>({ max: KEYS_REMEMBERED });
  readonly #refusals = new LRUCache<string, Refusal>({ max: REFUSALS_REMEMBERED });
  readonly #flights = new Map<string, Promise<Verdict>>();
  readonly #probes: Probes;
  /** Grows with every hint of a change: an answer that was asked for before it is not kept. */
  #generation = 0;

  constructor(options: KeysOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#probes = new Probes(options.clock, options.probesPerMinute);
  }

  matches(credential: string): boolean {
    return /^service-/i.test(credential);
  }

  /** Throws INVALID_API_KEY, EXPIRED_API_KEY, SUBSCRIPTIONS_UNAVAILABLE, or RATE_LIMITED before the provider is asked. */
  verify(credential: string, attempt: Attempt): Principal | Promise<Principal> {
    const key = normalised(credential);
    const hash = hashSecret(key);
    const now = this.#clock.monotonic();
    const known = this.#known.get(hash);
    if (known === undefined || now >= known.validUntil) return this.#ask(key, hash, attempt);
    if (now >= known.softUntil) this.#refreshSoftly(key, hash, known, now);
    return known.principal;
  }

  /**
   * Asks the provider whatever is remembered: for decisions that must see a revocation at once. Throws as `verify` does;
   * without an attempt no throttle is asked, and with one a key that was ever good passes it.
   */
  async verifyFresh(credential: string, attempt: Attempt | null = null): Promise<ActiveSubscription> {
    const key = normalised(credential);
    const hash = hashSecret(key);
    const verdict = await this.#question(key, hash, attempt);
    if (verdict.state !== 'active') throw refusal(verdict.state);
    return verdict;
  }

  /** A hint that a subscription changed: its keys are asked about again at their next use. */
  forget(subscription: string): void {
    this.#generation++;
    this.#refusals.clear();
    for (const known of this.#known.values()) {
      if (known.principal.subscription === subscription) known.validUntil = Number.NEGATIVE_INFINITY;
    }
  }

  /** A hint that changes may have been missed: every key is asked about at its next use, which does not wait for it. */
  freshen(): void {
    this.#generation++;
    this.#refusals.clear();
    for (const known of this.#known.values()) known.softUntil = Number.NEGATIVE_INFINITY;
  }

  async #ask(key: string, hash: string, attempt: Attempt): Promise<Principal> {
    const refused = this.#refusals.get(hash);
    if (refused !== undefined && this.#clock.monotonic() < refused.until) throw refused.problem;
    const verdict = await (this.#flights.get(hash) ?? this.#start(key, hash, attempt));
    if (verdict.state !== 'active') throw refusal(verdict.state);
    return principalOf(verdict);
  }

  /** One question for all who wait for the same key: only who asks it takes a place of the throttles. */
  #start(key: string, hash: string, attempt: Attempt | null): Promise<Verdict> {
    const flight = this.#question(key, hash, attempt).finally(() => {
      if (this.#flights.get(hash) === flight) this.#flights.delete(hash);
    });
    this.#flights.set(hash, flight);
    return flight;
  }

  #question(key: string, hash: string, attempt: Attempt | null): Promise<Verdict> {
    return this.#known.has(hash) || attempt === null
      ? this.#call(key, hash)
      : this.#probe(key, hash, attempt);
  }

  /** Throws before anything is asked where a throttle forbids it. */
  #probe(key: string, hash: string, attempt: Attempt): Promise<Verdict> {
    attempt.begin();
    const wait = this.#probes.begin(attempt.blameless);
    if (wait > 0) throw unavailable(wait, 'too many unknown keys');
    let vain = true;
    return this.#call(key, hash)
      .then((verdict) => {
        vain = verdict.state !== 'active';
        return verdict;
      })
      .finally(() => this.#probes.end(vain));
  }

  async #call(key: string, hash: string): Promise<Verdict> {
    const sentAt = this.#clock.monotonic();
    const sentDate = this.#clock.now();
    const generation = this.#generation;
    let verdict: Verdict;
    try {
      verdict = await askProvider(this.#clock, (signal) => this.#options.provider.validate(key, signal));
    } catch (cause) {
      const problem = unavailable(FAILURE_PAUSE, cause);
      this.#refusals.set(hash, { problem, until: this.#clock.monotonic() + FAILURE_PAUSE });
      throw problem;
    }
    if (generation === this.#generation) this.#remember(hash, verdict, sentAt, sentDate);
    return verdict;
  }

  #remember(hash: string, verdict: Verdict, sentAt: number, sentDate: number): void {
    if (verdict.state !== 'active') {
      const problem = refusal(verdict.state);
      this.#known.delete(hash);
      this.#refusals.set(hash, { problem, until: sentAt + REFUSAL_LIFETIME });
      return;
    }
    // The end is turned into monotonic time here, once: a wall clock that jumps later moves nothing.
    const life = verdict.endsAt === null ? LIFETIME : Math.min(LIFETIME, verdict.endsAt - sentDate);
    this.#refusals.delete(hash);
    this.#known.set(hash, {
      principal: principalOf(verdict),
      validUntil: sentAt + life,
      softUntil: sentAt + life * SOFT_SHARE,
    });
  }

  /** Fetches the next verdict while the old one still serves; a failure changes nothing before that one's end. */
  #refreshSoftly(key: string, hash: string, known: KnownKey, now: number): void {
    known.softUntil = now + SOFT_PAUSE;
    this.#start(key, hash, null).catch(this.#options.report);
  }
}

function normalised(credential: string): string {
  const key = credential.toUpperCase();
  if (KEY_FORM.test(key)) return key;
  throw new Problem('INVALID_API_KEY', 'The API key is malformed: it must have the form SERVICE-<UUID>.');
}

function principalOf({ subscription, tier }: ActiveSubscription): Principal {
  return { kind: 'key', tier, account: `sub:${subscription}`, subscription, scopes: null };
}

function refusal(state: 'expired' | 'unknown'): Problem {
  if (state === 'unknown')
    return new Problem('INVALID_API_KEY', 'The API key belongs to no active subscription.');
  return new Problem(
    'EXPIRED_API_KEY',
    'The subscription of this API key has ended. Renew it, or use another key.',
  );
}

function unavailable(wait: number, cause: unknown): Problem {
  const detail = 'The API key cannot be checked at the moment; it may be valid. Try again later.';
  const seconds = Math.max(1, Math.ceil(wait / 1000));
  return new Problem('SUBSCRIPTIONS_UNAVAILABLE', detail, {
    headers: { 'retry-after': String(seconds) },
    cause,
  });
}
