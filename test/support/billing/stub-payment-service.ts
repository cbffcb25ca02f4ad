// Payment service for tests of pages: it sells what it is told to, and fails on demand.

import type {
  CheckoutState,
  OfferedPlan,
  PaymentService,
  WantedCheckout,
} from '../../../src/access/providers/payment-service.ts';
import { ProviderUnavailable } from '../../../src/access/tiers/provider.ts';
import { keyNumber } from '../service/stub-provider.ts';

export interface StubPaymentService extends PaymentService {
  name: 'polar' | 'stripe';
  /** How it answers: at once, with a failure, or never. */
  mode: 'answer' | 'fail' | 'hang';
  offers: readonly OfferedPlan[];
  /** Where it leads to pay. */
  paymentUrl: string;
  /** Questions so far, by their name. */
  readonly asked: Record<'plans' | 'checkouts' | 'states', number>;
  readonly wanted: WantedCheckout[];
  /** Keys that it made, in their order. */
  readonly keys: string[];
  readonly states: Map<string, CheckoutState>;
}

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

const unused = () => Promise.reject(new Error('No page asks this'));

/** @param expiresAt when its payment pages close, in wall-clock milliseconds */
export function stubPaymentService(expiresAt: number): StubPaymentService {
  const answer = async <T>(signal: AbortSignal, value: () => T): Promise<T> => {
    if (stub.mode === 'fail') throw new ProviderUnavailable(new Error('fails on demand'));
    if (stub.mode === 'hang')
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    return value();
  };
  const stub: StubPaymentService = {
    ...{ name: 'stripe', mode: 'answer', paymentUrl: 'https://pay.example/c/cs_1' },
    offers: [offer('pro', 2_900), offer('pro', 29_000, { interval: 'year' }), offer('business', 19_950)],
    asked: { plans: 0, checkouts: 0, states: 0 },
    ...{ wanted: [], keys: [], states: new Map() },
    ...{ findKey: unused, find: unused, countKeys: unused, resolveSubject: unused },
    async *listAll() {},
    listPlans(signal) {
      stub.asked.plans++;
      return answer(signal, () => stub.offers);
    },
    createCheckout(wanted, signal) {
      stub.asked.checkouts++;
      return answer(signal, () => {
        stub.wanted.push(wanted);
        if (stub.name === 'polar') return { url: stub.paymentUrl, expiresAt, key: null, keyId: null };
        const key = keyNumber(0xbeef00 + stub.keys.length);
        stub.keys.push(key);
        return { url: stub.paymentUrl, expiresAt, key, keyId: 'key_1' };
      });
    },
    findCheckout(session, signal) {
      stub.asked.states++;
      return answer(signal, () => stub.states.get(session) ?? 'unknown');
    },
  };
  return stub;
}
