// Owns the memory of properties that were read lately, kept true by notifications of what was written.

import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../lib/single-flight.ts';
import type { Database } from '../postgres/client/database.ts';
import { listen } from '../postgres/client/listen.ts';
import type { ListingReads } from './listing-reads.ts';
import type { Reads } from './reader.ts';
import type { StoredListing, StoredProperty } from './stored-listing.ts';

/** Every transaction that writes listings tells here which properties changed. */
export const LISTINGS_CHANNEL = 'listings';
/** Payload that speaks of every property. */
export const ALL_PROPERTIES = '*';

/** Milliseconds that a property is believed without a word: bounds what a notification that never came can cost. */
const LIFETIME = 5_000;
const MOST = 5_000;

/** What reads from memory; it may be a moment behind the catalogue, never more than five seconds. */
export interface Remembered extends Reads {
  /** Grows with every change that is heard of; null while none would be. */
  version(): number | null;
}

export interface Memory extends Remembered {
  /** Stops listening for changes. */
  close(): Promise<void>;
}

/** `report` is told of trouble with notifications, for the log. */
export function createMemory(
  listings: ListingReads,
  database: Database,
  report: (error: unknown) => void,
): Memory {
  const cache = new PropertyCache(listings.property, () => database.clock.monotonic());
  const onTrouble = (error: unknown): void => {
    cache.lost();
    report(error);
  };
  const onMessage = (payload: string): void => cache.changed(payload);
  const changes = listen(database, LISTINGS_CHANNEL, onMessage, () => cache.joined(), { onTrouble });
  return {
    property: (id) => cache.get(id),
    listing(id) {
      const property = cache.get(id);
      return property instanceof Promise
        ? property.then((read) => listingOf(read, id))
        : listingOf(property, id);
    },
    version: () => cache.version,
    close: () => changes.close(),
  };
}

function listingOf(property: StoredProperty | null, id: string): StoredListing | null {
  return property?.listings.find((listing) => listing.id === id) ?? null;
}

type ReadProperty = (id: string) => Promise<StoredProperty | null>;

/** Remembers while it is told of changes; otherwise every read goes to the database. */
export class PropertyCache {
  readonly #read: ReadProperty;
  readonly #flights = new SingleFlight<StoredProperty | null>();
  readonly #properties: LRUCache<string, StoredProperty>;
  /** A listing's property; may be out of date, so what it leads to is looked at again. */
  readonly #propertyOf = new LRUCache<string, string>({ max: 4 * MOST });
  #told = false;
  /** Grows with every change: what was read before it is not remembered. */
  #generation = 0;

  constructor(read: ReadProperty, monotonic: () => number) {
    this.#read = read;
    // The cache takes a start of 0 for no start at all.
    const perf = { now: () => monotonic() + 1 };
    this.#properties = new LRUCache({ max: MOST, ttl: LIFETIME, perf, ttlResolution: 0 });
  }

  get version(): number | null {
    return this.#told ? this.#generation : null;
  }

  /** The property with this id, or with a listing of this id. */
  get(id: string): StoredProperty | Promise<StoredProperty | null> {
    const known = this.#properties.get(this.#propertyOf.get(id) ?? id);
    if (known && (known.id === id || known.listings.some((listing) => listing.id === id))) return known;
    if (!this.#told) return this.#read(id);
    // Readers that come after a change must not join a read from before it.
    const generation = this.#generation;
    return this.#flights.run(`${generation} ${id}`, null, async () => {
      const property = await this.#read(id);
      if (property && this.#told && generation === this.#generation) this.#remember(property);
      return property;
    });
  }

  #remember(property: StoredProperty): void {
    this.#properties.set(property.id, property);
    for (const listing of property.listings) this.#propertyOf.set(listing.id, property.id);
  }

  /** A notification of changed properties. */
  changed(payload: string): void {
    this.#generation++;
    if (payload === ALL_PROPERTIES) this.#properties.clear();
    else for (const id of payload.split(',')) this.#properties.delete(id);
  }

  /** Notifications come, from now on; what was missed before is unknown. */
  joined(): void {
    this.changed(ALL_PROPERTIES);
    this.#told = true;
  }

  /** Notifications do not come for now. */
  lost(): void {
    this.#told = false;
    this.changed(ALL_PROPERTIES);
  }
}
