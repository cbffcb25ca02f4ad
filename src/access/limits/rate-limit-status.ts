// Rate limit policies and their status: its headers (draft-ietf-httpapi-ratelimit-headers-11 and the older X- ones), and the problems of a reached limit.

import type { Headers } from '../../http/output/reply.ts';
import { Problem, type ProblemCode } from '../../lib/problem.ts';
import { type Tier, type TierPlan, type Tiers, tierName } from '../tiers/tiers.ts';
import { type Month, THRESHOLDS } from './monthly-quota.ts';
import { WINDOW } from './sliding-window-log.ts';

/** A limit of requests, with its text for headers. */
export class RateLimitPolicy {
  readonly name: 'minute' | 'month' | 'failures';
  readonly quota: number;
  readonly quotaText: string;
  /** Value of the header RateLimit-Policy. */
  readonly text: string;

  /** @param seconds length of the window */
  constructor(name: RateLimitPolicy['name'], quota: number, seconds: number) {
    this.name = name;
    this.quota = quota;
    this.quotaText = String(quota);
    this.text = `"${name}";q=${quota};w=${seconds}`;
  }
}

/** What one caller has left of one policy. */
export interface RateLimitStatus {
  readonly policy: RateLimitPolicy;
  readonly remaining: number;
  /** Seconds until more is free. */
  readonly reset: number;
}

/** Status of a caller's two policies: null where unlimited, not counted, or not known yet. */
export interface RateLimitStatuses {
  readonly minute: RateLimitStatus | null;
  readonly month: RateLimitStatus | null;
}

/** The headers for these policies; none where there is no policy. */
export function rateLimitHeaders({ minute, month }: RateLimitStatuses): Headers {
  if (minute === null) return month === null ? NONE : monthHeaders(month);
  if (month === null) return singleLimitHeaders(minute);
  const status = `"minute";r=${minute.remaining};t=${minute.reset}, "month";r=${month.remaining};t=${month.reset}`;
  // The X- headers show the policy with fewest requests left; of equal ones the month, which resets later.
  const binding = month.remaining <= minute.remaining ? month : minute;
  const headers = formatHeaders(`${minute.policy.text}, ${month.policy.text}`, status, binding);
  const threshold = thresholdOf(month);
  return threshold === null ? headers : { ...headers, ...noticeHeader(threshold) };
}

const noticeHeader = (threshold: number): Headers => ({ 'x-ratelimit-notice': `"month";p=${threshold}` });

/** The highest share of a month, in percent, that is used and of which callers are notified; null: none is. */
export function thresholdOf({ policy: { quota }, remaining }: RateLimitStatus): number | null {
  return THRESHOLDS.findLast((threshold) => (quota - remaining) * 100 >= threshold * quota) ?? null;
}

function monthHeaders(month: RateLimitStatus): Headers {
  const threshold = thresholdOf(month);
  const headers = singleLimitHeaders(month);
  return threshold === null ? headers : { ...headers, ...noticeHeader(threshold) };
}

export function singleLimitHeaders(status: RateLimitStatus): Headers {
  const { policy, remaining, reset } = status;
  return formatHeaders(policy.text, `"${policy.name}";r=${remaining};t=${reset}`, status);
}

/**
 * Whole seconds, rounded up, so that a caller who waits that long succeeds. Times are sums of fractions: a billionth of a
 * millisecond past the second is an error of addition, not another second.
 */
export function wholeSeconds(milliseconds: number): number {
  return Math.ceil(Math.round(milliseconds * 1000) / 1_000_000);
}

const NONE: Headers = Object.freeze({});

function formatHeaders(policies: string, statuses: string, binding: RateLimitStatus): Headers {
  return {
    'ratelimit-policy': policies,
    ratelimit: statuses,
    'x-ratelimit-limit': binding.policy.quotaText,
    'x-ratelimit-remaining': String(binding.remaining),
    'x-ratelimit-reset': String(binding.reset),
  };
}

/** Default sentence on how to get a key. */
const HOW_TO_GET_KEY = 'A key allows more: ask the operator of this service for a subscription.';

/** The 429 for a caller with nothing left of a minute or a month: QUOTA_EXCEEDED where the month is among them. */
export function limitExceeded(
  tier: Tier,
  statuses: RateLimitStatuses,
  howToGetKey = HOW_TO_GET_KEY,
): Problem {
  const { minute, month } = statuses;
  const violated = [minute, month].filter((each) => each !== null).filter((each) => each.remaining === 0);
  const retryAfter = Math.max(1, ...violated.map(({ reset }) => reset));
  const who =
    tier === 'anonymous' ? 'Without credentials an address' : `A caller of the ${tierName(tier)} tier`;
  const overMonth = month !== null && violated.includes(month);
  const allowed = overMonth
    ? `may send ${month.policy.quota} requests in a calendar month (UTC)`
    : `may send ${minute?.policy.quota} requests in any 60 seconds`;
  const code = overMonth ? 'QUOTA_EXCEEDED' : 'RATE_LIMITED';
  return tooManyRequests(
    code,
    `${who} ${allowed}. Try again in ${retryAfter} s.${tier === 'anonymous' ? ` ${howToGetKey}` : ''}`,
    retryAfter,
    violated,
    rateLimitHeaders(statuses),
  );
}

/** The 429 for an address that sent too many refused credentials. */
export function tooManyFailures(status: RateLimitStatus): Problem {
  const detail = `Too many refused credentials from this address. Try again in ${status.reset} s, with a valid one.`;
  return tooManyRequests('RATE_LIMITED', detail, status.reset, [status], singleLimitHeaders(status));
}

/** The 503 for a new caller while as many callers as can be tracked are active. */
export function tooManyCallers(wait: number): Problem {
  return new Problem('OVERLOADED', 'More callers are active than this service can count. Try again later.', {
    headers: { 'retry-after': String(Math.max(1, wholeSeconds(wait))) },
  });
}

function tooManyRequests(
  code: ProblemCode,
  detail: string,
  retryAfter: number,
  violated: readonly RateLimitStatus[],
  headers: Readonly<Record<string, string>>,
): Problem {
  return new Problem(code, detail, {
    headers: { ...headers, 'retry-after': String(retryAfter) },
    members: { violatedPolicies: violated.map(({ policy }) => policy.name) },
  });
}

/** Null where unlimited. */
export interface Policies {
  readonly minute: RateLimitPolicy | null;
  readonly month: RateLimitPolicy | null;
}

/** Returns a function that gives the policies of a tier in a month. */
export function createPolicyCache(tiers: Tiers): (tier: Tier, calendar: Month) => Policies {
  const cache = new Map<Tier, Policies & { readonly calendar: Month }>();
  return (tier, calendar) => {
    const cached = cache.get(tier);
    if (cached?.calendar === calendar) return cached;
    const policies = { calendar, ...policiesOf(tiers[tier], calendar) };
    cache.set(tier, policies);
    return policies;
  };
}

export const policiesOf = ({ minute, month }: TierPlan, calendar: Month): Policies => ({
  minute: minute === null ? null : new RateLimitPolicy('minute', minute, WINDOW / 1000),
  month: month === null ? null : new RateLimitPolicy('month', month, calendar.seconds),
});
