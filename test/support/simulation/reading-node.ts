// One process of a simulated world that reads: the caches of the service over a plain catalogue and a database that notifies it late, or never.

import { createFollower, type Follower } from '../../../src/changes/follower.ts';
import type { CachedReads } from '../../../src/listings/property-cache.ts';
import { createPropertyCache, LISTINGS_CHANNEL } from '../../../src/listings/property-cache.ts';
import type { StoredListing, StoredProperty } from '../../../src/listings/store.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { listen } from '../../../src/postgres/client/listen.ts';
import type { Generation } from '../../../src/search/engine/columns/segment.ts';
import { NO_ENGINE } from '../../../src/search/engine/lifecycle/search-engine.ts';
import { EncodedListing, RecordCache } from '../../../src/search/http/record-cache.ts';
import type { ResolvedSearch } from '../../../src/search/query/plan.ts';
import type { SearchBackend, SearchSessions } from '../../../src/search/query/search-backend.ts';
import { rememberAnswers } from '../../../src/search/sql/remembered-backend.ts';
import { createBackendSwitch } from '../../../src/search/switch/backend-switch.ts';
import type { ModelStatement, NotifyingDatabase, NotifyingLink } from './notifying-database.ts';
import type { World } from './world.ts';

/** What a transaction sends that changed a property: besides its id one that none has, by which the model tells changes apart. */
export const payloadOf = (property: number, sequence: number): string => `p${property},#${sequence}`;

const sequenceOf = (payload: string): number => Number(payload.split('#')[1]);

/** The catalogue as it is: how often each property was changed, and each change in order. */
export class CatalogueModel {
  readonly versions: number[];
  /** The change with sequence 1 is the first. */
  readonly changes: { readonly property: number; readonly version: number; readonly at: number }[] = [];

  constructor(properties: number) {
    this.versions = Array.from({ length: properties }, () => 1);
  }

  get sequence(): number {
    return this.changes.length;
  }

  versionOf(property: number): number {
    return this.versions[property] ?? 0;
  }

  change(property: number, at: number): void {
    const version = this.versionOf(property) + 1;
    this.versions[property] = version;
    this.changes.push({ property, version, at });
  }

  /** The sequence of the change that gave a property this version. */
  sequenceOf(property: number, version: number): number {
    return 1 + this.changes.findIndex((each) => each.property === property && each.version === version);
  }

  /** Rows of the statements by which processes follow the log of changes. */
  readonly execute = ({ text, values }: ModelStatement): readonly unknown[] => {
    if (text.includes('pg_current_snapshot')) return [{ sequence: this.sequence, snapshot: '' }];
    if (text.includes('retained_from')) return [{ sequence: 1 }];
    if (!text.includes('from change_batch as batch'))
      throw new Error(`The model knows no such statement: ${text}`);
    const [after = 0, limit = 0] = values.slice(-2).map(Number);
    return this.changes.slice(after, after + limit).map(({ property, at }, place) => ({
      sequence: after + place + 1,
      at: new Date(at).toISOString(),
      kind: 'updated',
      listingId: `l${property}`,
      propertyId: `p${property}`,
      loadedBy: null,
    }));
  };
}

/** A generation of the model: how often each property was changed up to its sequence. */
interface ModelGeneration {
  readonly sequence: number;
  readonly versions: readonly number[];
}

/** Statuses that decide which backend is asked. */
const ON_MARKET = { kind: 'statuses', statuses: ['ACTIVE'] } as const;
const CLOSED = { kind: 'statuses', statuses: ['CLOSED'] } as const;

const searchOf = (condition: typeof ON_MARKET | typeof CLOSED, which: number): ResolvedSearch =>
  ({
    plan: { listingType: 'sale', conditions: [condition, { kind: 'range', column: 'price', min: which }] },
    resolved: { areaNos: [], words: [] },
  }) as unknown as ResolvedSearch;

export class ReadingNode {
  readonly link: NotifyingLink;
  /** When it last was told that it may have missed something, by the world's time. */
  joinedAt = Number.NEGATIVE_INFINITY;
  /** Sequences of the changes of which it was notified. */
  readonly notified = new Set<number>();
  readonly #database: Database;
  readonly #catalogue: CatalogueModel;
  readonly #cache: CachedReads;
  readonly #sessions: SearchSessions;
  readonly #records: RecordCache;
  #generation: ModelGeneration;
  #follower: Follower<unknown>;

