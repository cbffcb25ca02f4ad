// Verifier of API keys: caches the answers of the provider, for ten minutes at most.

import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { hashSecret } from '../../lib/secrets.ts';
import type { CredentialAttempt } from '../limits/failure-throttle.ts';
import type {
  ActiveSubscription,
  RefusalReason,
  SubscriptionProvider,
  SubscriptionStatus,
} from '../tiers/provider.ts';
import { ownerOf, type Principal } from '../tiers/tiers.ts';
import { fetchStatus, queryProvider } from './subscription-status.ts';
import { type EndQuestion, FREE, UnknownKeyGate } from './unknown-key-gate.ts';

/** Milliseconds that an active status is cached, from the moment the provider was queried. */
const LIFETIME = 600_000;
/** Share of that time after which the status is refreshed in the background. */
const REFRESH_SHARE = 0.8;
/** Milliseconds between two attempts to refresh. */
const REFRESH_PAUSE = 30_000;
/** Milliseconds that a refusal is cached. */
const REFUSAL_LIFETIME = 30_000;
/** Milliseconds that it is cached where the key is not paid for yet: it is to work within two seconds of the payment. */
const PENDING_LIFETIME = 1_000;
/** Milliseconds for which a key is not queried again after the provider failed. */
const FAILURE_PAUSE = 1_000;
const MAX_KEYS = 100_000;
const MAX_REFUSALS = 20_000;

const KEY_FORM = /^SERVICE-[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}$/;

export interface KeyVerifierOptions {
  readonly provider: SubscriptionProvider;
  readonly clock: Clock;
  /** Called with errors of background refreshes. */
  readonly report: (error: unknown) => void;
  /** Failed provider queries about unknown keys that are allowed per minute. */
  readonly unknownKeysPerMinute?: number;
}

/** A key that was valid when last queried. It stays cached after its time: known keys need no budget. */
interface CachedKey {
  readonly principal: Principal;
  validUntil: number;
  freshUntil: number;
}

interface CachedRefusal {
  readonly problem: Problem;
  readonly until: number;
}

/** Verifies keys; the cache holds hashes, never keys. */
export class KeyVerifier implements CredentialVerifier {
  readonly #options: KeyVerifierOptions;
  readonly #clock: Clock;
  readonly #cached = new LRUCache<string, CachedKey>({ max: MAX_KEYS });
  readonly #refusals = new LRUCache<string, CachedRefusal>({ max: MAX_REFUSALS });
  readonly #pending = new Map<string, Promise<SubscriptionStatus>>();
  readonly #gate: UnknownKeyGate;
  /** Grows with every hint of a change: an answer from before it is not cached. */
  #generation = 0;

  constructor(options: KeyVerifierOptions) {
    this.#options = options;
    this.#clock = options.clock;
    const refuse = (wait: number) => unavailable(wait, 'too many unknown keys');
    this.#gate = new UnknownKeyGate({ ...options, refuse });
  }

  matches(credential: string): boolean {
    return /^service-/i.test(credential);
  }

  /** Throws INVALID_API_KEY, EXPIRED_API_KEY, SUBSCRIPTIONS_UNAVAILABLE, or RATE_LIMITED before the provider is queried. */
  async verify(credential: string, attempt: CredentialAttempt): Promise<Principal> {
    const key = credential.toUpperCase();
    const hash = hashSecret(key);
    const now = this.#clock.monotonic();
    const cached = this.#cached.get(hash);
    if (cached === undefined || now >= cached.validUntil) return this.#fetch(key, hash, attempt);
    if (now >= cached.freshUntil) this.#refreshInBackground(key, hash, cached, now);
    return cached.principal;
  }

  /**
   * Queries the provider past the cache: for decisions that must see a revocation at once. Throws as `verify` does; without
   * an attempt no throttle applies, and with one a known key passes it.
   */
  async verifyFresh(
    credential: string,
    attempt: CredentialAttempt | null = null,
  ): Promise<ActiveSubscription> {
    const key = credential.toUpperCase();
    requireForm(key);
    const hash = hashSecret(key);
    const status = await this.#admit(key, hash, attempt, (end) => this.#query(key, hash, end, true));
    if (status.state !== 'active') throw refusalProblem(status);
    return status;
  }

