// Targets of watchers: what a target names is looked up, and what matches it now is counted.

import type { Principal, Tiers } from '../access/tiers/tiers.ts';
import { findTimeZones } from '../areas/read-store.ts';
import type { Clock } from '../lib/clock.ts';
import { invalidMember, nullIfUnavailable, type Problem } from '../lib/problem.ts';
import { DEFAULT_TIME_ZONE } from '../listings/local-time.ts';
import { buildReaderView, isVisible, presentListing, type ReaderView } from '../listings/presenter.ts';
import type { ReadSources } from '../listings/provenance/data-source-store.ts';
import { findTimeZone, type ListingReads, type StoredListing } from '../listings/store.ts';
import type { MarketFigures } from '../market/figure.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import type { FreezeRequest, FrozenSearch } from './freeze-search.ts';
import type { NewCondition } from './market/condition.ts';
import { resolveMarketTarget } from './market-target.ts';
import type { SavedMatches } from './saved-matches.ts';
import type { TargetInput, Watcher } from './watcher.ts';
import type { WebhookParts } from './webhooks/register-webhooks.ts';

export interface WatcherOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly tiers: Tiers;
  readonly publicUrl: string;
  readonly catalogue: Pick<ListingReads, 'listing' | 'property'>;
  readonly searches: SavedSearches;
  readonly readSources: ReadSources;
  readonly figures: MarketFigures;
  /**
   * Records, in the transaction of the change, whether a grant without a key has watchers: it is then not unused. False: the
   * grant has ended.
   */
  readonly setGrantWatched: (tx: Transaction, grant: string, isWatched: boolean) => Promise<boolean>;
  readonly webhooks: WebhookParts;
  /** Called with errors that no client sees. */
  readonly report: (error: unknown) => void;
}

/** Searches that are kept: understood once, and read later. */
export interface SavedSearches extends SavedMatches {
  /** Understands a query. Throws the 400s of a search about members below `pointer`, and TIER_RESTRICTED. */
  freeze(request: FreezeRequest): Promise<FrozenSearch>;
}

/** A target as its watcher stores it. */
export type ResolvedTarget = Pick<Watcher, 'search' | 'interpretation' | 'initialMatchCount' | 'timeZone'> & {
  /** Of a market target: what is evaluated for it. */
  readonly condition: NewCondition | null;
};

/** Looks up what a target names. Throws INVALID_BODY for a listing or property that this caller cannot see. */
export async function resolveTarget(
  options: WatcherOptions,
  target: TargetInput,
  caller: Principal,
): Promise<ResolvedTarget> {
  if (target.type === 'search') {
    const { listingType, query } = target;
    const { freeze, count } = options.searches;
    const now = options.clock.now();
    const frozen = await freeze({ caller, listingType, query, pointer: '/target/query', now });
    return {
      ...frozen,
      condition: null,
      timeZone: await timeZoneOfAreas(options, frozen.search.areaNos),
      initialMatchCount: await nullIfUnavailable(count(frozen.search, caller.account, caller.reach)),
    };
  }
  if (target.type === 'market') {
    const resolved = await resolveMarketTarget(options.figures, target, caller, options.clock.now());
    const { timeZone } = resolved.interpretation;
    return { ...resolved, search: null, timeZone, initialMatchCount: null };
  }
  const listings = await findTargetListings(options, target, viewOf(options, caller));
  const [first] = listings;
  if (first === undefined) throw unknownTarget(target);
  const timeZone = await findTimeZone(options.database, first.id);
  return {
    search: null,
    interpretation: null,
    condition: null,
    timeZone,
    initialMatchCount: listings.length,
  };
}

/** That of the first area that has one, or whose ancestors have one. */
async function timeZoneOfAreas({ database }: WatcherOptions, areaNos: readonly number[]): Promise<string> {
  if (areaNos.length === 0) return DEFAULT_TIME_ZONE;
  const zones = await findTimeZones(database, areaNos);
  return areaNos.map((no) => zones.get(no)).find((zone) => zone !== undefined) ?? DEFAULT_TIME_ZONE;
}

export type RecordTarget = Extract<TargetInput, { readonly type: 'listing' | 'property' }>;

/** The listings that a listing or property target means, as far as this reader may see them. */
export async function findTargetListings(
  { catalogue }: WatcherOptions,
  target: RecordTarget,
  view: ReaderView,
): Promise<readonly StoredListing[]> {
  const listings = await storedListings(catalogue, target);
  return listings.filter((listing) => isVisible(listing, view));
}

/** The address of the home that a target names, as this caller may see it; null where there is none. */
export async function findTargetAddress(
  options: WatcherOptions,
  target: TargetInput,
  caller: Principal,
): Promise<string | null> {
  if (target.type !== 'listing' && target.type !== 'property') return null;
  const view = viewOf(options, caller);
  const [listing] = await findTargetListings(options, target, view);
  return listing === undefined ? null : (presentListing(listing, view)?.address.full ?? null);
}

async function storedListings(
  catalogue: WatcherOptions['catalogue'],
  target: RecordTarget,
): Promise<readonly StoredListing[]> {
  if (target.type === 'listing') {
    const listing = await catalogue.listing(target.listingId);
    return listing === null ? [] : [listing];
  }
  const property = await catalogue.property(target.propertyId);
  // The catalogue finds a property by the id of a listing too.
  return property === null || property.id !== target.propertyId ? [] : property.listings;
}

/** How the caller sees listings. */
export function viewOf({ clock, publicUrl }: WatcherOptions, caller: Principal): ReaderView {
  return buildReaderView(caller, {}, clock.now(), publicUrl);
}

function unknownTarget(target: RecordTarget): Problem {
  const remedy = 'search for it with GET /v1/search/sales or /v1/search/rentals';
  if (target.type === 'listing')
    return invalidMember(
      '/target/listingId',
      `names no listing that you can see; ${remedy}, which gives its \`id\``,
    );
  return invalidMember(
    '/target/propertyId',
    `names no property that you can see; ${remedy}, which gives its \`propertyId\``,
  );
}
