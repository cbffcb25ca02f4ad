// Records of Polar's API, read strictly: what lacks a field or contradicts itself says nothing about a key.

import { keyHash } from '../../access/providers/subscription-store.ts';
import { ProviderUnavailable } from '../../access/tiers/provider.ts';

/** A license key as it is needed here. The key itself is hashed as soon as it is read. */
export interface KeyRecord {
  readonly id: string;
  /** Its holder. */
  readonly customer: string;
  readonly benefit: string;
  /** SHA-256 of the key in upper case; null: it is not of the form SERVICE-<UUID>, so it is none of ours. */
  readonly hash: Buffer | null;
  readonly status: 'granted' | 'revoked' | 'disabled';
  /** Wall-clock milliseconds; null: it does not expire by itself. */
  readonly expiresAt: number | null;
}

/** What a customer was granted by a purchase. */
export interface GrantRecord {
  readonly customer: string;
  /** Of a team, the one whose seat it is; null: the customer's own. */
  readonly member: string | null;
  readonly benefit: string;
  readonly isGranted: boolean;
  /** The license key that it names; null: it is of another kind, or no key was made yet. */
  readonly key: string | null;
  /** The subscription that it comes from; null: it comes from an order, paid once. */
  readonly subscription: string | null;
}

export interface SubscriptionRecord {
  readonly id: string;
  readonly customer: string;
  /** As Polar words it: `trialing`, `active`, `past_due`, `canceled`, `unpaid`, `paused`, `incomplete`, or a new one. */
  readonly status: string;
  readonly product: string;
  /** Wall-clock milliseconds at which it ends or has ended; null: it renews. */
  readonly endsAt: number | null;
}

/** A page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** How many there are on all pages. */
  readonly total: number;
  readonly pages: number;
}

