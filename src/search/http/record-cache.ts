// Record cache: encoded listings by version and view, bounded by bytes, so that a page need not read their records.

import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { EncodedListing, encodeListing } from '../../listings/encoded-listing.ts';
import type { ReaderView } from '../../listings/presenter.ts';
import type { Fields } from '../../listings/sparse-fields.ts';
import type { StoredListing } from '../../listings/store.ts';

/** Milliseconds after which it is read again when a source last confirmed a listing: no version and no change tells. */
const CONFIRMATION_LIFETIME = 5_000;
/** Bytes of an entry besides its texts, as measured. */
const ENTRY_BYTES = 500;
/** Keys that were looked for in vain: several times as many as there are records in 16 MB. */
const MISSED = 20_000;

export interface RecordCacheOptions {
  /** The most that all entries may take; 0: nothing is kept. */
  readonly bytes: number;
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
}

/**
 * Keeps all records until there is no room for more, then those that are asked for twice: where most are asked for once,
 * each that is kept for them makes another one garbage, which only a long collection finds.
 */
export class RecordCache {
  readonly #records: LRUCache<string, EncodedListing> | null;
  readonly #missed = new LRUCache<string, true>({ max: MISSED });
  readonly #monotonic: () => number;
  #isFull = false;
  #hits = 0;
  #misses = 0;

  constructor({ bytes, monotonic }: RecordCacheOptions) {
    const sizeCalculation = (record: EncodedListing): number => record.bytes + ENTRY_BYTES;
    const dispose = (_record: EncodedListing, _key: string, reason: LRUCache.DisposeReason): void => {
      if (reason === 'evict') this.#isFull = true;
    };
    this.#records = bytes === 0 ? null : new LRUCache({ maxSize: bytes, sizeCalculation, dispose });
    this.#monotonic = monotonic;
  }

  status() {
    return { hits: this.#hits, misses: this.#misses, bytes: this.#records?.calculatedSize ?? 0 };
  }

  /** Forgets all records: versions may mean something else now. */
  clear(): void {
    this.#records?.clear();
    this.#isFull = false;
  }

  /** Records as one request sees them, made before it reads any; `isBypassed`: all of them are read. */
  view(reader: ReaderView, fields: Fields, isBypassed: boolean): RecordView {
    const selected = fields === null ? '' : hash('sha256', JSON.stringify(fields), 'base64url');
    const prefix = `${reader.units} ${reader.ignoreDisplayRules} ${selected} `;
    const isUsed = this.#records !== null && !isBypassed;
    return new RecordView(isUsed ? this : null, prefix, { reader, fields, begunAt: this.#monotonic() });
  }

  /** The record of this version. */
  find(key: string, version: number): EncodedListing | undefined {
    const record = this.#records?.get(key);
    const isFound = record?.version === version;
    if (isFound) this.#hits++;
    else this.#misses++;
    return isFound ? record : undefined;
  }

  /** Keeps a record, unless a newer version is there, or others are asked for more often. */
  add(key: string, record: EncodedListing): void {
    const present = this.#records?.peek(key);
    const isKept = present === undefined ? this.#isWorthKeeping(key) : present.version <= record.version;
    if (isKept) this.#records?.set(key, record);
  }

  #isWorthKeeping(key: string): boolean {
    if (!this.#isFull || this.#missed.delete(key)) return true;
    this.#missed.set(key, true);
    return false;
  }
}

interface Request {
  readonly reader: ReaderView;
  readonly fields: Fields;
  /** Monotonic milliseconds. */
  readonly begunAt: number;
}

export class RecordView {
  /** What need not be read; undefined: nothing is known. */
  readonly find: ((id: string, version: number) => EncodedListing | undefined) | undefined;
  readonly #cache: RecordCache | null;
  readonly #prefix: string;
  readonly #request: Request;
  /** What was looked for in vain: nothing else is kept, such as what PostgreSQL found. */
  readonly #missed = new Set<string>();

  constructor(cache: RecordCache | null, prefix: string, request: Request) {
    this.#cache = cache;
    this.#prefix = prefix;
    this.#request = request;
    if (cache === null) return;
    this.find = (id, version) => {
      const record = cache.find(prefix + id, version);
      if (record === undefined) this.#missed.add(id);
      return record;
    };
  }

  /** The record as this reader sees it; null where it is hidden. */
  encode(listing: StoredListing | EncodedListing): EncodedListing | null {
    if (listing instanceof EncodedListing) return listing;
    const { reader, fields, begunAt } = this.#request;
    const record = encodeListing(listing, reader, fields, begunAt);
    if (record !== null && this.#missed.has(record.id)) this.#cache?.add(this.#prefix + record.id, record);
    return record;
  }

  /** Reads again when sources confirmed those records of which that was read too long ago. */
  async confirm(
    listings: readonly (StoredListing | EncodedListing)[],
    read: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>,
  ): Promise<void> {
    const { begunAt } = this.#request;
    const due = listings
      .filter((each) => each instanceof EncodedListing)
      .filter((each) => each.isConfirmedBefore(begunAt - CONFIRMATION_LIFETIME));
    if (due.length === 0) return;
    const confirmed = await read(due.map(({ id }) => id));
    for (const record of due) record.confirm(confirmed.get(record.id), begunAt);
  }
}
