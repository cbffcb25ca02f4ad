// Caller as the owner of watchers: whose they are, what they count against, what its plan allows, and which subscription it uses.

import { LRUCache } from 'lru-cache';
import {
  atLeast,
  limitAccount,
  type Plan,
  type Principal,
  type TierPlan,
  type Tiers,
  tierName,
} from '../access/tiers/tiers.ts';
import { MINUTE } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { type OwnerUse, type PlanLimits, updateOwner } from './owner-store.ts';
import type { WatcherOptions } from './resolve-target.ts';

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

/** Limits that the watchers of an owner with this plan follow. */
export function limitsOf(tiers: Tiers, plan: Plan): PlanLimits {
  const { watchers, events, cadence } = tiers[plan];
  return { watchers, events, cadence, mayIgnoreDisplayRules: atLeast(plan, 'internal') };
}

/** Milliseconds until the same use is written again. */
const USE_LIFETIME = 5 * MINUTE;
const MAX_USES = 10_000;

/** Uses of watchers, each written at most once in a while: a customer replaces a key by a new subscription. */
export class OwnerUses {
  readonly #options: Pick<WatcherOptions, 'database' | 'clock' | 'report'>;
  /** When a use was written, in monotonic milliseconds. */
  readonly #recordedAt = new LRUCache<string, number>({ max: MAX_USES });

  constructor(options: Pick<WatcherOptions, 'database' | 'clock' | 'report'>) {
    this.#options = options;
  }

  /** Never throws: what cannot be written now is written with a later request. */
  async record(caller: Principal): Promise<void> {
    const { database, clock, report } = this.#options;
    const use = ownerUseOf(caller);
    const key = `${use.owner} ${use.subscription} ${use.plan}`;
    const recordedAt = this.#recordedAt.get(key);
    if (recordedAt !== undefined && clock.monotonic() < recordedAt + USE_LIFETIME) return;
    this.#recordedAt.set(key, clock.monotonic());
    await database
      .transaction((tx) => updateOwner(tx, use), { repeatable: true })
      .catch((error: unknown) => {
        this.#recordedAt.delete(key);
        report(error);
      });
  }
}
