// Subscription provider for tests: it has statuses in memory, counts its calls, and fails on demand.
import {
  type ActiveSubscription,
  ProviderUnavailable,
  type SubscriptionProvider,
  type SubscriptionStatus,
} from '../../../src/access/tiers/provider.ts';
import type { Plan } from '../../../src/access/tiers/tiers.ts';

export interface StubProvider extends SubscriptionProvider {
  /** Calls of validate so far. */
  readonly calls: number;
  /** How it answers: at once, with a failure, or only when `settle` is called. */
  mode: 'answer' | 'fail' | 'wait';
  /** Lets every waiting call answer with what holds now. */
  settle(): void;
  /** Makes a subscription and gives its key. */
  subscribe(tier: Plan, endsAt?: number, customer?: string): string;
  change(key: string, status: SubscriptionStatus): void;
}

/** A key that is well-formed and new: the number is its last part. */
export function keyNumber(number: number): string {
  return `SERVICE-00000000-0000-4000-8000-${number.toString(16).toUpperCase().padStart(12, '0')}`;
}

export function stubProvider(): StubProvider {
  const statuses = new Map<string, SubscriptionStatus>();
  let waiting: (() => void)[] = [];
  let calls = 0;
  const stub: StubProvider = {
    mode: 'answer',
    get calls() {
      return calls;
    },
    async validate(key, { onUnknown }) {
      if (!statuses.has(key)) await onUnknown?.();
      calls++;
      if (stub.mode === 'fail') throw new ProviderUnavailable(new Error('fails on demand'));
      if (stub.mode === 'wait') await new Promise<void>((resolve) => waiting.push(resolve));
      return statuses.get(key) ?? { state: 'unknown' };
    },
    async refresh(subscription) {
      if (stub.mode === 'fail') throw new ProviderUnavailable(new Error('fails on demand'));
      const found = [...statuses].find(([key]) => reference(key) === subscription);
      return found?.[1] ?? { state: 'unknown' };
    },
    settle() {
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    subscribe(tier, endsAt, customer) {
      const key = keyNumber(0xabc000 + statuses.size);
      const status: ActiveSubscription = {
        state: 'active',
        subscription: reference(key),
        customer: customer ?? null,
        tier,
        endsAt: endsAt ?? null,
      };
      statuses.set(key, status);
      return key;
    },
    change: (key, status) => void statuses.set(key, status),
  };
  return stub;
}

function reference(key: string): string {
  return `sub_${key.slice(-12).toLowerCase()}`;
}
