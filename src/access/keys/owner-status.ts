// Status of the owners of background work: each subscription and grant is asked about at most every ten minutes.

import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.ts';
import { SingleFlight } from '../../lib/single-flight.ts';
import type { SubscriptionProvider } from '../tiers/provider.ts';
import type { Plan } from '../tiers/tiers.ts';
import { findStatus } from './subscription-status.ts';

/** Milliseconds for which a status is cached, from the moment the question was sent. */
const LIFETIME = 600_000;
/** Milliseconds until the next question after one that was not answered. */
const RETRY_PAUSE = 30_000;
const MAX_CACHED = 200_000;

/**
 * `ended` and `revoked`: work for it stops. `unavailable`: nobody can tell, so that work is held, and nothing is lost; the
 * plan is then the last one that was known.
 */
export type BackingStatus =
  | { readonly state: 'active'; readonly plan: Plan }
  | { readonly state: 'ended' | 'revoked'; readonly plan: null }
  | { readonly state: 'unavailable'; readonly plan: Plan | null };

/** State of a grant without a key: `ended` when it has expired or is not known any more. */
export type GrantState = 'active' | 'ended' | 'revoked';

export interface OwnerStatusOptions {
  readonly provider: SubscriptionProvider;
  readonly clock: Clock;
  /** Called with the first error of an outage. */
  readonly report: (error: unknown) => void;
  /** State of a grant without a key, by its id. */
  readonly findGrantState: (grant: string) => Promise<GrantState>;
}

/** What may have changed: a subscription, a grant, or any of them. */
export type OwnerHint = { readonly subscription: string } | { readonly grant: string } | 'any';

export interface OwnerStatus {
  check(subscription: string): Promise<BackingStatus>;
  /** The same for a grant without a key. */
  checkGrant(grant: string): Promise<BackingStatus>;
  /** Forgets a status: the next check asks again. */
  invalidate(hint: OwnerHint): void;
  /** Calls back after each hint, so that a check can follow at once. Returns the function that stops it. */
  onHint(listener: (hint: OwnerHint) => void): () => void;
}

/** An answer, and the milliseconds for which it holds from its question on. */
interface Answer {
  readonly status: BackingStatus;
  readonly lifetime: number;
}

interface CachedStatus {
  readonly status: BackingStatus;
  readonly validUntil: number;
}

export function createOwnerStatus(options: OwnerStatusOptions): OwnerStatus {
  const { clock } = options;
  const cache = new LRUCache<string, CachedStatus>({ max: MAX_CACHED });
  const flights = new SingleFlight<BackingStatus>();
  const listeners = new Set<(hint: OwnerHint) => void>();
  /** Grows with every hint: an answer to a question from before it is not cached. */
  let generation = 0;
  let isFailing = false;

  async function check(reference: string, ask: () => Promise<Answer>): Promise<BackingStatus> {
    const cached = cache.get(reference);
    if (cached !== undefined && clock.monotonic() < cached.validUntil) return cached.status;
    // A check after a hint must not join a question from before it.
    return flights.run(`${generation} ${reference}`, null, () => query(reference, ask));
  }

  async function query(reference: string, ask: () => Promise<Answer>): Promise<BackingStatus> {
    const sentAt = clock.monotonic();
    const sentIn = generation;
    const { status, lifetime } = await ask().catch((error: unknown): Answer => {
      if (!isFailing) options.report(error);
      const plan = cache.get(reference)?.status.plan ?? null;
      return { status: { state: 'unavailable', plan }, lifetime: RETRY_PAUSE };
    });
    isFailing = status.state === 'unavailable';
    if (sentIn === generation) cache.set(reference, { status, validUntil: sentAt + lifetime });
    return status;
  }

  return {
    check: (subscription) => check(`sub:${subscription}`, () => askProvider(options, subscription)),
    checkGrant: (grant) => check(`grant:${grant}`, () => askStore(options, grant)),
    invalidate(hint) {
      generation++;
      for (const reference of hint === 'any' ? [...cache.keys()] : [referenceOf(hint)]) {
        const cached = cache.peek(reference);
        // The plan stays: it is the last one known, should nobody answer.
        if (cached !== undefined) cache.set(reference, { ...cached, validUntil: Number.NEGATIVE_INFINITY });
      }
      for (const listener of listeners) listener(hint);
    },
    onHint(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

async function askProvider(options: OwnerStatusOptions, subscription: string): Promise<Answer> {
  const sentDate = options.clock.now();
  const status = await findStatus(options, subscription);
  if (status.state === 'active') {
    // The end is turned into monotonic time here, once: a wall clock that jumps later moves nothing.
    const left = LIFETIME - (status.age ?? 0);
    const lifetime = status.endsAt === null ? left : Math.min(left, status.endsAt - sentDate);
    return { status: { state: 'active', plan: status.tier }, lifetime };
  }
  const state = status.state === 'expired' ? 'ended' : 'revoked';
  return { status: { state, plan: null }, lifetime: LIFETIME };
}

async function askStore({ findGrantState }: OwnerStatusOptions, grant: string): Promise<Answer> {
  const state = await findGrantState(grant);
  return { status: state === 'active' ? { state, plan: 'free' } : { state, plan: null }, lifetime: LIFETIME };
}

function referenceOf(hint: Exclude<OwnerHint, 'any'>): string {
  return 'grant' in hint ? `grant:${hint.grant}` : `sub:${hint.subscription}`;
}
