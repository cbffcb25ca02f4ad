// Route of GET /v1/usage: what a caller has used, and what is left.

import { Type } from 'typebox';
import { type Route, route } from '../http/frame/route.ts';
import type { RateLimitStatus } from './limits/rate-limit-status.ts';
import type { RateLimiter } from './limits/rate-limiter.ts';
import type { FeedLimit } from './limits/stream-limit.ts';
import { limitAccount, type Principal, TIERS } from './tiers/tiers.ts';

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
        'the minute only. The minute, the streams and the feeds are those of the process that answers.',
      access: { credentials: 'required', scope: 'listings:read', counts: 'minute' },
      answer: { description: 'The limits of your tier and what is left of them', schema: Usage },
      handle: async ({ caller }) => ({ json: await getUsage(parts, caller) }),
    }),
  ];
}

async function getUsage({ rateLimiter, feeds, countWatchers }: UsageParts, caller: Principal) {
  const [{ minute, month, calendar }, used] = await Promise.all([
    rateLimiter.statuses(caller),
    countWatchers(limitAccount(caller)),
  ]);
  const plan = rateLimiter.tiers[caller.tier];
  const [start, end] = [calendar.start, calendar.end].map((time) => new Date(time).toISOString());
  return {
    object: 'usage',
    tier: caller.tier,
    minute: formatCounter(minute),
    month: { ...formatCounter(month), start, end },
    streams: { limit: plan.streams, open: rateLimiter.streams.count(caller) },
    watchers: { limit: plan.watchers, used },
    feeds: { limit: plan.feeds, open: feeds.count(caller) },
  };
}

function formatCounter(status: RateLimitStatus | null) {
  if (status === null) return { limit: null, remaining: null, resetSeconds: null };
  return { limit: status.policy.quota, remaining: status.remaining, resetSeconds: status.reset };
}
