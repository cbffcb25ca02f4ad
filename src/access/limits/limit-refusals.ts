// Owns what a caller is told whose limit is reached: which one, and when to come back.
import { Problem, type ProblemCode } from '../../lib/problem.ts';
import type { Tier } from '../tiers/principal.ts';
import { tierName } from '../tiers/tiers.ts';
import {
  type Standing,
  type Standings,
  standingHeaders,
  standingsHeaders,
  wholeSeconds,
} from './limit-standing.ts';

/** How a caller without credentials comes by a key, where nobody said. */
const TO_GET_KEY = 'A key allows more: ask the operator of this service for a subscription.';

/** The 429 for a caller with nothing left of a minute or a month: QUOTA_EXCEEDED where the month is among them. */
export function exhausted(tier: Tier, standings: Standings, toGetKey = TO_GET_KEY): Problem {
  const { minute, month } = standings;
  const violated = [minute, month].filter((each) => each !== null).filter((each) => each.remaining === 0);
  const retryAfter = Math.max(1, ...violated.map(({ reset }) => reset));
  const who =
    tier === 'anonymous' ? 'Without credentials an address' : `A caller of the ${tierName(tier)} tier`;
  const overMonth = month !== null && violated.includes(month);
  const allowed = overMonth
    ? `may send ${month.policy.quota} requests in a calendar month (UTC)`
    : `may send ${minute?.policy.quota} requests in any 60 seconds`;
  const code = overMonth ? 'QUOTA_EXCEEDED' : 'RATE_LIMITED';
  return tooMany(
    code,
    `${who} ${allowed}. Try again in ${retryAfter} s.${tier === 'anonymous' ? ` ${toGetKey}` : ''}`,
    retryAfter,
    violated,
    standingsHeaders(standings),
  );
}

/** The 429 for an address that has sent too many refused credentials. */
export function guessing(standing: Standing): Problem {
  const detail = `Too many refused credentials from this address. Try again in ${standing.reset} s, with a valid one.`;
  return tooMany('RATE_LIMITED', detail, standing.reset, [standing], standingHeaders(standing));
}

/** The 503 for a newcomer while as many callers as can be remembered are active. */
export function crowded(wait: number): Problem {
  return new Problem('OVERLOADED', 'More callers are active than this service can count. Try again later.', {
    headers: { 'retry-after': String(Math.max(1, wholeSeconds(wait))) },
  });
}

function tooMany(
  code: ProblemCode,
  detail: string,
  retryAfter: number,
  violated: readonly Standing[],
  headers: Readonly<Record<string, string>>,
): Problem {
  return new Problem(code, detail, {
    headers: { ...headers, 'retry-after': String(retryAfter) },
    members: { violatedPolicies: violated.map(({ policy }) => policy.name) },
  });
}
