// Problems for callers that reached a limit: which one, and when to retry.
import { Problem, type ProblemCode } from '../../lib/problem.ts';
import type { Tier } from '../tiers/principal.ts';
import { tierName } from '../tiers/tiers.ts';
import {
  type RateLimitStatus,
  type RateLimitStatuses,
  rateLimitHeaders,
  singleLimitHeaders,
  wholeSeconds,
} from './rate-limit-status.ts';

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