type Fields = Readonly<Record<string, unknown>>;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Polar writes a prefix, a hyphen and a UUID, in upper case; without a prefix, the UUID alone. */
const LICENSE_KEY = /^(?:\S.*-)?[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/;
const OUR_KEY = /^SERVICE-[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/;
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const KEY_STATES: readonly KeyRecord['status'][] = ['granted', 'revoked', 'disabled'];

export function isPolarId(text: string): boolean {
  return UUID.test(text);
}

/** Reads the records of one organization: a record of another one is no answer to our question. */
export function createRecordReader(organization: string) {
  function requireOurs(fields: Fields): void {
    if (idOf(fields, 'organization_id') !== organization.toLowerCase()) {
      throw new ProviderUnavailable(new Error('Polar answered with a record of another organization'));
    }
  }

  return {
    /** @param isListed whether it is one of all keys: those that operators gave their customers themselves may be any text */
    key(value: unknown, isListed = false): KeyRecord {
      const fields = fieldsOf(value);
      requireOurs(fields);
      const customer = idOf(fields, 'customer_id');
      if (idOf(fieldsOf(fields.customer), 'id') !== customer) throw nonsense('A key of two customers');
      const key = textOf(fields, 'key').toUpperCase();
      const status = KEY_STATES.find((state) => state === fields.status);
      if (status === undefined) throw nonsense('A license key in no known state');
      if (!LICENSE_KEY.test(key) && !isListed) throw nonsense('Not the text of a license key');
      return {
        id: idOf(fields, 'id'),
        customer,
        status,
        benefit: idOf(fields, 'benefit_id'),
        hash: OUR_KEY.test(key) ? keyHash(key) : null,
        expiresAt: dateOf(fields, 'expires_at'),
      };
    },

    grant(value: unknown): GrantRecord {
      const fields = fieldsOf(value);
      const benefit = fieldsOf(fields.benefit);
      requireOurs(benefit);
      const isGranted = booleanOf(fields, 'is_granted');
      const subscription = optionalIdOf(fields, 'subscription_id');
      const key = grantedKey(textOf(benefit, 'type'), fieldsOf(fields.properties), isGranted);
      if (key !== null && (subscription === null) === (optionalIdOf(fields, 'order_id') === null)) {
        throw nonsense('A key that comes from no purchase, or from two');
      }
      return {
        customer: idOf(fields, 'customer_id'),
        member: fields.member_id === undefined ? null : optionalIdOf(fields, 'member_id'),
        benefit: idOf(fields, 'benefit_id'),
        isGranted,
        key,
        subscription,
      };
    },

    subscription(value: unknown): SubscriptionRecord {
      const fields = fieldsOf(value);
      const product = fieldsOf(fields.product);
      requireOurs(product);
      if (idOf(product, 'id') !== idOf(fields, 'product_id'))
        throw nonsense('A subscription to two products');
      const periodEnd = dateOf(fields, 'current_period_end');
      const planned = booleanOf(fields, 'cancel_at_period_end') ? periodEnd : null;
      return {
        id: idOf(fields, 'id'),
        customer: idOf(fields, 'customer_id'),
        status: textOf(fields, 'status'),
        product: idOf(fields, 'product_id'),
        endsAt: earliest(dateOf(fields, 'ends_at') ?? planned, dateOf(fields, 'ended_at')),
      };
    },
  };
}

/** The license key of a grant. Only a license-key benefit makes keys, and a granted one has made its key. */
function grantedKey(type: string, properties: Fields, isGranted: boolean): string | null {
  const hasKey = properties.license_key_id !== undefined;
  if (type !== 'license_keys') {
    if (hasKey) throw nonsense('A license key of a benefit that makes none');
    return null;
  }
  if (!hasKey && !isGranted) return null;
  return idOf(properties, 'license_key_id');
}

/** A page whose numbers agree with what is on it. */
export function readPage<T>(
  value: unknown,
  asked: { readonly page: number; readonly limit: number },
  read: (item: unknown) => T,
): Page<T> {
  const fields = fieldsOf(value);
  const pagination = fieldsOf(fields.pagination);
  const total = countOf(pagination, 'total_count');
  const pages = countOf(pagination, 'max_page');
  if (!Array.isArray(fields.items)) throw nonsense('A list without items');
  const expected = Math.min(asked.limit, Math.max(0, total - (asked.page - 1) * asked.limit));
  if (pages !== Math.ceil(total / asked.limit) || fields.items.length !== expected) {
    throw nonsense('A list with other numbers than it states');
  }
  return { items: fields.items.map(read), total, pages };
}

/** Why an answer cannot be relied on. It never repeats what was received. */
class OddAnswer extends Error {
  override readonly name = 'OddAnswer';
}

export function nonsense(what: string): ProviderUnavailable {
  return new ProviderUnavailable(new OddAnswer(`Polar answered something else than expected: ${what}`));
}

/** What is read, or null if it is odd: one such record must not spoil a list of thousands. */
export function unlessOdd<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof ProviderUnavailable && error.cause instanceof OddAnswer) return null;
    throw error;
  }
}

export function earliest(...dates: readonly (number | null)[]): number | null {
  const known = dates.filter((date) => date !== null);
  return known.length === 0 ? null : Math.min(...known);
}

export function fieldsOf(value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw nonsense('Not an object');
}

export function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === 'string' && value !== '') return value;
  throw nonsense(`No text in ${name}`);
}

export function idOf(fields: Fields, name: string): string {
  const id = textOf(fields, name).toLowerCase();
  if (isPolarId(id)) return id;
  throw nonsense(`No id in ${name}`);
}

function optionalIdOf(fields: Fields, name: string): string | null {
  return fields[name] === null ? null : idOf(fields, name);
}

export function booleanOf(fields: Fields, name: string): boolean {
  const value = fields[name];
  if (typeof value === 'boolean') return value;
  throw nonsense(`Neither yes nor no in ${name}`);
}

export function countOf(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw nonsense(`No count in ${name}`);
}

/** Milliseconds since the epoch; null for null. */
export function dateOf(fields: Fields, name: string): number | null {
  if (fields[name] === null) return null;
  const text = textOf(fields, name);
  const date = DATE.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(date)) throw nonsense(`No date in ${name}`);
  return date;
}
