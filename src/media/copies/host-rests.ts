// Rests of hosts that do not answer: their pictures wait, and others do not wait for them.

import type { Clock } from '../../lib/clock.ts';
import type { Fetched } from '../pictures/fetch-picture.ts';

/** Failures in a row after which a host rests. */
const FAILURES = 3;
/** Milliseconds. */
const REST = 300_000;
/** Hosts that are remembered. */
const MAX_HOSTS = 10_000;

export class HostRests {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #hosts = new Map<string, { readonly failures: number; readonly until: number }>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  isResting(url: string): boolean {
    const known = this.#hosts.get(hostOf(url));
    return known !== undefined && known.until > this.#clock.monotonic();
  }

  /** Notes what became of a request. */
  note(url: string, fetched: Fetched): void {
    const host = hostOf(url);
    const isDead =
      fetched.state === 'failed' && (fetched.fault === 'unreachable' || fetched.fault === 'timeout');
    const failures = isDead ? (this.#hosts.get(host)?.failures ?? 0) + 1 : 0;
    this.#hosts.delete(host);
    if (failures === 0) return;
    const until = failures < FAILURES ? 0 : this.#clock.monotonic() + REST;
    this.#hosts.set(host, { failures, until });
    const [oldest] = this.#hosts.keys();
    if (this.#hosts.size > MAX_HOSTS && oldest !== undefined) this.#hosts.delete(oldest);
  }
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? '';
