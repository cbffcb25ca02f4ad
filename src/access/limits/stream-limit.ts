// Limits of what each caller holds open in this process: listing streams, and feeds of events.

import { Problem } from '../../lib/problem.ts';
import { limitAccount, type Principal, type Tiers, tierName } from '../tiers/tiers.ts';

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
const LISTING_STREAMS: StreamKind = {
  policy: 'streams',
  noun: 'concurrent streams',
  accountOf: ({ account }) => account,
  retryAfter: 10,
};

const FEEDS: StreamKind = { policy: 'feeds', noun: 'open feeds', accountOf: limitAccount, retryAfter: 60 };

/** Limit of the streams of one kind that each caller holds open in this process. */
export class StreamLimit {
  readonly #tiers: Tiers;
  readonly #kind: StreamKind;
  /** Callers with open streams only: bounded by the number of sockets. */
  readonly #open = new Map<string, number>();

  constructor(tiers: Tiers, kind = LISTING_STREAMS) {
    this.#tiers = tiers;
    this.#kind = kind;
  }

  /** Takes a place and returns the function that frees it, which may be called twice; throws TOO_MANY_STREAMS. */
  open(caller: Principal): () => void {
    if (this.isFull(caller)) throw this.exceeded(caller, {});
    const account = this.#kind.accountOf(caller);
    this.#open.set(account, this.count(caller) + 1);
    let isOpen = true;
    return () => {
      if (isOpen) this.#close(account);
      isOpen = false;
    };
  }

  count(caller: Principal): number {
    return this.#open.get(this.#kind.accountOf(caller)) ?? 0;
  }

  isFull(caller: Principal): boolean {
    return this.count(caller) >= this.#tiers[caller.tier][this.#kind.policy];
  }

  /** The 429 for a caller with no place left; `headers` say how its other limits stand. */
  exceeded(caller: Principal, headers: Readonly<Record<string, string>>): Problem {
    const { policy, noun, retryAfter } = this.#kind;
    const max = this.#tiers[caller.tier][policy];
    const detail = `The ${tierName(caller.tier)} tier allows ${max} ${noun}. Close one, or wait for one to end.`;
    return new Problem('TOO_MANY_STREAMS', detail, {
      headers: { ...headers, 'retry-after': String(retryAfter) },
      members: { violatedPolicies: [policy] },
    });
  }

  #close(account: string): void {
    const left = (this.#open.get(account) ?? 0) - 1;
    if (left > 0) this.#open.set(account, left);
    else this.#open.delete(account);
  }
}

/** Limit of the event feeds that each owner holds open in this process. */
export type FeedLimit = StreamLimit;

export function createFeedLimit(tiers: Tiers): FeedLimit {
  return new StreamLimit(tiers, FEEDS);
}