  constructor(world: World, model: NotifyingDatabase, catalogue: CatalogueModel, link: NotifyingLink) {
    const clock = world.clock(world.between(-30_000, 30_000), () => true);
    const report = (): void => {};
    this.link = link;
    this.#catalogue = catalogue;
    this.#database = model.reach(link, clock);
    const reads = {
      property: (id: string) => this.#read(() => this.#propertyOf(id)),
      listing: (id: string) => this.#read(() => this.#listingOf(id)),
    };
    this.#cache = createPropertyCache(reads, this.#database, report);
    this.#records = new RecordCache({ bytes: 1e6, monotonic: () => clock.monotonic() });
    this.#cache.onRemoved(() => this.#records.clear());
    // After those of the caches: what it notes was known to them.
    listen(
      this.#database,
      LISTINGS_CHANNEL,
      (payload) => this.notified.add(sequenceOf(payload)),
      () => {
        this.joinedAt = world.now;
      },
    );
    this.#generation = { sequence: 0, versions: [...catalogue.versions] };
    this.#follower = createFollower(this.#database, { from: 0, report, batchSize: 5, endsAtGap: true });
    const loadedAt = clock.monotonic();
    const lagMs = () => clock.monotonic() - (this.#follower.completeAt ?? loadedAt);
    this.#sessions = createBackendSwitch({
      sql: rememberAnswers(this.#sqlBackend(), {
        version: () => this.#cache.version(),
        monotonic: () => clock.monotonic(),
      }),
      engine: {
        generation: () => this.#generation as unknown as Generation,
        lagMs,
        status: () => ({ ...NO_ENGINE.status(), state: 'ready' }),
        catchUp: async () => true,
      },
      engineOver: (generation) => this.#engineBackend(generation as unknown as ModelGeneration),
      onAnswer: () => {},
    });
    void this.#follow();
  }

  /** The version of a property, or of its listing alone, as a request is shown it. */
  async property(which: number): Promise<number> {
    const property = await this.#cache.property(`p${which}`);
    return property?.listings[0]?.version ?? 0;
  }

  async listing(which: number): Promise<number> {
    return (await this.#cache.listing(`l${which}`))?.version ?? 0;
  }

  /** The sequence up to which an answer of PostgreSQL about all results knows changes. */
  async closed(which: number): Promise<number> {
    return this.#sessions.open({}).count(searchOf(CLOSED, which));
  }

  /** The same of an answer of the engine, and of how many milliseconds changes may be missing, as it says. */
  async onMarket(which: number): Promise<{ readonly sequence: number; readonly lagMs: number | null }> {
    const session = this.#sessions.open({});
    const sequence = await session.count(searchOf(ON_MARKET, which));
    return { sequence, lagMs: session.lagMs() };
  }

  /** Versions of all listings as a page of the engine shows them. */
  async page(): Promise<readonly number[]> {
    const known = (id: string, version: number) =>
      this.#records.find(Number(id.slice(1)), 'all', id, version);
    const { hits } = await this.#sessions.open({}).page(searchOf(ON_MARKET, 0), known);
    return hits.map(({ listing }) => {
      if (!(listing instanceof EncodedListing))
        this.#records.add(Number(listing.id.slice(1)), 'all', encoded(listing));
      return listing.version;
    });
  }

  /** The engine of the model has the version of each change that it reads. */
  async #follow(): Promise<void> {
    for await (const entries of this.#follower.entries(new AbortController().signal)) {
      const versions = [...this.#generation.versions];
      for (const { sequence } of entries) {
        const change = this.#catalogue.changes[sequence - 1];
        if (change !== undefined) versions[change.property] = change.version;
      }
      this.#generation = { sequence: entries.at(-1)?.sequence ?? this.#generation.sequence, versions };
    }
  }

  #read<T>(find: () => T): Promise<T> {
    return this.#database.read(async () => find(), { planned: 'once' });
  }

  #listingOf(id: string): StoredListing {
    const which = Number(id.slice(1));
    const version = this.#catalogue.versionOf(which);
    return { id: `l${which}`, propertyId: `p${which}`, version } as StoredListing;
  }

  #propertyOf(id: string): StoredProperty {
    return { id: `p${id.slice(1)}`, listings: [this.#listingOf(id)], history: [] };
  }

  #sqlBackend(): SearchBackend {
    return { count: () => this.#read(() => this.#catalogue.sequence) } as unknown as SearchBackend;
  }

  #engineBackend({ sequence, versions }: ModelGeneration): SearchBackend {
    return {
      count: async () => sequence,
      page: async (
        _search: ResolvedSearch,
        known?: (id: string, version: number) => EncodedListing | undefined,
      ) => {
        const found = versions.map((version, which) => known?.(`l${which}`, version));
        const isWhole = found.every((each) => each !== undefined);
        const read = isWhole
          ? []
          : await this.#read(() => versions.map((_, which) => this.#listingOf(`l${which}`)));
        const hits = found.map((listing, which) => ({ listing: listing ?? read[which], values: () => [] }));
        return { hits, more: false, total: null };
      },
    } as unknown as SearchBackend;
  }
}

const encoded = ({ id, version }: StoredListing): EncodedListing =>
  new EncodedListing(
    { id, version, location: {}, provider: { id: 'model' } } as unknown as ConstructorParameters<
      typeof EncodedListing
    >[0],
    '{}',
    { fields: null, moments: {} as never, readAt: 0 },
  );
