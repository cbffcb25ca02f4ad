// Products of Polar as plans on offer, and checkouts of them. Polar issues the key itself once a checkout is paid.

import type { Plan } from '../../access/tiers/tiers.ts';
import type { Checkout, CheckoutState, OfferedPlan, PaymentService } from '../payment-service.ts';
import type { Asking, PolarApi } from './polar-api.ts';
import {
  booleanOf,
  countOf,
  dateOf,
  fieldsOf,
  idOf,
  isPolarId,
  nonsense,
  readPage,
  textOf,
} from './polar-records.ts';

/** Products that may be offered. */
const MAX_PRODUCTS = 100;
const INTERVALS: readonly OfferedPlan['interval'][] = ['day', 'week', 'month', 'year'];

/** `confirmed` is not paid yet: the customer has pressed the button only. A checkout that failed can never be paid. */
const STATES: Readonly<Record<string, CheckoutState>> = {
  open: 'open',
  confirmed: 'open',
  succeeded: 'complete',
  expired: 'expired',
  failed: 'expired',
};

export function createPolarCheckouts(
  api: PolarApi,
  plans: Readonly<Record<string, Plan>>,
): Pick<PaymentService, 'listPlans' | 'createCheckout' | 'findCheckout'> {
  /** Records of another organization are no answer. */
  function requireOurs(fields: Readonly<Record<string, unknown>>): void {
    if (idOf(fields, 'organization_id') !== api.organization) {
      throw nonsense('A record of another organization');
    }
  }

  return {
    async listPlans(signal) {
      const page = { page: 1, limit: MAX_PRODUCTS };
      const query = {
        organization_id: api.organization,
        is_archived: 'false',
        is_recurring: 'true',
        id: Object.keys(plans),
        page: '1',
        limit: String(MAX_PRODUCTS),
      };
      const answer = await api.call('GET', '/v1/products/', { signal, urgency: 'known' }, { query });
      if (answer?.status !== 200) throw nonsense('No list of products');
      const { items } = readPage(answer.body, page, (item): readonly OfferedPlan[] => {
        const fields = fieldsOf(item);
        requireOurs(fields);
        return readOffer(fields, plans);
      });
      return items.flat().sort((a, b) => a.amount - b.amount);
    },

    async createCheckout({ priceId, returnUrl, cancelUrl }, signal): Promise<Checkout | null> {
      const product = priceId.toLowerCase();
      if (!Object.hasOwn(plans, product)) return null;
      const asking: Asking = { signal, urgency: 'known' };
      const successUrl = `${returnUrl}?session={CHECKOUT_ID}`;
      const body = { products: [product], success_url: successUrl, return_url: cancelUrl };
      const answer = await api.call('POST', '/v1/checkouts/', asking, { body });
      // A product that cannot be bought any more.
      if (answer?.status === 422) return null;
      if (answer?.status !== 201) throw nonsense('No checkout');
      const fields = fieldsOf(answer.body);
      requireOurs(fields);
      const url = URL.parse(textOf(fields, 'url'));
      const expiresAt = dateOf(fields, 'expires_at');
      if (url === null || !/^https?:$/.test(url.protocol) || expiresAt === null)
        throw nonsense('No page to pay on');
      return { url: url.href, expiresAt, key: null, keyId: null };
    },

    async findCheckout(session, signal) {
      const id = session.toLowerCase();
      if (!isPolarId(id)) return 'unknown';
      const answer = await api.call('GET', `/v1/checkouts/${id}`, { signal, urgency: 'stranger' });
      if (answer === null) return 'unknown';
      const fields = fieldsOf(answer.status === 200 ? answer.body : null);
      requireOurs(fields);
      const state = STATES[textOf(fields, 'status')];
      if (idOf(fields, 'id') !== id || state === undefined) throw nonsense('No known state of a checkout');
      return state;
    },
  };
}

/** The offer of a product: its first price of a fixed amount. None: it is not one of ours, or its price depends on use. */
function readOffer(
  fields: Readonly<Record<string, unknown>>,
  plans: Readonly<Record<string, Plan>>,
): readonly OfferedPlan[] {
  const id = idOf(fields, 'id');
  const plan = Object.hasOwn(plans, id) ? plans[id] : undefined;
  if (plan === undefined || booleanOf(fields, 'is_archived')) return [];
  const interval = INTERVALS.find((each) => each === fields.recurring_interval);
  if (interval === undefined) return [];
  if (!Array.isArray(fields.prices)) throw nonsense('A product without prices');
  const prices = fields.prices.map(fieldsOf);
  const fixed = prices.find((price) => price.amount_type === 'fixed' && !booleanOf(price, 'is_archived'));
  if (fixed === undefined) return [];
  return [
    {
      plan,
      priceId: id,
      interval,
      name: textOf(fields, 'name'),
      amount: countOf(fixed, 'price_amount'),
      currency: textOf(fixed, 'price_currency').toLowerCase(),
      intervalCount: countOf(fields, 'recurring_interval_count'),
    },
  ];
}
