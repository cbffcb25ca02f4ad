// Payment service in memory: it knows subscriptions, their keys and what it sells, counts its calls, and misbehaves on demand.

import { keyHash } from '../../../src/access/providers/subscription-store.ts';
import { ProviderUnavailable, type SubscriptionStatus } from '../../../src/access/tiers/provider.ts';
import type { Plan } from '../../../src/access/tiers/tiers.ts';
import type {
  CheckoutState,
  OfferedPlan,
  PaymentService,
  ProviderSubscription,
  WantedCheckout,
} from '../../../src/billing/payment-service.ts';
import { keyNumber } from '../service/stub-provider.ts';

/** A question that waits for its answer: `answer` gives what held when it came. */
export interface WaitingQuestion {
  readonly subject: string;
  answer(): void;
  fail(): void;
}

export interface MemoryService extends PaymentService {
  name: 'polar' | 'stripe';
  /** Keys, references and checkouts that were asked about, `all` for each list, `plans` and `checkout` for each of those. */
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
  offers: readonly OfferedPlan[];
  /** Where it leads to pay, and when that page closes, in wall-clock milliseconds. */
  payment: { readonly url: string; readonly expiresAt: number };
  /** Purchases that were begun, and the keys that were made for them where the service makes none itself. */
  readonly wanted: WantedCheckout[];
  readonly keys: string[];
  /** Of checkouts, by their session. */
  readonly states: Map<string, CheckoutState>;
}

interface Subscription {
  readonly key: string;
  readonly status: SubscriptionStatus;
}

const BATCH = 100;
let made = 0;

const newKey = () => keyNumber(0xabc0000 + ++made);

/** An active subscription. */
export function active(reference: string, tier: Plan = 'pro'): SubscriptionStatus {
  return { state: 'active', subscription: reference, customer: null, tier, endsAt: null };
}

/** A plan that is sold by the month. */
export function offer(
  plan: OfferedPlan['plan'],
  amount: number,
  more: Partial<OfferedPlan> = {},
): OfferedPlan {
  const name = `${plan.charAt(0).toUpperCase()}${plan.slice(1)}`;
  const price = {
    priceId: `price_${plan}_${amount}`,
    currency: 'eur',
    interval: 'month',
    intervalCount: 1,
  } as const;
  return { plan, name, amount, ...price, ...more };
}

export function memoryService(name: PaymentService['name'] = 'polar'): MemoryService {
  const subscriptions = new Map<string, Subscription>();
  const subscriptionOf = (reference: string): ProviderSubscription | null => {
    const found = subscriptions.get(reference);
    return found === undefined ? null : { reference, keyHash: keyHash(found.key), status: found.status };
  };

  /** The answer as it was when the question came: the worst that a slow service can do. */
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
          [...subscriptions.keys()].map(subscriptionOf).find((each) => each?.keyHash?.equals(keyHash(key))) ??
          null,
        signal,
      ),
    find: (reference, signal) => ask(reference, () => subscriptionOf(reference), signal),
    async listAll(onPage, signal) {
      const all = await ask(
        'all',
        () => [...subscriptions.keys()].flatMap((each) => subscriptionOf(each) ?? []),
        signal,
      );
      for (let at = 0; at < all.length; at += BATCH) await onPage(all.slice(at, at + BATCH));
    },
    offers: [offer('pro', 2_900), offer('pro', 29_000, { interval: 'year' }), offer('business', 19_950)],
    payment: { url: 'https://pay.example/c/cs_1', expiresAt: Number.MAX_SAFE_INTEGER },
    wanted: [],
    keys: [],
    states: new Map(),
    listPlans: (signal) => ask('plans', () => service.offers, signal),
    createCheckout: (wanted, signal) =>
      ask(
        'checkout',
        () => {
          service.wanted.push(wanted);
          if (service.name === 'polar') return { ...service.payment, key: null, keyId: null };
          const key = newKey();
          service.keys.push(key);
          return { ...service.payment, key, keyId: `key_${service.keys.length}` };
        },
        signal,
      ),
    findCheckout: (session, signal) => ask(session, () => service.states.get(session) ?? 'unknown', signal),
    resolveSubject: async () => [],
    subscribe(tier) {
      const key = newKey();
      const reference = `sub_${key.slice(-12).toLowerCase()}`;
      subscriptions.set(reference, { key, status: active(reference, tier) });
      return { reference, key };
    },
    rekey(reference) {
      const key = newKey();
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
