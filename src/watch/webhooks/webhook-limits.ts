// Limits on webhooks that are added, changed, tested or sent an event again: nobody makes the service knock at a host again and again.

import { RequestThrottle } from '../../access/limits/request-throttle.ts';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';

/** In any minute, from this process. */
const LIMITS = { owner: 10, host: 60 } as const;

export class WebhookLimits {
  readonly #owners: RequestThrottle;
  readonly #hosts: RequestThrottle;

  constructor(clock: Clock) {
    this.#owners = new RequestThrottle(clock, LIMITS.owner);
    this.#hosts = new RequestThrottle(clock, LIMITS.host);
  }

  /** Counts webhooks of an owner: all of them, or none. Throws RATE_LIMITED. */
  take(owner: string, urls: readonly URL[]): void {
    for (const [at, url] of urls.entries()) {
      const problem = this.#takeOne(owner, hostOf(url));
      if (problem === null) continue;
      this.giveBack(owner, urls.slice(0, at));
      throw problem;
    }
  }

  /** Takes back what was counted. */
  giveBack(owner: string, urls: readonly URL[]): void {
    for (const url of urls) {
      this.#owners.giveBack(owner);
      this.#hosts.giveBack(hostOf(url));
    }
  }

  #takeOne(owner: string, host: string): Problem | null {
    const wait = this.#owners.take(owner);
    if (wait > 0)
      return tooMany(
        `You can add, change or test webhooks, or ask for redeliveries, ${LIMITS.owner} times in any 60 seconds`,
        wait,
      );
    const hostWait = this.#hosts.take(host);
    if (hostWait === 0) return null;
    this.#owners.giveBack(owner);
    return tooMany(
      `Webhooks of ${host} were added, changed, tested or sent redeliveries too often`,
      hostWait,
    );
  }
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/\.$/, '');

function tooMany(reason: string, wait: number): Problem {
  return new Problem('RATE_LIMITED', `${reason}. Try again in ${wait} s.`, {
    headers: { 'retry-after': String(wait) },
    members: { violatedPolicies: ['webhooks'] },
  });
}
