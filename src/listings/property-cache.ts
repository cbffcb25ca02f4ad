// Cache of properties and listings, invalidated by notifications of changes.

import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../lib/single-flight.ts';
import type { Database } from '../postgres/client/database.ts';
import { listen } from '../postgres/client/listen.ts';
import type { ListingReads, StoredListing, StoredProperty } from './store.ts';

/** Every transaction that writes listings notifies this channel of the changed properties. */
export const LISTINGS_CHANNEL = 'listings';
/** The payload that means every property. */
export const ALL_PROPERTIES = '*';
/** The payload that means every property, where listings were removed for good and versions may begin again. */
export const LISTINGS_REMOVED = '**';

/** Milliseconds that a record is cached: bounds how stale it can get if a notification is lost. */
const LIFETIME = 5_000;
const MAX_PROPERTIES = 5_000;

/** Reads that are at most five seconds behind the database. */
export interface CachedReads extends ListingReads {
  /** Increases with every notification of a change; null while notifications do not arrive. */
  version(): number | null;
  /** Calls back whenever listings may have been removed for good. */
  onRemoved(listener: () => void): void;
}

/** `report` logs errors of notifications. */
export function createPropertyCache(
  reads: ListingReads,
  database: Database,
  report: (error: unknown) => void,
): CachedReads & { close(): Promise<void> } {
  const cache = new PropertyCache(reads, () => database.clock.monotonic());
  const onError = (error: unknown): void => {
    cache.disconnected();
    report(error);
  };
  const onMessage = (payload: string): void => cache.changed(payload);
  const changes = listen(database, LISTINGS_CHANNEL, onMessage, () => cache.connected(), { onError });
  return Object.assign(cache, { close: () => changes.close() });
}

/** What is cached of one property: some of its listings, or all of it. */
interface CachedProperty {
  readonly whole: StoredProperty | null;
  readonly listings: Map<string, StoredListing>;
  /** When the first of it began to be read: its lifetime counts from there. */
  readonly readAt: number;
}

/** Caches while notifications arrive; otherwise every read goes to the database. */
export class PropertyCache implements CachedReads {
  readonly #reads: ListingReads;
  readonly #propertyFlights = new SingleFlight<StoredProperty | null>();
  readonly #listingFlights = new SingleFlight<StoredListing | null>();
  readonly #properties: LRUCache<string, CachedProperty>;
  /** The property of each listing. May be out of date, so reads check what they find through it. */
  readonly #propertyOf = new LRUCache<string, string>({ max: 4 * MAX_PROPERTIES });
  readonly #removalListeners: (() => void)[] = [];
  readonly #now: () => number;
  #connected = false;
  #version = 0;

  constructor(reads: ListingReads, monotonic: () => number) {
    this.#reads = reads;
    // lru-cache takes a start of 0 for none.
    this.#now = () => monotonic() + 1;
    const perf = { now: this.#now };
    this.#properties = new LRUCache({ max: MAX_PROPERTIES, ttl: LIFETIME, perf, ttlResolution: 0 });
  }

  version(): number | null {
    return this.#connected ? this.#version : null;
  }

  onRemoved(listener: () => void): void {
    this.#removalListeners.push(listener);
  }

  /** The property with this id, or with a listing of this id. */
  async property(id: string): Promise<StoredProperty | null> {
    const whole = this.#find(id)?.whole;
    if (whole && (whole.id === id || whole.listings.some((listing) => listing.id === id))) return whole;
    return this.#read(this.#propertyFlights, id, this.#reads.property, (property, at) =>
      this.#add(property, at),
    );
  }

  /** The listing with this id, without the rest of its property. */
  async listing(id: string): Promise<StoredListing | null> {
    const listing = this.#find(id)?.listings.get(id);
    if (listing) return listing;
    return this.#read(this.#listingFlights, id, this.#reads.listing, (each, at) =>
      this.#addListing(each, at),
    );
  }

  #find(id: string): CachedProperty | undefined {
    return this.#properties.get(this.#propertyOf.get(id) ?? id);
  }

  /** Readers that come after a change do not share a read from before it, whose result is not cached. */
  async #read<T>(
    flights: SingleFlight<T | null>,
    id: string,
    find: (id: string) => Promise<T | null>,
    add: (record: T, readAt: number) => void,
  ): Promise<T | null> {
    if (!this.#connected) return find(id);
    const version = this.#version;
    return flights.run(`${version} ${id}`, null, async () => {
      // Counted from here, a slow read is not older than promised by the time it took.
      const readAt = this.#now();
      const record = await find(id);
      if (record !== null && this.#connected && version === this.#version) add(record, readAt);
      return record;
    });
  }

  #add(property: StoredProperty, readAt: number): void {
    const listings = new Map(property.listings.map((listing) => [listing.id, listing]));
    this.#set(property.id, { whole: property, listings, readAt });
    for (const id of listings.keys()) this.#propertyOf.set(id, property.id);
  }

  /** Adds the listing to its cached property without extending that one's lifetime, unless what is cached was read later. */
  #addListing(listing: StoredListing, readAt: number): void {
    const { id, propertyId } = listing;
    const cached = this.#properties.get(propertyId);
    if (cached === undefined)
      this.#set(propertyId, { whole: null, listings: new Map([[id, listing]]), readAt });
    else if (readAt >= cached.readAt) cached.listings.set(id, listing);
    this.#propertyOf.set(id, propertyId);
  }

  #set(id: string, cached: CachedProperty): void {
    this.#properties.set(id, cached, { start: cached.readAt });
  }

  /** A notification of changed properties. */
  changed(payload: string): void {
    this.#version++;
    if (payload === LISTINGS_REMOVED) for (const listener of this.#removalListeners) listener();
    if (payload === ALL_PROPERTIES || payload === LISTINGS_REMOVED) this.#properties.clear();
    else for (const id of payload.split(',')) this.#properties.delete(id);
  }

  /** Notifications arrive from now on; earlier ones may have been missed. */
  connected(): void {
    this.changed(LISTINGS_REMOVED);
    this.#connected = true;
  }

  /** Notifications do not arrive for now. */
  disconnected(): void {
    this.#connected = false;
    this.changed(ALL_PROPERTIES);
  }
}

/** The reads for a request: cached, or from the database if the client sends no-cache (RFC 9111, 5.2.1.4). */
export function readsFor(
  headers: IncomingHttpHeaders,
  { catalogue, cache }: { readonly catalogue: ListingReads; readonly cache: ListingReads },
): ListingReads {
  return bypassesCache(headers) ? catalogue : cache;
}

/** Whether the request sends Cache-Control: no-cache. */
export function bypassesCache(headers: IncomingHttpHeaders): boolean {
  return headers['cache-control']?.includes('no-cache') === true;
}
