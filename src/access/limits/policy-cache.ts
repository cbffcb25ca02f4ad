// Cache of the rate limit policies of each tier in the current month.

import type { Tier } from '../tiers/principal.ts';
import type { TierPlan, Tiers } from '../tiers/tiers.ts';
import type { Month } from './month.ts';
import { RateLimitPolicy } from './rate-limit-status.ts';
import { WINDOW } from './sliding-window-log.ts';

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

const policiesOf = ({ minute, month }: TierPlan, calendar: Month): Policies => ({
  minute: minute === null ? null : new RateLimitPolicy('minute', minute, WINDOW / 1000),
  month: month === null ? null : new RateLimitPolicy('month', month, calendar.seconds),
});
