// Limits of what programs push to each source: requests, records and bytes in any minute, exact per process.

import type { Headers } from '../../http/output/reply.ts';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { PUSH } from '../tiers/tiers.ts';
import { RateLimitPolicy, singleLimitHeaders, wholeSeconds } from './rate-limit-status.ts';
import { SlidingWindowLog, WINDOW } from './sliding-window-log.ts';

/** Milliseconds within which amounts are summed up; a sum leaves the window with its last amount. */
const GRAIN = 100;

/** A sum over the last 60 seconds. */
class SlidingWindowSum {
  readonly #entries: { at: number; amount: number }[] = [];
  #total = 0;

  total(now: number): number {
    while (this.#entries[0] !== undefined && this.#entries[0].at + WINDOW <= now)
      this.#total -= this.#entries.shift()?.amount ?? 0;
    return this.#total;
  }

  add(now: number, amount: number): void {
    const last = this.#entries.at(-1);
    this.#total += amount;
    if (last === undefined || now - last.at >= GRAIN || this.#entries.length === 1)
      this.#entries.push({ at: now, amount });
    else {
      last.at = now;
      last.amount += amount;
    }
  }

  /** Milliseconds until `amount` is free of `quota`. */
  timeUntilFree(now: number, quota: number, amount: number): number {
    let over = this.total(now) + amount - quota;
    for (const entry of this.#entries) {
      over -= entry.amount;
      if (over <= 0) return entry.at + WINDOW - now;
    }
    return WINDOW;
  }
}

class SourceState {
  readonly requests = new SlidingWindowLog();
  readonly records = new SlidingWindowSum();
  readonly bytes = new SlidingWindowSum();
}

export class PushLimit {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #policy = new RateLimitPolicy('minute', PUSH.requests, WINDOW / 1_000);
  /** As many as there are sources. */
  readonly #sources = new Map<string, SourceState>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Charges one request, and returns its headers. Throws RATE_LIMITED without a charge. */
  admit(source: string): Headers {
    const { requests } = this.#state(source);
    const now = this.#clock.monotonic();
    if (requests.count(now) >= PUSH.requests) {
      const wait = wholeSeconds(requests.timeUntilFree(PUSH.requests, now));
      throw exceeded('requests', PUSH.requests, wait, this.#headers(requests, now));
    }
    requests.add(now);
    return this.#headers(requests, now);
  }

  /** Charges one record of so many bytes; returns why it is one too many, and then charges nothing. */
  takeRecord(source: string, size: number): Problem | null {
    const { records, bytes } = this.#state(source);
    const now = this.#clock.monotonic();
    if (records.total(now) >= PUSH.records)
      return exceeded('records', PUSH.records, wholeSeconds(records.timeUntilFree(now, PUSH.records, 1)));
    if (bytes.total(now) + size > PUSH.bytes)
      return exceeded('bytes', PUSH.bytes, wholeSeconds(bytes.timeUntilFree(now, PUSH.bytes, size)));
    records.add(now, 1);
    bytes.add(now, size);
    return null;
  }

  #headers(requests: SlidingWindowLog, now: number): Headers {
    const remaining = Math.max(0, PUSH.requests - requests.count(now));
    const reset = wholeSeconds(requests.timeUntilFree(PUSH.requests, now));
    return singleLimitHeaders({ policy: this.#policy, remaining, reset });
  }

  #state(source: string): SourceState {
    const known = this.#sources.get(source);
    if (known !== undefined) return known;
    const state = new SourceState();
    this.#sources.set(source, state);
    return state;
  }
}

function exceeded(
  what: 'requests' | 'records' | 'bytes',
  quota: number,
  wait: number,
  headers: Headers = {},
): Problem {
  const seconds = Math.max(1, wait);
  return new Problem(
    'RATE_LIMITED',
    `A source may push ${quota.toLocaleString('en-US')} ${what} in any 60 seconds. Try again in ${seconds} s.`,
    { headers: { ...headers, 'retry-after': String(seconds) }, members: { violatedPolicies: [what] } },
  );
}
