// Tiers and what each may do, and the caller that has one; no other file knows these numbers or the order of tiers.

import { hash } from 'node:crypto';
import { HOUR, MINUTE } from '../../lib/clock.ts';
import { addressGroup } from '../../lib/ip-address.ts';
import { NOTHING, type Reach } from './reach.ts';

export interface TierPlan {
  /** Requests in any 60 seconds; null: unlimited. */
  readonly minute: number | null;
  /** Requests in a UTC calendar month; null: unlimited. */
  readonly month: number | null;
  /** Maximum results per page. */
  readonly page: number;
  /** Listing streams open at once. */
  readonly streams: number;
  /** Whether property reads fetch from the source by themselves. */
  readonly live: boolean;
  /** Watchers that can be active at once; null: unlimited. */
  readonly watchers: number | null;
  /** The fastest cadence of a watcher. */
  readonly cadence: Cadence;
  /** Feeds of events open at once. */
  readonly feeds: number;
  /** Milliseconds between two live refreshes of what a watcher watches; null: never. */
  readonly refresh: number | null;
  /** Events in any UTC hour; null: unlimited. */
  readonly events: number | null;
}

/** How often the events of a watcher are sent, fastest first. */
export const CADENCES = ['instant', 'hourly', 'daily', 'weekly'] as const;
export type Cadence = (typeof CADENCES)[number];

export type Tiers = Readonly<Record<Tier, TierPlan>>;

export const TIERS: Tiers = {
  anonymous: {
    minute: 10,
    month: 100,
    page: 10,
    streams: 0,
    live: false,
    watchers: 0,
    feeds: 0,
    refresh: null,
    events: 0,
    cadence: 'daily',
  },
  free: {
    minute: 60,
    month: 1_000,
    page: 25,
    streams: 0,
    live: false,
    watchers: 1,
    feeds: 1,
    refresh: null,
    events: 100,
    cadence: 'daily',
  },
  pro: {
    minute: 300,
    month: 50_000,
    page: 100,
    streams: 10,
    live: false,
    watchers: 25,
    feeds: 10,
    refresh: 6 * HOUR,
    events: 1_000,
    cadence: 'instant',
  },
  business: {
    minute: 1_200,
    month: 500_000,
    page: 200,
    streams: 100,
    live: true,
    watchers: 1_000,
    feeds: 100,
    refresh: HOUR,
    events: 10_000,
    cadence: 'instant',
  },
  internal: {
    minute: null,
    month: null,
    page: 500,
    streams: 1_000,
    live: true,
    watchers: null,
    feeds: 1_000,
    refresh: 15 * MINUTE,
    events: null,
    cadence: 'instant',
  },
};

/** What the explorer shows to each address, grant or subscription, whatever its tier. */
export const EXPLORER = {
  /** In any 60 seconds. */
  views: 300,
  /** Lists and single homes together, in any 60 seconds. */
  homes: 60,
  /** Ranges of the base map, in any 60 seconds: a view takes about twenty. */
  tiles: 6_000,
  /** Homes on maps and in lists, in a UTC day. */
  pinsADay: 20_000,
  /** Single homes, in a UTC day. */
  homesADay: 300,
  /** Rows of a list, and how many pages it has without credentials. */
  rows: 10,
  pages: 10,
  /** Rows of a list for people who have signed in. */
  signedInRows: 50,
} as const;

/** What programs may push to each source, whatever the tier of anybody. */
export const PUSH = {
  /** In any 60 seconds. */
  requests: 600,
  records: 60_000,
  bytes: 256_000_000,
  /** Bytes of a record, and of the body of several. */
  recordBytes: 64_000,
  bodyBytes: 64_000_000,
  /** Records of a body. */
  bodyRecords: 10_000,
  /** Bytes of a photo, and how many a listing may have. */
  photoBytes: 20_000_000,
  photos: 100,
} as const;

/** Limits of events that the servers of sources push. */
export const EVENTS = {
  bodyBytes: 1_000_000,
  /** Listings of a source that may wait to be read again. */
  queued: 50_000,
} as const;

/** The tiers that a subscription can have, lowest first. */
export const PLANS = ['free', 'pro', 'business', 'internal'] as const satisfies readonly Tier[];
export type Plan = (typeof PLANS)[number];

/** What a token can be granted, and from which tier on the grant is of use. */
export const SCOPES: Readonly<Record<Scope, { readonly tier: Tier; readonly description: string }>> = {
  'listings:read': {
    tier: 'free',
    description: 'Search and read listings, properties, areas and market statistics',
  },
  'listings:live': { tier: 'pro', description: 'Fetch a listing live from its source' },
  watchers: { tier: 'free', description: 'Manage watchers and read their events' },
};

