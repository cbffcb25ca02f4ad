// Limits that the watchers of an owner follow.

import { atLeast, type Plan, type Tiers } from '../access/tiers/tiers.ts';
import type { PlanLimits } from './owner-store.ts';

export function limitsOf(tiers: Tiers, plan: Plan): PlanLimits {
  const { watchers, events } = tiers[plan];
  return { watchers, events, mayIgnoreDisplayRules: atLeast(plan, 'internal') };
}