  /** The current status of a subscription, as `verifyFresh` gives that of a key. */
  async verifySubscription(subscription: string): Promise<ActiveSubscription> {
    const status = await fetchStatus(this.#options, subscription).catch((cause: unknown) => {
      throw unavailable(FAILURE_PAUSE, cause);
    });
    if (status.state !== 'active') throw refusalProblem(status);
    return status;
  }

  /** Invalidates the keys of a subscription that changed. */
  invalidate(subscription: string): void {
    this.#generation++;
    this.#refusals.clear();
    for (const cached of this.#cached.values()) {
      if (cached.principal.subscription === subscription) cached.validUntil = Number.NEGATIVE_INFINITY;
    }
  }

  /** Refreshes every key at its next use, which does not wait for it: changes may have been missed. */
  revalidateAll(): void {
    this.#generation++;
    this.#refusals.clear();
    for (const cached of this.#cached.values()) cached.freshUntil = Number.NEGATIVE_INFINITY;
  }

  async #fetch(key: string, hash: string, attempt: CredentialAttempt): Promise<Principal> {
    requireForm(key);
    const refused = this.#refusals.get(hash);
    if (refused !== undefined && this.#clock.monotonic() < refused.until) throw refused.problem;
    const share = (end: EndQuestion) => this.#pending.get(hash) ?? this.#start(key, hash, end);
    const status = await (this.#pending.get(hash) ?? this.#admit(key, hash, attempt, share));
    if (status.state !== 'active') throw refusalProblem(status);
    return principalOf(status);
  }

  /** Asks about a key that was valid here before, or that nobody is throttled for, at once. */
  #admit(
    key: string,
    hash: string,
    attempt: CredentialAttempt | null,
    ask: (end: EndQuestion) => Promise<SubscriptionStatus>,
  ): Promise<SubscriptionStatus> {
    const isFree = attempt === null || this.#cached.has(hash);
    return isFree ? ask(FREE) : this.#gate.pass(key, attempt, ask);
  }

  /** One query for all that wait for the same key: only the first takes a place of the throttles. */
  #start(key: string, hash: string, end: EndQuestion): Promise<SubscriptionStatus> {
    const pending = this.#query(key, hash, end, false).finally(() => {
      if (this.#pending.get(hash) === pending) this.#pending.delete(hash);
    });
    this.#pending.set(hash, pending);
    return pending;
  }

  async #query(key: string, hash: string, end: EndQuestion, fresh: boolean): Promise<SubscriptionStatus> {
    let failed = true;
    try {
      const status = await this.#callProvider(key, hash, fresh);
      failed = status.state !== 'active';
      return status;
    } finally {
      end(failed);
    }
  }

  async #callProvider(key: string, hash: string, fresh: boolean): Promise<SubscriptionStatus> {
    const sentAt = this.#clock.monotonic();
    const sentDate = this.#clock.now();
    const generation = this.#generation;
    let status: SubscriptionStatus;
    try {
      status = await queryProvider(this.#clock, (signal) =>
        this.#options.provider.validate(key, { signal, fresh }),
      );
    } catch (cause) {
      const problem = unavailable(FAILURE_PAUSE, cause);
      this.#refusals.set(hash, { problem, until: this.#clock.monotonic() + FAILURE_PAUSE });
      throw problem;
    }
    if (generation === this.#generation) this.#cache(hash, status, sentAt, sentDate);
    return status;
  }

  #cache(hash: string, status: SubscriptionStatus, sentAt: number, sentDate: number): void {
    if (status.state !== 'active') {
      const problem = refusalProblem(status);
      this.#cached.delete(hash);
      const isPending = status.state === 'unknown' && status.reason === 'pending';
      const lifetime = isPending ? PENDING_LIFETIME : REFUSAL_LIFETIME;
      this.#refusals.set(hash, { problem, until: sentAt + lifetime });
      return;
    }
    // The end is turned into monotonic time here, once: a wall clock that jumps later moves nothing.
    const left = LIFETIME - (status.age ?? 0);
    const lifetime = status.endsAt === null ? left : Math.min(left, status.endsAt - sentDate);
    const fresh = Math.min(lifetime * REFRESH_SHARE, LIFETIME * REFRESH_SHARE - (status.age ?? 0));
    // What was old when it came is not refreshed at every use.
    const pause = Math.min(lifetime * REFRESH_SHARE, REFRESH_PAUSE);
    this.#refusals.delete(hash);
    this.#cached.set(hash, {
      principal: principalOf(status),
      validUntil: sentAt + lifetime,
      freshUntil: sentAt + Math.max(fresh, pause),
    });
  }

  /** Fetches the next status while the cached one still serves; a failure changes nothing before that one's end. */
  #refreshInBackground(key: string, hash: string, cached: CachedKey, now: number): void {
    cached.freshUntil = now + REFRESH_PAUSE;
    this.#start(key, hash, FREE).catch(this.#options.report);
  }
}

/** Throws INVALID_API_KEY for what cannot be a key; nothing of that form was ever cached. */
function requireForm(key: string): void {
  if (KEY_FORM.test(key)) return;
  throw new Problem('INVALID_API_KEY', 'The API key is malformed: it must have the form SERVICE-<UUID>.');
}

/** The caller with a key of this subscription. */
export function principalOf(status: ActiveSubscription): Principal {
  const { subscription, tier } = status;
  const owner = ownerOf(status);
  return {
    kind: 'key',
    tier,
    account: `sub:${subscription}`,
    subscription,
    owner,
    grant: null,
    scopes: null,
  };
}

const REASONS: Readonly<Record<RefusalReason, string>> = {
  unpaid: 'The subscription of this API key is not paid for. Pay its open invoice, then use the key again.',
  paused: 'The subscription of this API key is paused. Resume it, then use the key again.',
  pending: 'This API key works as soon as its payment is complete.',
  replaced: 'This API key was replaced by another one of the same subscription. Use that one.',
};

function refusalProblem(status: Exclude<SubscriptionStatus, ActiveSubscription>): Problem {
  if (status.state === 'unknown') {
    const { reason } = status;
    const detail = reason === undefined ? 'The API key belongs to no active subscription.' : REASONS[reason];
    return new Problem('INVALID_API_KEY', detail, reason === undefined ? {} : { members: { reason } });
  }
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

/** Verifies one kind of credential. */
export interface CredentialVerifier {
  /** Whether this credential is of its kind; the first verifier that says so decides alone. */
  matches(credential: string): boolean;
  /**
   * The caller; throws a Problem with a 401 code when the credential is not valid. Calls `attempt.begin()` before it asks
   * anything outside this process about a credential that was never valid before.
   * @param resource path of the protected resource that is called, below the public URL; absent: the API itself
   */
  verify(credential: string, attempt: CredentialAttempt, resource?: string): Principal | Promise<Principal>;
}