/** Refused credentials that one address may send in any 60 seconds before it has to wait. */
export const FAILURES_PER_MINUTE = 60;

/** Default results per page. */
const DEFAULT_PAGE = 20;

const RANKS: Readonly<Record<Tier, number>> = { anonymous: 0, free: 1, pro: 2, business: 3, internal: 4 };

export function isTier(name: string): name is Tier {
  return Object.hasOwn(RANKS, name);
}

export function isPlan(name: string): name is Plan {
  return isTier(name) && name !== 'anonymous';
}

/** Whether a tier is the one needed or a higher one; throws for an unknown tier. */
export function atLeast(tier: Tier, needed: string): boolean {
  if (!isTier(needed)) throw new Error(`There is no tier called ${needed}`);
  return RANKS[tier] >= RANKS[needed];
}

/** Display name of a tier. */
export function tierName(tier: Tier): string {
  return tier.charAt(0).toUpperCase() + tier.slice(1);
}

/** Whether a tier may have a watcher of this cadence: its fastest one, or a slower one. */
export function isCadenceAllowed(plan: TierPlan, cadence: Cadence): boolean {
  return CADENCES.indexOf(cadence) >= CADENCES.indexOf(plan.cadence);
}

/** The cadence that a plan gives a watcher: what was requested, or the fastest of the plan where that is slower. Null: the fastest. */
export function cadenceOf(plan: Pick<TierPlan, 'cadence'>, requested: Cadence | null): Cadence {
  const ranks = [plan.cadence, requested ?? plan.cadence].map((cadence) => CADENCES.indexOf(cadence));
  return CADENCES[Math.max(...ranks)] ?? plan.cadence;
}

/** Results per page: the requested number or the default, never above the tier's maximum. */
export function pageSize(plan: TierPlan, requested?: number): number {
  return Math.min(requested ?? DEFAULT_PAGE, plan.page);
}

export type Tier = 'anonymous' | 'free' | 'pro' | 'business' | 'internal';

export type Scope = 'listings:read' | 'listings:live' | 'watchers';

export interface Principal {
  /** `source`: a program that pushes to a source, and may do nothing else. */
  readonly kind: 'anonymous' | 'key' | 'token' | 'source';
  readonly tier: Tier;
  /** What limits are counted against: `sub:<subscription>`, `ip:<address or /64>`, or `free:<digest of such an address>`. */
  readonly account: string;
  /** The provider's reference; null for anonymous callers, and for tokens of the Free tier without a key. */
  readonly subscription: string | null;
  /** Whose watchers these are, see `ownerOf`; `grant:<id>` for a token without a subscription; null for anonymous callers. */
  readonly owner: string | null;
  /** The id of the grant behind a token; null for all others. */
  readonly grant: string | null;
  /** The OAuth client that a token was issued to. */
  readonly client?: string;
  /** What a token was granted; null: everything its tier allows. */
  readonly scopes: ReadonlySet<Scope> | null;
  /** Of the kind `source`: what it may push to, and the id of its token. */
  readonly source?: { readonly id: string; readonly token: string };
  /** The listings that it may see by the way its request came; nothing, until the request is identified. */
  readonly reach: Reach;
}

/** The principal of a client address: IPv6 addresses of one /64 are one caller. */
export function anonymous(address: string): Principal {
  return {
    kind: 'anonymous',
    tier: 'anonymous',
    account: `ip:${addressGroup(address)}`,
    subscription: null,
    owner: null,
    grant: null,
    scopes: null,
    reach: NOTHING,
  };
}

/** The owner of what a subscription creates: its customer where the provider names one, so that a new key keeps it. */
export function ownerOf({
  customer,
  subscription,
}: {
  readonly customer: string | null;
  readonly subscription: string;
}): string {
  return customer === null ? `sub:${subscription}` : `cus:${customer}`;
}

/** The owner as others may see it. */
export function publicOwner(owner: string): string {
  return `own_${hash('sha256', `freehold owner ${owner}`, 'base64url').slice(0, 22)}`;
}

/**
 * What a caller's watchers and feeds are counted against: its owner; for a grant without a key the address that consented,
 * which has one Free allowance however many grants it makes.
 */
export function limitAccount({ owner, subscription, account }: Principal): string {
  return owner === null || subscription === null ? account : owner;
}
