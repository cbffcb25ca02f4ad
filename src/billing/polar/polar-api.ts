// Polar's API, as far as it is needed: license keys, benefit grants, subscriptions. Answers come back as records.

import { ProviderUnavailable } from '../../access/tiers/provider.ts';
import type { Urgency } from '../call-budget.ts';
import type { PaymentAnswer, PaymentApi, PaymentCall } from '../payment-api.ts';
import type { PolarSettings } from '../provider-settings.ts';
import {
  createRecordReader,
  fieldsOf,
  type GrantRecord,
  type KeyRecord,
  nonsense,
  type Page,
  readPage,
  type SubscriptionRecord,
  unlessOdd,
} from './polar-records.ts';

/** Version of the API whose records are read here. Polar answers every call in the version that it names. */
const POLAR_VERSION = '2026-10';

/** Headers of all calls: the credentials, and the version. */
export function polarHeaders({ accessToken }: Pick<PolarSettings, 'accessToken'>): Record<string, string> {
  return { authorization: `Bearer ${accessToken}`, 'polar-version': POLAR_VERSION };
}

/** The largest page that Polar gives. */
const PAGE_SIZE = 100;
/** Pages of one customer's grants: 2,000 of them. More is no customer that this service can have. */
const MAX_CUSTOMER_PAGES = 20;

export interface Asking {
  readonly signal: AbortSignal;
  readonly urgency: Urgency;
}

/** What Polar says of a key: its record; or that no key is like this, that it opens nothing, or that its date has passed. */
export type KeyAnswer = KeyRecord | 'absent' | 'inactive' | 'expired';

type Query = NonNullable<PaymentCall['query']>;

export interface PolarApi {
  validateKey(key: string, asking: Asking): Promise<KeyAnswer>;
  /** Null: Polar knows no such key. */
  getKey(id: string, asking: Asking): Promise<KeyRecord | null>;
  getSubscription(id: string, asking: Asking): Promise<SubscriptionRecord | null>;
  /** All grants of a customer. */
  customerGrants(customer: string, asking: Asking): Promise<readonly GrantRecord[]>;
  /**
   * Pages, the oldest records first, so that new ones shift nothing. A page has 100 records unless a smaller limit is asked
   * for; null stands for one that cannot be understood.
   */
  listKeys(page: PageQuery, asking: Asking): Promise<Page<KeyRecord | null>>;
  listGrants(page: PageQuery, asking: Asking): Promise<Page<GrantRecord | null>>;
  listSubscriptions(page: PageQuery, asking: Asking): Promise<Page<SubscriptionRecord | null>>;
  /** A call whose answer the caller reads; null: 404 in Polar's own words. */
  call(
    method: PaymentCall['method'],
    path: string,
    asking: Asking,
    content?: Pick<PaymentCall, 'query' | 'body'>,
  ): Promise<PaymentAnswer | null>;
  /** Id of the organization that all records must be of. */
  readonly organization: string;
}

export interface PageQuery {
  /** From 1. */
  readonly page: number;
  readonly limit?: number;
  /** Of keys; absent: in all states. */
  readonly status?: readonly KeyRecord['status'][];
  /** Of grants; absent: of all customers. */
  readonly customer?: string;
  /** Of grants: only those that are in force. */
  readonly isGranted?: true;
  /** Of subscriptions: only those in force to one of these products. */
  readonly products?: readonly string[];
}

