// Stripe's answers as records: what is read of each object, and refused as no usable answer where it is not there.

import { ProviderUnavailable } from '../../access/tiers/provider.ts';

/** States of a subscription at Stripe; any other makes an answer unusable. */
export const SUBSCRIPTION_STATES = [
  'incomplete',
  'incomplete_expired',
  'trialing',
  'active',
  'past_due',
  'canceled',
  'unpaid',
  'paused',
] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

/** A product; its members are null where Stripe was not asked to expand it. */
export interface ProductRecord {
  readonly id: string;
  readonly expanded: {
    readonly name: string;
    readonly active: boolean;
    readonly metadata: Readonly<Record<string, string>>;
  } | null;
}

export interface PriceRecord {
  readonly id: string;
  readonly active: boolean;
  readonly lookupKey: string | null;
  /** Minor units; null: it depends on the quantity. */
  readonly amount: number | null;
  /** ISO 4217 in lower case. */
  readonly currency: string;
  /** Null: it is paid once. */
  readonly recurring: {
    readonly interval: string;
    readonly intervalCount: number;
    /** Paid by what is used, after the period. */
    readonly metered: boolean;
  } | null;
  readonly product: ProductRecord;
}

export interface ItemRecord {
  readonly id: string;
  /** Wall-clock milliseconds. */
  readonly periodStart: number;
  readonly periodEnd: number;
  readonly price: PriceRecord;
}

