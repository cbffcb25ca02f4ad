// Owns the limits of each tier as policies: made anew only when the month turns.

import type { Tier } from '../tiers/principal.ts';
import type { TierPlan, Tiers } from '../tiers/tiers.ts';
import { Policy } from './limit-standing.ts';
import type { Month } from './month.ts';
import { WINDOW } from './ring.ts';

/** Null where unlimited. */
export interface Policies {
  readonly minute: Policy | null;
  readonly month: Policy | null;
}

/** Tells the policies of a tier in a month. */
export function policyTeller(tiers: Tiers): (tier: Tier, calendar: Month) => Policies {
  const made = new Map<Tier, Policies & { readonly calendar: Month }>();
  return (tier, calendar) => {
    const known = made.get(tier);
    if (known?.calendar === calendar) return known;
    const policies = { calendar, ...policiesOf(tiers[tier], calendar) };
    made.set(tier, policies);
    return policies;
  };
}

const policiesOf = ({ minute, month }: TierPlan, calendar: Month): Policies => ({
  minute: minute === null ? null : new Policy('minute', minute, WINDOW / 1000),
  month: month === null ? null : new Policy('month', month, calendar.seconds),
});