export function createPolarApi(
  { call: send }: Pick<PaymentApi, 'call'>,
  { organizationId }: Pick<PolarSettings, 'organizationId'>,
): PolarApi {
  const organization = organizationId.toLowerCase();
  const read = createRecordReader(organization);
  /** Whether the token was ever seen to reach the organization: to any other one, Polar says that nothing is found. */
  let isReached = false;

  /** Throws unless "not found" can be believed. The organization has products, or nothing could be bought. */
  async function requireReached(asking: Asking): Promise<void> {
    if (isReached) return;
    const page = { page: 1, limit: 1 };
    const { total } = await list('/v1/products/', page, { query: {}, asking }, fieldsOf);
    if (total === 0)
      throw new ProviderUnavailable(new Error('The token of Polar does not reach the organization'));
    isReached = true;
  }

  function readKey(body: unknown): KeyRecord {
    const record = read.key(body);
    isReached = true;
    return record;
  }

  async function call(
    method: PaymentCall['method'],
    path: string,
    asking: Asking,
    content: Pick<PaymentCall, 'query' | 'body'> = {},
  ): Promise<PaymentAnswer | null> {
    // Keys are validated by a POST too, which goes past here.
    const isWrite = method === 'POST';
    const answer = await send({ method, path, isWrite, ...asking, ...content });
    if (answer.status === 404) {
      if (missingText(answer.body) !== 'Not found') throw nonsense('A 404 about something else');
      await requireReached(asking);
      return null;
    }
    return answer;
  }

  async function get<T>(path: string, asking: Asking, parse: (body: unknown) => T): Promise<T | null> {
    const answer = await call('GET', path, asking);
    return answer === null ? null : parse(bodyOf(answer));
  }

  async function list<T>(
    path: string,
    { page, limit = PAGE_SIZE }: PageQuery,
    { query, asking }: { readonly query: Query; readonly asking: Asking },
    parse: (item: unknown) => T,
  ): Promise<Page<T | null>> {
    const paged = { organization_id: organization, page: String(page), limit: String(limit), ...query };
    const answer = await call('GET', path, asking, { query: paged });
    if (answer === null) throw nonsense('A list that is not found');
    return readPage(bodyOf(answer), { page, limit }, (item) => unlessOdd(() => parse(item)));
  }

  const api: PolarApi = {
    call,
    organization,

    async validateKey(key, asking) {
      const body = { key, organization_id: organization };
      const path = '/v1/license-keys/validate';
      const answer = await send({ method: 'POST', path, body, ...asking });
      if (answer.status === 404) {
        const refusal = refusalOf(missingText(answer.body));
        if (refusal === 'absent') await requireReached(asking);
        return refusal;
      }
      const record = readKey(bodyOf(answer));
      if (record.status !== 'granted') throw nonsense('A valid key that is not granted');
      return record;
    },

    async getKey(id, asking) {
      const record = await get(`/v1/license-keys/${id}`, asking, readKey);
      if (record !== null && record.id !== id) throw nonsense('Another key than asked for');
      return record;
    },

    async getSubscription(id, asking) {
      const record = await get(`/v1/subscriptions/${id}`, asking, read.subscription);
      if (record !== null && record.id !== id) throw nonsense('Another subscription than asked for');
      return record;
    },

    async customerGrants(customer, asking) {
      const grants: GrantRecord[] = [];
      for (let page = 1; page <= MAX_CUSTOMER_PAGES; page++) {
        const { items, pages } = await api.listGrants({ page, customer }, asking);
        for (const grant of items) {
          if (grant?.customer !== customer) throw nonsense('An odd grant, or one of another customer');
          grants.push(grant);
        }
        if (page >= pages) return grants;
      }
      throw nonsense('A customer with too many grants');
    },

    // Every list is asked for at its path with a slash at the end: without it Polar only redirects.
    listKeys: (page, asking) =>
      list('/v1/license-keys/', page, { query: { status: page.status }, asking }, (item) =>
        read.key(item, true),
      ),
    listGrants(page, asking) {
      const query = {
        customer_id: page.customer,
        is_granted: page.isGranted && 'true',
        sorting: 'created_at',
      };
      return list('/v1/benefit-grants/', page, { query, asking }, read.grant);
    },
    listSubscriptions(page, asking) {
      const isActive = page.products && 'true';
      const query = { product_id: page.products, active: isActive, sorting: 'started_at' };
      return list('/v1/subscriptions/', page, { query, asking }, read.subscription);
    },
  };
  return api;
}

/** What a 404 says, if it is Polar's own and not that of a proxy, another path or another version. */
function missingText(body: unknown): string {
  const { error, detail } = fieldsOf(body);
  if (error !== 'ResourceNotFound' || typeof detail !== 'string') throw nonsense('A 404 of somebody else');
  return detail;
}

function refusalOf(text: string): Exclude<KeyAnswer, KeyRecord> {
  switch (text) {
    case 'Not found':
      return 'absent';
    case 'License key is no longer active.':
      return 'inactive';
    case 'License key has expired.':
      return 'expired';
    default:
      throw nonsense('A 404 in other words');
  }
}

/** The body of a success. Other answers say nothing about a key: refused parameters are a fault of the settings. */
function bodyOf({ status, body }: PaymentAnswer): unknown {
  if (status === 200 || status === 201) return body;
  throw nonsense(`Status ${status}`);
}
