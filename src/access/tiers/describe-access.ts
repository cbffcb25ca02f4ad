// Access rules in words, for the documentation: who may call an endpoint, and the limits of callers without credentials.

import type { Access } from '../../http/frame/route.ts';
import { atLeast, PLANS, type Tiers, tierName } from './tiers.ts';

/** Who may call: `Tiers: Pro, Business and Internal. …`. */
export function describeAccess({ credentials, tier, scope, source }: Access): string {
  if (source === true)
    return 'Needs the token of the source, which reads nothing else: `freehold sources create` makes one.';
  if (credentials === 'none') return 'Needs no credentials.';
  const names = PLANS.filter((plan) => tier === undefined || atLeast(plan, tier)).map(tierName);
  const who = credentials === 'optional' ? 'callers without credentials, ' : '';
  const lower = tier === undefined ? '' : ' Others get 403 `TIER_RESTRICTED`.';
  const token = scope === undefined ? '' : ` A token needs the scope \`${scope}\`.`;
  return `Tiers: ${who}${LIST.format(names)}.${lower}${token}`;
}

const LIST = new Intl.ListFormat('en', { type: 'conjunction' });

/** What callers without credentials may do: `10 requests a minute and 100 a month …`. */
export function describeAnonymousLimits({ anonymous }: Tiers): string {
  const { minute, month, page } = anonymous;
  const requests = [amount(minute, 'requests a minute'), amount(month, 'a month')].join(' and ');
  return `${requests} for each IP address, and at most ${page} results a page`;
}

function amount(value: number | null, unit: string): string {
  return `${value === null ? 'any number of' : value.toLocaleString('en-US')} ${unit}`;
}