export interface SubscriptionRecord {
  readonly id: string;
  readonly customer: string;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly state: SubscriptionState;
  /** Wall-clock milliseconds. */
  readonly cancelAt: number | null;
  readonly cancelAtPeriodEnd: boolean;
  /** Days that an invoice may wait for its payment; 0: it is paid at once. */
  readonly daysUntilDue: number;
  readonly items: readonly ItemRecord[];
  /** There are more items than the answer holds. */
  readonly hasMoreItems: boolean;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface CheckoutRecord {
  readonly id: string;
  readonly state: 'open' | 'complete' | 'expired';
  /** False while a complete one waits for its money, as with a bank transfer. */
  readonly paid: boolean;
  /** Null while nothing was bought. */
  readonly subscription: string | null;
  /** Where it is paid; null once it is over. */
  readonly url: string | null;
  /** Wall-clock milliseconds. */
  readonly expiresAt: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/** One page of a list. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
}

type Members = Readonly<Record<string, unknown>>;

/** Reads the objects of one account: all of its test mode, or all of its live mode. */
export class RecordReader {
  /** Null: the secret key does not tell. */
  readonly #livemode: boolean | null;

  constructor(livemode: boolean | null) {
    this.#livemode = livemode;
  }

  readonly subscription = (value: unknown): SubscriptionRecord => {
    const members = this.#object(value, 'subscription');
    const items = this.list(members.items, this.item);
    // There is none without an item, and none without a period could be judged.
    if (items.items.length === 0 && !items.hasMore) throw unusable('no items');
    return {
      id: textOf(members, 'id'),
      customer: referenceOf(members, 'customer'),
      created: countOf(members, 'created'),
      state: oneOf(members, 'status', SUBSCRIPTION_STATES),
      cancelAt: optionalTimeOf(members, 'cancel_at'),
      cancelAtPeriodEnd: flagOf(members, 'cancel_at_period_end'),
      daysUntilDue: members.days_until_due === null ? 0 : countOf(members, 'days_until_due'),
      items: items.items,
      hasMoreItems: items.hasMore,
      metadata: metadataOf(members),
    };
  };

  readonly item = (value: unknown): ItemRecord => {
    const members = objectOf(value, 'subscription_item');
    return {
      id: textOf(members, 'id'),
      periodStart: timeOf(members, 'current_period_start'),
      periodEnd: timeOf(members, 'current_period_end'),
      price: this.price(members.price),
    };
  };

  readonly price = (value: unknown): PriceRecord => {
    const members = this.#object(value, 'price');
    const recurring = members.recurring === null ? null : membersOf(members.recurring, 'recurring');
    return {
      id: textOf(members, 'id'),
      active: flagOf(members, 'active'),
      lookupKey: members.lookup_key === null ? null : textOf(members, 'lookup_key'),
      amount: members.unit_amount === null ? null : countOf(members, 'unit_amount'),
      currency: textOf(members, 'currency'),
      recurring: recurring && {
        interval: textOf(recurring, 'interval'),
        intervalCount: countOf(recurring, 'interval_count'),
        metered: textOf(recurring, 'usage_type') === 'metered',
      },
      product: this.#productOrId(members.product),
    };
  };

  readonly product = (value: unknown): ProductRecord => {
    const { id, deleted } = objectOf(value, 'product');
    // One that was deleted is no plan any more, and has nothing but its id.
    if (deleted === true && typeof id === 'string') {
      return { id, expanded: { name: '', active: false, metadata: {} } };
    }
    const members = this.#object(value, 'product');
    return {
      id: textOf(members, 'id'),
      expanded: {
        name: textOf(members, 'name'),
        active: flagOf(members, 'active'),
        metadata: metadataOf(members),
      },
    };
  };

  /** The lookup key of a feature. */
  readonly feature = (value: unknown): string =>
    textOf(this.#object(value, 'entitlements.feature'), 'lookup_key');

  /** The lookup key of a feature that a product gives. */
  readonly productFeature = (value: unknown): string =>
    this.feature(this.#object(value, 'product_feature').entitlement_feature);

  readonly checkout = (value: unknown): CheckoutRecord => {
    const members = this.#object(value, 'checkout.session');
    return {
      id: textOf(members, 'id'),
      state: oneOf(members, 'status', ['open', 'complete', 'expired']),
      paid: textOf(members, 'payment_status') !== 'unpaid',
      subscription: members.subscription === null ? null : referenceOf(members, 'subscription'),
      url: members.url === null ? null : textOf(members, 'url'),
      expiresAt: timeOf(members, 'expires_at'),
      metadata: members.metadata === null ? {} : metadataOf(members),
    };
  };

  readonly list = <Item>(value: unknown, read: (item: unknown) => Item): ListPage<Item> => {
    const members = objectOf(value, 'list');
    if (!Array.isArray(members.data)) throw unusable('data is no list');
    return { items: members.data.map(read), hasMore: flagOf(members, 'has_more') };
  };

  #productOrId(value: unknown): ProductRecord {
    return typeof value === 'string' && value !== '' ? { id: value, expanded: null } : this.product(value);
  }

  #object(value: unknown, type: string): Members {
    const members = objectOf(value, type);
    if (this.#livemode !== null && members.livemode !== this.#livemode) {
      throw unusable(`the ${type} is not of the mode of the secret key`);
    }
    return members;
  }
}

/** The members of an object of this type; throws ProviderUnavailable for anything else. */
function objectOf(value: unknown, type: string): Members {
  const members = membersOf(value, type);
  if (members.object !== type) throw unusable(`a ${type} was expected`);
  return members;
}

export function membersOf(value: unknown, what: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unusable(`no ${what}`);
  return value as Members;
}

function textOf(members: Members, name: string): string {
  const value = members[name];
  if (typeof value !== 'string' || value === '' || value.length > 5_000) throw unusable(`${name} is no text`);
  return value;
}

/** An id, or that of the object in its place. */
function referenceOf(members: Members, name: string): string {
  const value = members[name];
  const id = typeof value === 'string' ? value : membersOf(value, name).id;
  if (typeof id !== 'string' || !/^[\w-]{1,200}$/.test(id)) throw unusable(`${name} is no reference`);
  return id;
}

function flagOf(members: Members, name: string): boolean {
  const value = members[name];
  if (typeof value !== 'boolean') throw unusable(`${name} is neither true nor false`);
  return value;
}

function countOf(members: Members, name: string): number {
  const value = members[name];
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw unusable(`${name} is no count`);
  return value as number;
}

/** Stripe's seconds as milliseconds. */
function timeOf(members: Members, name: string): number {
  const seconds = countOf(members, name);
  // Later than the year 5000: not seconds.
  if (seconds > 1e11) throw unusable(`${name} is no time`);
  return seconds * 1000;
}

function optionalTimeOf(members: Members, name: string): number | null {
  return members[name] === null ? null : timeOf(members, name);
}

function oneOf<Value extends string>(members: Members, name: string, values: readonly Value[]): Value {
  const found = values.find((value) => value === members[name]);
  if (found === undefined) throw unusable(`${name} is none that is known`);
  return found;
}

function metadataOf(members: Members): Readonly<Record<string, string>> {
  const metadata = membersOf(members.metadata, 'metadata');
  if (Object.values(metadata).some((value) => typeof value !== 'string'))
    throw unusable('metadata is no text');
  return metadata as Readonly<Record<string, string>>;
}

function unusable(why: string): ProviderUnavailable {
  return new ProviderUnavailable(new Error(`Stripe's answer is unusable: ${why}`));
}
