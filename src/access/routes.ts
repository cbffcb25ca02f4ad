// Route of GET /v1/usage: what a caller has used, and what is left.

import { Type } from 'typebox';
import { type Route, route } from '../http/frame/route.ts';
import type { RateLimitStatus } from './limits/rate-limit-status.ts';
import type { RateLimiter } from './limits/rate-limiter.ts';
import type { FeedLimit } from './limits/stream-limit.ts';
import { atLeast, limitAccount, type Plan, type Principal, TIERS } from './tiers/tiers.ts';

const Count = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]);
const Counter = Type.Object({
  limit: Count,
  remaining: Count,
  resetSeconds: Count,
});

const Usage = Type.Object(
  {
    object: Type.Literal('usage'),
    tier: Type.Union(Object.keys(TIERS).map((tier) => Type.Literal(tier))),
    minute: Counter,
    month: Type.Object({
      ...Counter.properties,
      start: Type.String({ format: 'date-time' }),
      end: Type.String({ format: 'date-time' }),
    }),
    streams: Type.Object({ limit: Type.Integer({ minimum: 0 }), open: Type.Integer({ minimum: 0 }) }),
    watchers: Type.Object({ limit: Count, used: Type.Integer({ minimum: 0 }) }),
    feeds: Type.Object({ limit: Type.Integer({ minimum: 0 }), open: Type.Integer({ minimum: 0 }) }),
  },
  { $id: 'Usage', description: 'The caller’s limits and what is left of them. Null means unlimited.' },
);

export interface UsageParts {
  readonly rateLimiter: RateLimiter;
  readonly feeds: FeedLimit;
  /** The active watchers that count against a caller's limit. */
  readonly countWatchers: (account: string) => Promise<number>;
  /** The highest plan in force over the subscriptions of an owner's watchers; null: none, or not known. */
  readonly findOwnerPlan: (owner: string) => Promise<Plan | null>;
}

/** GET /v1/usage. */
export function accessRoutes(parts: UsageParts): readonly Route<Principal>[] {
  return [
    route<Principal>()({
      method: 'GET',
      path: '/v1/usage',
      operation: 'getUsage',
      tag: 'Account',
      summary: 'Get your limits and usage',
      description:
        'Requests left in the minute and in the month, open streams and feeds, and active watchers. Counts against ' +
        'the minute only. The minute, the streams and the feeds are those of the process that answers, unless its ' +
        'operator lets all processes count together.',
      access: { credentials: 'required', scope: 'listings:read', counts: 'minute' },
      answer: { description: 'The limits of your tier and what is left of them', schema: Usage },
      handle: async ({ caller }) => ({ json: await getUsage(parts, caller) }),
    }),
  ];
}

async function getUsage(parts: UsageParts, caller: Principal) {
  const { rateLimiter, feeds, countWatchers } = parts;
  const [{ minute, month, calendar }, used, owner] = await Promise.all([
    rateLimiter.statuses(caller),
    countWatchers(limitAccount(caller)),
    withOwnerPlan(parts, caller),
  ]);
  const [start, end] = [calendar.start, calendar.end].map((time) => new Date(time).toISOString());
  const { streams } = rateLimiter.tiers[caller.tier];
  const limits = rateLimiter.tiers[owner.tier];
  const [openStreams, openFeeds] = await Promise.all([rateLimiter.streams.count(caller), feeds.count(owner)]);
  return {
    object: 'usage',
    tier: caller.tier,
    minute: formatCounter(minute),
    month: { ...formatCounter(month), start, end },
    streams: { limit: streams, open: openStreams },
    watchers: { limit: limits.watchers, used },
    feeds: { limit: limits.feeds, open: openFeeds },
  };
}

/** The caller with the plan that sets its owner's limits, where that is higher than its own: for `FeedLimit.open`. */
export async function withOwnerPlan(
  { findOwnerPlan }: Pick<UsageParts, 'findOwnerPlan'>,
  caller: Principal,
): Promise<Principal> {
  const plan = caller.owner === null ? null : await findOwnerPlan(caller.owner);
  return plan === null || atLeast(caller.tier, plan) ? caller : { ...caller, tier: plan };
}

function formatCounter(status: RateLimitStatus | null) {
  if (status === null) return { limit: null, remaining: null, resetSeconds: null };
  return { limit: status.policy.quota, remaining: status.remaining, resetSeconds: status.reset };
}
