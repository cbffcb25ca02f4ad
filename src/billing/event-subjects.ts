// What an event of a payment service is about: its id, its type, and the subjects whose state is fetched. Nothing else of it is kept.

/** An event, as far as this service reads it. */
export interface BillingEvent {
  readonly id: string;
  readonly type: string;
  /** What to fetch, each as kind:id. Empty: nothing here depends on events of this type. */
  readonly subjects: readonly string[];
  /** True if it is about another account, or about test data where the key is of live data. */
  readonly isForeign: boolean;
}

/** Kinds of subjects, as `resolveSubject` of the payment services takes them. */
type Kind = 'subscription' | 'customer' | 'checkout' | 'key';

/** Where ids stand in an event: a kind, and the path to them below the object that the event is about. */
type Place = readonly [kind: Kind, ...path: string[]];

/** The first of these places that holds an id; all of a group count. */
type Places = readonly (readonly Place[])[];

const POLAR_CUSTOMER: Places = [[['customer', 'customer_id']], [['subscription', 'id']]];

/** Keys of a grant, before and after; a grant without a key yet is found by its customer. */
const POLAR_GRANT: Places = [
  [
    ['key', 'properties', 'license_key_id'],
    ['key', 'previous_properties', 'license_key_id'],
  ],
  [['customer', 'customer_id']],
];

const POLAR_TYPES: Readonly<Record<string, Places>> = {
  'subscription.created': POLAR_CUSTOMER,
  'subscription.updated': POLAR_CUSTOMER,
  'subscription.active': POLAR_CUSTOMER,
  'subscription.canceled': POLAR_CUSTOMER,
  'subscription.uncanceled': POLAR_CUSTOMER,
  'subscription.cycled': POLAR_CUSTOMER,
  'subscription.revoked': POLAR_CUSTOMER,
  'subscription.past_due': POLAR_CUSTOMER,
  'subscription.paused': POLAR_CUSTOMER,
  'subscription.resumed': POLAR_CUSTOMER,
  'subscription.migrated': POLAR_CUSTOMER,
  'customer.state_changed': [[['customer', 'id']]],
  'customer.deleted': [[['customer', 'id']]],
  'benefit_grant.created': POLAR_GRANT,
  'benefit_grant.cycled': POLAR_GRANT,
  'benefit_grant.updated': POLAR_GRANT,
  'benefit_grant.revoked': POLAR_GRANT,
};

const STRIPE_SUBSCRIPTION: Places = [[['subscription', 'id']]];
const STRIPE_CHECKOUT: Places = [
  [
    ['checkout', 'id'],
    ['subscription', 'subscription'],
  ],
];
/** Where invoices name their subscription since 2025-03-31, and where they did before. */
const STRIPE_INVOICE: Places = [
  [['subscription', 'parent', 'subscription_details', 'subscription']],
  [['subscription', 'subscription']],
];

const STRIPE_TYPES: Readonly<Record<string, Places>> = {
  'customer.subscription.created': STRIPE_SUBSCRIPTION,
  'customer.subscription.updated': STRIPE_SUBSCRIPTION,
  'customer.subscription.deleted': STRIPE_SUBSCRIPTION,
  'customer.subscription.paused': STRIPE_SUBSCRIPTION,
  'customer.subscription.resumed': STRIPE_SUBSCRIPTION,
  'customer.subscription.pending_update_applied': STRIPE_SUBSCRIPTION,
  'customer.subscription.pending_update_expired': STRIPE_SUBSCRIPTION,
  'checkout.session.completed': STRIPE_CHECKOUT,
  'checkout.session.async_payment_succeeded': STRIPE_CHECKOUT,
  'checkout.session.async_payment_failed': STRIPE_CHECKOUT,
  'checkout.session.expired': STRIPE_CHECKOUT,
  'invoice.paid': STRIPE_INVOICE,
  'invoice.payment_succeeded': STRIPE_INVOICE,
  'invoice.payment_failed': STRIPE_INVOICE,
  'invoice.payment_action_required': STRIPE_INVOICE,
  'invoice.marked_uncollectible': STRIPE_INVOICE,
  'invoice.voided': STRIPE_INVOICE,
  'entitlements.active_entitlement_summary.updated': [[['customer', 'customer']]],
  'customer.deleted': [[['customer', 'id']]],
};

/** Names of types that the tables above hold, for metrics: other types are counted together. */
export const EVENT_TYPES = { polar: Object.keys(POLAR_TYPES), stripe: Object.keys(STRIPE_TYPES) } as const;

const MAX_SUBJECTS = 20;
const ID = /^[\w-]{1,150}$/;
const TYPE = /^[\w.]{1,200}$/;
const EVENT_ID = /^[\w.-]{1,200}$/;

/** An event of Polar; null if it is none. `id` is the header `webhook-id`, which the signature covers. */
export function readPolarEvent(id: unknown, body: unknown, organization: string): BillingEvent | null {
  const type = member(body, 'type');
  const object = member(body, 'data');
  if (!isText(id, EVENT_ID) || !isText(type, TYPE)) return null;
  const owners = [[], ['customer'], ['product'], ['benefit']].map((path) =>
    at(object, [...path, 'organization_id']),
  );
  const kind = at(object, ['benefit', 'type']);
  const isOfKeys = kind === undefined || kind === 'license_keys';
  return {
    id,
    type,
    subjects: isOfKeys ? subjectsOf(POLAR_TYPES, type, object) : [],
    isForeign: owners.some((owner) => typeof owner === 'string' && owner !== organization),
  };
}

/** An event of Stripe; null if it is none. `isLive`: of the data that the key belongs to; null: the key does not tell. */
export function readStripeEvent(body: unknown, isLive: boolean | null): BillingEvent | null {
  const [id, type, account, livemode] = ['id', 'type', 'account', 'livemode'].map((name) =>
    member(body, name),
  );
  if (!isText(id, EVENT_ID) || !isText(type, TYPE)) return null;
  return {
    id,
    type,
    subjects: subjectsOf(STRIPE_TYPES, type, at(body, ['data', 'object'])),
    // Events of connected accounts name them; the key asks about its own account only.
    isForeign: typeof account === 'string' || (isLive !== null && livemode !== isLive),
  };
}

/** Whether a key of Stripe is of live data; null if its form does not tell. */
export function isLiveKey(secretKey: string): boolean | null {
  const [, mode] = /^[a-z]+_(live|test)_/.exec(secretKey) ?? [];
  return mode === undefined ? null : mode === 'live';
}

function subjectsOf(
  types: Readonly<Record<string, Places>>,
  type: string,
  object: unknown,
): readonly string[] {
  for (const group of Object.hasOwn(types, type) ? (types[type] ?? []) : []) {
    const found = group.flatMap(([kind, ...path]) => {
      const value = at(object, path);
      // Services write an object in place of its id where they expand it.
      const id = typeof value === 'string' ? value : member(value, 'id');
      return isText(id, ID) ? [`${kind}:${id}`] : [];
    });
    if (found.length > 0) return [...new Set(found)].slice(0, MAX_SUBJECTS);
  }
  return [];
}

const isText = (value: unknown, form: RegExp): value is string =>
  typeof value === 'string' && form.test(value);

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(member, value);
}

/** A member that the object itself has; names of its prototype are none. */
function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
