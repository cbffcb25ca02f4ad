// Limit of the streams that each caller holds open in this process.

import { Problem } from '../../lib/problem.ts';
import { type Principal, type Tiers, tierName } from '../tiers/tiers.ts';

/** A stream ends within ten seconds, so by then a place is free. */
const STREAM_SECONDS = 10;

export class StreamLimit {
  readonly #tiers: Tiers;
  /** Callers with open streams only: bounded by the number of sockets. */
  readonly #open = new Map<string, number>();

  constructor(tiers: Tiers) {
    this.#tiers = tiers;
  }

  /** Takes a place and returns the function that frees it, which may be called twice; throws TOO_MANY_STREAMS. */
  open(caller: Principal): () => void {
    if (this.isFull(caller)) throw this.exceeded(caller, {});
    const { account } = caller;
    this.#open.set(account, this.count(caller) + 1);
    let isOpen = true;
    return () => {
      if (isOpen) this.#close(account);
      isOpen = false;
    };
  }

  count(caller: Principal): number {
    return this.#open.get(caller.account) ?? 0;
  }

  isFull(caller: Principal): boolean {
    return this.count(caller) >= this.#tiers[caller.tier].streams;
  }

  /** The 429 for a caller with no place left; `headers` say how its other limits stand. */
  exceeded(caller: Principal, headers: Readonly<Record<string, string>>): Problem {
    const max = this.#tiers[caller.tier].streams;
    const detail = `The ${tierName(caller.tier)} tier allows ${max} concurrent streams. Close one, or wait for one to end.`;
    return new Problem('TOO_MANY_STREAMS', detail, {
      headers: { ...headers, 'retry-after': String(STREAM_SECONDS) },
      members: { violatedPolicies: ['streams'] },
    });
  }

  #close(account: string): void {
    const left = (this.#open.get(account) ?? 0) - 1;
    if (left > 0) this.#open.set(account, left);
    else this.#open.delete(account);
  }
}
