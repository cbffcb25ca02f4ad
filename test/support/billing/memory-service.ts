// Payment service in memory: it knows subscriptions and their keys, counts its calls, and misbehaves on demand.

import type { PaymentService, Verdict } from '../../../src/access/providers/payment-service.ts';
import { keyHash } from '../../../src/access/providers/subscription-store.ts';
import { ProviderUnavailable, type SubscriptionStatus } from '../../../src/access/tiers/provider.ts';
import type { Plan } from '../../../src/access/tiers/tiers.ts';
import { keyNumber } from '../service/stub-provider.ts';

/** A question that waits for its answer: `answer` gives what held when it came. */
export interface WaitingQuestion {
  readonly subject: string;
  answer(): void;
  fail(): void;
}

export interface MemoryService extends PaymentService {
  /** Keys and references that were asked about, and `all` for each list. */
  readonly questions: string[];
  /** How it answers: at once, with a failure, only when told, or never. */
  mode: 'answer' | 'fail' | 'wait' | 'freeze';
  /** Questions that wait, the oldest first. */
  readonly waiting: WaitingQuestion[];
  /** Makes a subscription and gives its reference and key. */
  subscribe(tier: Plan): { readonly reference: string; readonly key: string };
  /** Gives the subscription another key, and returns it. */
  rekey(reference: string): string;
  /** Without a status the service does not know the subscription any more. */
  change(reference: string, status?: SubscriptionStatus): void;
  statusOf(reference: string): SubscriptionStatus | undefined;
}

interface Subscription {
  readonly key: string;
  readonly status: SubscriptionStatus;
}

const BATCH = 100;
let keys = 0;

/** An active subscription. */
export function active(reference: string, tier: Plan = 'pro'): SubscriptionStatus {
  return { state: 'active', subscription: reference, customer: null, tier, endsAt: null };
}

export function memoryService(name: PaymentService['name'] = 'polar'): MemoryService {
  const subscriptions = new Map<string, Subscription>();
  const verdictOf = (reference: string): Verdict | null => {
    const found = subscriptions.get(reference);
    return found === undefined ? null : { reference, keyHash: keyHash(found.key), status: found.status };
  };

  /** The verdict as it was when the question came: the worst that a slow service can do. */
  async function ask<Said>(subject: string, look: () => Said, signal: AbortSignal): Promise<Said> {
    service.questions.push(subject);
    if (service.mode === 'fail') throw new ProviderUnavailable(new Error('fails on demand'));
    const said = look();
    if (service.mode === 'answer') return said;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    const fail = () => reject(new ProviderUnavailable(new Error('fails on demand')));
    if (service.mode === 'wait') service.waiting.push({ subject, answer: resolve, fail });
    await promise;
    return said;
  }

  const service: MemoryService = {
    name,
    questions: [],
    mode: 'answer',
    waiting: [],
    findKey: (key, signal) =>
      ask(
        key,
        () =>
          [...subscriptions.keys()].map(verdictOf).find((each) => each?.keyHash?.equals(keyHash(key))) ??
          null,
        signal,
      ),
    find: (reference, signal) => ask(reference, () => verdictOf(reference), signal),
    countKeys: async () =>
      subscriptions.values().reduce((count, { status }) => count + (status.state === 'active' ? 1 : 0), 0),
    async *listAll(signal) {
      const all = await ask(
        'all',
        () => [...subscriptions.keys()].flatMap((each) => verdictOf(each) ?? []),
        signal,
      );
      for (let at = 0; at < all.length; at += BATCH) yield all.slice(at, at + BATCH);
    },
    listPlans: async () => [],
    createCheckout: () => Promise.reject(new ProviderUnavailable(new Error('sells nothing'))),
    findCheckout: async () => 'unknown',
    resolveSubject: async () => [],
    subscribe(tier) {
      const key = keyNumber(0xabc0000 + ++keys);
      const reference = `sub_${key.slice(-12).toLowerCase()}`;
      subscriptions.set(reference, { key, status: active(reference, tier) });
      return { reference, key };
    },
    rekey(reference) {
      const key = keyNumber(0xabc0000 + ++keys);
      subscriptions.set(reference, {
        key,
        status: subscriptions.get(reference)?.status ?? active(reference),
      });
      return key;
    },
    change(reference, status) {
      const found = subscriptions.get(reference);
      if (status === undefined) subscriptions.delete(reference);
      else if (found !== undefined) subscriptions.set(reference, { ...found, status });
    },
    statusOf: (reference) => subscriptions.get(reference)?.status,
  };
  return service;
}
