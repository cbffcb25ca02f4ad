// Targets of watchers: what a target names is looked up, and what matches it now is counted.

import type { Principal, Tiers } from '../access/tiers/tiers.ts';
import type { Clock } from '../lib/clock.ts';
import { nullIfUnavailable, type Problem } from '../lib/problem.ts';
import { buildReaderView, isVisible, type ReaderView } from '../listings/presenter.ts';
import type { ListingReads, StoredListing } from '../listings/store.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import type { FreezeRequest, FrozenSearch } from '../search/http/freeze-search.ts';
import type { SavedMatches } from '../search/http/saved-matches.ts';
import type { TargetInput, Watcher } from './watcher.ts';
import { invalidMember } from './watcher-body.ts';

export interface WatcherOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly tiers: Tiers;
  readonly publicUrl: string;
  readonly catalogue: Pick<ListingReads, 'listing' | 'property'>;
  readonly searches: SavedSearches;
  /**
   * Records, in the transaction of the change, whether a grant without a key has watchers: it is then not unused. False: the
   * grant has ended.
   */
  readonly setGrantWatched: (tx: Transaction, grant: string, isWatched: boolean) => Promise<boolean>;
  /** Called with errors that no client sees. */
  readonly report: (error: unknown) => void;
}

/** Searches that are kept: understood once, and read later. */
export interface SavedSearches extends SavedMatches {
  /** Understands a query. Throws the 400s of a search about members below `pointer`, and TIER_RESTRICTED. */
  freeze(request: FreezeRequest): Promise<FrozenSearch>;
}

/** A target as its watcher stores it. */
export type ResolvedTarget = Pick<Watcher, 'search' | 'interpretation' | 'initialMatchCount'>;

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
    return { ...frozen, initialMatchCount: await nullIfUnavailable(count(frozen.search)) };
  }
  const listings = await findTargetListings(options, target, viewOf(options, caller));
  if (listings.length === 0) throw unknownTarget(target);
  return { search: null, interpretation: null, initialMatchCount: listings.length };
}

type RecordTarget = Exclude<TargetInput, { readonly type: 'search' }>;

/** The listings that a listing or property target stands for, as far as this reader may see them. */
export async function findTargetListings(
  { catalogue }: WatcherOptions,
  target: RecordTarget,
  view: ReaderView,
): Promise<readonly StoredListing[]> {
  const listings = await storedListings(catalogue, target);
  return listings.filter((listing) => isVisible(listing, view));
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
