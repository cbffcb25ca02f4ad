// Caller as the owner of watchers: whose they are, what they count against, and what its plan allows.

import { limitAccount, type Plan, type Principal, type TierPlan, tierName } from '../access/tiers/tiers.ts';
import { Problem } from '../lib/problem.ts';
import type { OwnerUse } from './owner-store.ts';

/** Throws for an anonymous caller, which the routes do not admit. */
export function ownerUseOf(caller: Principal): OwnerUse {
  const { owner, subscription, grant, tier } = caller;
  if (owner === null || tier === 'anonymous') throw new Error('An anonymous caller has no watchers');
  const allowance = limitAccount(caller);
  return { owner, allowance, subscription, grant: subscription === null ? grant : null, plan: tier };
}

/** Refuses one more watcher, or one more active, than the plan allows. */
export function overLimit(plan: Plan, { watchers }: TierPlan): Problem {
  const number = watchers === 1 ? '1 watcher' : `${watchers} watchers`;
  return new Problem(
    'TIER_RESTRICTED',
    `The ${tierName(plan)} tier allows ${number}; the oldest count. Delete one, or use a higher tier.`,
  );
}
