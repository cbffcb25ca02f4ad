// Limits of what each caller holds open: listing streams, and feeds of events. Counted in this process, or with others.

import { Problem } from '../../lib/problem.ts';
import { limitAccount, type Principal, type Tiers, tierName } from '../tiers/tiers.ts';
import type { SharedCounting } from './shared/shared-counting.ts';
import type { SharedPlaces } from './shared/shared-places.ts';

/** What stays open, and whose tier says how many. */
interface StreamKind {
  /** Column of the tiers, and name of the policy. */
  readonly policy: 'streams' | 'feeds';
  readonly noun: string;
  readonly accountOf: (caller: Principal) => string;
  /** Seconds after which a place may be free. */
  readonly retryAfter: number;
}

/** A stream ends within ten seconds, so by then a place is free. */
export const LISTING_STREAMS: StreamKind = {
  policy: 'streams',
  noun: 'concurrent streams',
  accountOf: ({ account }) => account,
  retryAfter: 10,
};

const FEEDS: StreamKind = { policy: 'feeds', noun: 'open feeds', accountOf: limitAccount, retryAfter: 60 };

/** Limit of the streams of one kind that each caller holds open. */
export class StreamLimit {
  readonly #tiers: Tiers;
  readonly #kind: StreamKind;
  readonly #shared: SharedPlaces | null;
  /** Callers with open streams only: bounded by the number of sockets. Unused where others count too. */
  readonly #open = new Map<string, number>();

  /** @param counting null or absent: this process counts alone */
  constructor(tiers: Tiers, kind = LISTING_STREAMS, counting: SharedCounting | null | undefined = null) {
    this.#tiers = tiers;
    this.#kind = kind;
    this.#shared = counting?.places(kind.policy) ?? null;
  }

  /** Takes a place and returns the function that frees it, which may be called twice; throws TOO_MANY_STREAMS. */
  async open(caller: Principal): Promise<() => void> {
    if (this.#shared !== null) {
      const release = await this.#shared.open(this.#kind.accountOf(caller), this.#max(caller));
      if (release === null) throw this.exceeded(caller, {});
      return release;
    }
    if (this.#count(caller) >= this.#max(caller)) throw this.exceeded(caller, {});
    const account = this.#kind.accountOf(caller);
    this.#open.set(account, this.#count(caller) + 1);
    let isOpen = true;
    return () => {
      if (isOpen) this.#close(account);
      isOpen = false;
    };
  }

  /** How many are open. */
  async count(caller: Principal): Promise<number> {
    return (
      (await this.#shared?.count(this.#kind.accountOf(caller), this.#max(caller))) ?? this.#count(caller)
    );
  }

  /** At once where this process counts alone. */
  isFull(caller: Principal): boolean | Promise<boolean> {
    if (this.#shared === null) return this.#count(caller) >= this.#max(caller);
    return this.#shared.isFull(this.#kind.accountOf(caller), this.#max(caller));
  }

  /** The 429 for a caller with no place left; `headers` say how its other limits stand. */
  exceeded(caller: Principal, headers: Readonly<Record<string, string>>): Problem {
    const { policy, noun, retryAfter } = this.#kind;
    const max = this.#max(caller);
    const detail = `The ${tierName(caller.tier)} tier allows ${max} ${noun}. Close one, or wait for one to end.`;
    return new Problem('TOO_MANY_STREAMS', detail, {
      headers: { ...headers, 'retry-after': String(retryAfter) },
      members: { violatedPolicies: [policy] },
    });
  }

  #max(caller: Principal): number {
    return this.#tiers[caller.tier][this.#kind.policy];
  }

  #count(caller: Principal): number {
    return this.#open.get(this.#kind.accountOf(caller)) ?? 0;
  }

  #close(account: string): void {
    const left = (this.#open.get(account) ?? 0) - 1;
    if (left > 0) this.#open.set(account, left);
    else this.#open.delete(account);
  }
}

/** Limit of the event feeds that each owner holds open. */
export type FeedLimit = StreamLimit;

export function createFeedLimit(tiers: Tiers, counting: SharedCounting | null = null): FeedLimit {
  return new StreamLimit(tiers, FEEDS, counting);
}
