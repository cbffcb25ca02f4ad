// Subscription provider that misbehaves on demand: slow, failing, silent, or late.

import {
  ProviderUnavailable,
  type SubscriptionProvider,
  type SubscriptionStatus,
} from '../../../src/access/tiers/provider.ts';
import type { Plan } from '../../../src/access/tiers/tiers.ts';
import type { Random } from '../check/random.ts';
import type { ManualClock } from '../service/clock.ts';
import { keyNumber } from '../service/stub-provider.ts';

/** `slow` answers within 4 s, `late` after 9 s, when nobody waits any more; `silent` never answers. */
export const FAULTS = ['slow', 'unavailable', 'silent', 'late'] as const;
export type Fault = (typeof FAULTS)[number] | 'none';

/** What all processes ask: the truth is one, the faults strike each call by itself. */
export interface FaultyProvider extends SubscriptionProvider {
  /** Faults among which each call draws; by default all of them and as many good answers. */
  faults: readonly Fault[];
  /** Keys about which nothing but failures comes. */
  readonly dark: Set<string>;
  readonly calls: number;
  /** Makes a subscription and gives its key. */
  subscribe(tier: Plan): string;
  revoke(key: string): void;
}

export function faultyProvider(clock: ManualClock, random: Random): FaultyProvider {
  const statuses = new Map<string, SubscriptionStatus>();
  let calls = 0;
  const judge = (key: string): SubscriptionStatus => statuses.get(key) ?? { state: 'unknown' };
  const pass = (milliseconds: number) =>
    new Promise<void>((resolve) => void clock.after(milliseconds, resolve));
  const draw = (key: string): Fault =>
    provider.dark.has(key) ? random.pick(FAULTS.slice(1)) : random.pick(provider.faults);
  const provider: FaultyProvider = {
    faults: [...FAULTS, ...FAULTS.map(() => 'none' as const)],
    dark: new Set(),
    get calls() {
      return calls;
    },
    async validate(key) {
      calls++;
      const fault = draw(key);
      const status = judge(key);
      if (fault === 'none') return status;
      if (fault === 'slow') await pass(random.below(4_000));
      else if (fault === 'late') await pass(9_000);
      else if (fault === 'silent') await new Promise(() => {});
      else throw new ProviderUnavailable(new Error('fails on demand'));
      return status; // As it was when the question came: the worst that a slow provider can do.
    },
    refresh: async () => ({ state: 'unknown' }),
    subscribe(tier) {
      const key = keyNumber(0xdef000 + statuses.size);
      const subscription = `sub_${key.slice(-12).toLowerCase()}`;
      statuses.set(key, { state: 'active', subscription, customer: null, tier, endsAt: null });
      return key;
    },
    revoke: (key) => void statuses.set(key, { state: 'unknown' }),
  };
  return provider;
}
