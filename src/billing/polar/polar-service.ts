// The payment service Polar: it issues a license key for each subscription, and the product decides about the plan.

import { keyHash } from '../../access/providers/subscription-store.ts';
import type { Plan } from '../../access/tiers/tiers.ts';
import type { Clock } from '../../lib/clock.ts';
import { type PaymentApi, retryPage } from '../payment-api.ts';
import type { PaymentService, ProviderSubscription } from '../payment-service.ts';
import type { PolarSettings } from '../provider-settings.ts';
import { type Asking, createPolarApi, type PolarApi } from './polar-api.ts';
import { createPolarCheckouts } from './polar-checkouts.ts';
import {
  type GrantRecord,
  isPolarId,
  type KeyRecord,
  nonsense,
  type Page,
  type SubscriptionRecord,
  unlessOdd,
} from './polar-records.ts';
import { grantOf, statusOf } from './polar-status.ts';

export interface PolarOptions {
  readonly settings: PolarSettings;
  /** Made with the headers of `polarHeaders`. */
  readonly api: Pick<PaymentApi, 'call'>;
  readonly clock: Clock;
}

/** Pages of keys that are searched for one that opens nothing any more: a thousand keys. */
const MAX_SEARCHED_PAGES = 10;

export function createPolarService({ settings, api: paymentApi, clock }: PolarOptions): PaymentService {
  const api = createPolarApi(paymentApi, settings);
  const plans = normalizePlans(settings.plans);

  /** What a key opens, by the grant that names it and the subscription of that grant. */
  async function judge(key: KeyRecord, asking: Asking): Promise<ProviderSubscription> {
    const grants = await api.customerGrants(key.customer, asking);
    const grant = grantOf(key, grants);
    const subscription =
      grant === undefined || grant.subscription === null
        ? null
        : await api.getSubscription(grant.subscription, asking);
    // Polar makes keys by grants only, and revokes a key before its grant or subscription goes.
    const isOrphan = grant === undefined || (grant.subscription !== null && subscription === null);
    if (isOrphan && key.status === 'granted') throw nonsense('A granted key that comes from nothing');
    return subscriptionOf(key, grants, subscription);
  }

  function subscriptionOf(
    key: KeyRecord,
    grants: readonly GrantRecord[],
    subscription: SubscriptionRecord | null,
  ): ProviderSubscription {
    const status = statusOf({ key, grants, subscription }, plans, clock.now());
    return { reference: key.id, keyHash: key.hash, status };
  }

  return {
    name: 'polar',

    async findKey(key, signal) {
      const hash = keyHash(key);
      const answer = await api.validateKey(key.toUpperCase(), { signal, urgency: 'unknown' });
      if (answer === 'absent') return null;
      const record = typeof answer === 'object' ? answer : await searchKey(api, hash, signal);
      // Ended by its own date, or taken back: too long ago to find out more, and a refusal all the same.
      if (record === null)
        return { reference: null, status: { state: answer === 'expired' ? 'expired' : 'unknown' } };
      // It is a real key: from here on it may use what is kept for known ones. Its reference is for good, so it must lead back.
      const asking: Asking = { signal, urgency: 'known' };
      const same = await api.getKey(record.id, asking);
      if (same?.hash?.equals(hash) !== true) throw nonsense('Another key than asked about');
      return judge(same, asking);
    },

    async find(reference, signal) {
      const id = reference.toLowerCase();
      if (!isPolarId(id)) return null;
      const asking: Asking = { signal, urgency: 'known' };
      const key = await api.getKey(id, asking);
      return key === null || key.hash === null ? null : judge(key, asking);
    },

    async listAll(onPage, signal) {
      const asking: Asking = { signal, urgency: 'background' };
      const grants = new Map<string, GrantRecord[]>();
      const subscriptions = new Map<string, SubscriptionRecord>();
      const listGrants = (page: number) => api.listGrants({ page, isGranted: true }, asking);
      for await (const page of pagesOf(clock, signal, listGrants)) {
        for (const grant of page.filter(({ key }) => key !== null)) {
          const known = grants.get(grant.customer);
          if (known === undefined) grants.set(grant.customer, [grant]);
          else known.push(grant);
        }
      }
      const products = Object.keys(plans);
      const listSubscriptions = (page: number) => api.listSubscriptions({ page, products }, asking);
      for await (const page of pagesOf(clock, signal, listSubscriptions)) {
        for (const subscription of page) subscriptions.set(subscription.id, subscription);
      }
      const listKeys = (page: number) => api.listKeys({ page, status: ['granted'] }, asking);
      for await (const page of pagesOf(clock, signal, listKeys)) {
        await onPage(
          page.flatMap((key): ProviderSubscription[] => {
            const granted = grants.get(key.customer) ?? [];
            // What appeared between two lists, or makes no sense, is left to a request for this key alone.
            const grant = unlessOdd(() => grantOf(key, granted));
            const subscription = grant?.subscription && subscriptions.get(grant.subscription);
            if (key.hash === null || !subscription) return [];
            return unlessOdd(() => [subscriptionOf(key, granted, subscription)]) ?? [];
          }),
        );
      }
    },

    async resolveSubject(subject, signal) {
      const [, kind, id = ''] = /^(\w+):(.+)$/.exec(subject.toLowerCase()) ?? [];
      if (!isPolarId(id)) return [];
      const asking: Asking = { signal, urgency: 'known' };
      if (kind === 'key') return [id];
      if (kind === 'customer') return keysOf(await api.customerGrants(id, asking));
      if (kind !== 'subscription') return [];
      const subscription = await api.getSubscription(id, asking);
      if (subscription === null) return [];
      const grants = await api.customerGrants(subscription.customer, asking);
      return keysOf(grants.filter((grant) => grant.subscription === id));
    },

    ...createPolarCheckouts(api, plans),
  };
}

/** The record of a key that opens nothing any more, which Polar does not find by the key; null: it is too far down. */
async function searchKey(api: PolarApi, hash: Buffer, signal: AbortSignal): Promise<KeyRecord | null> {
  const asking: Asking = { signal, urgency: 'unknown' };
  let pages = 1;
  // The newest are on the last page; how many there are, the first one tells.
  for (let searched = 0, page = 1; searched < Math.min(pages, MAX_SEARCHED_PAGES); searched++) {
    const { items, ...list } = await api.listKeys({ page }, asking);
    const record = items.find((each) => each?.hash?.equals(hash));
    if (record) return record;
    if (items.includes(null)) throw nonsense('A key that cannot be understood');
    pages = list.pages;
    page = pages - searched;
  }
  if (pages <= MAX_SEARCHED_PAGES) throw nonsense('A key that is in no list');
  return null;
}

/** The items of every page that can be understood. */
async function* pagesOf<T>(
  clock: Clock,
  signal: AbortSignal,
  request: (page: number) => Promise<Page<T | null>>,
): AsyncGenerator<readonly T[]> {
  for (let number = 1, last = 1; number <= last; number++) {
    const page = await retryPage(clock, signal, () => request(number));
    last = page.pages;
    yield page.items.filter((item) => item !== null);
  }
}

function keysOf(grants: readonly GrantRecord[]): readonly string[] {
  return [...new Set(grants.flatMap(({ key }) => key ?? []))];
}

/** Ids are compared in lower case. */
function normalizePlans(plans: PolarSettings['plans']): Readonly<Record<string, Plan>> {
  return Object.fromEntries(Object.entries(plans).map(([product, plan]) => [product.toLowerCase(), plan]));
}
