// Record cache: listings encoded once for each version and view, bounded by bytes, so that a page need not read their records.

import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  isVisible,
  lastingMembers,
  type Moments,
  momentsOf,
  movingMembers,
  type ReaderView,
} from '../../listings/presenter.ts';
import type { Listing } from '../../listings/record.ts';
import { type Fields, selectFields } from '../../listings/sparse-fields.ts';
import type { StoredListing } from '../../listings/store.ts';

/** Milliseconds after which it is read again when a source last confirmed a listing: no version and no change tells. */
const CONFIRMATION_LIFETIME = 5_000;
/** Bytes of an entry besides its texts, as measured. */
const ENTRY_BYTES = 500;
/** How many numbers that were looked for in vain are kept, a power of two: several times as many as there are records in 16 MB. */
const MISSED = 2 ** 15;

export interface RecordCacheOptions {
  /** The most that all entries may take; 0: nothing is kept. */
  readonly bytes: number;
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
}

interface Entry {
  /** Which a number alone does not tell. */
  readonly view: string;
  readonly record: EncodedListing;
}

/**
 * Keeps all records until there is no room for more, then those that are asked for twice: where most are asked for once,
 * each that is kept for them makes another one garbage, which only a long collection finds. Keys are numbers, since V8 enters
 * each text that is looked up in a Map into a table of the whole process, which it cleans in long collections and grows in one step.
 */
export class RecordCache {
  readonly #records: LRUCache<number, Entry> | null;
  /** Each has one place here, and takes it from another one. */
  readonly #missed = new Int32Array(MISSED);
  readonly #monotonic: () => number;
  #isFull = false;
  #hits = 0;
  #misses = 0;

  constructor({ bytes, monotonic }: RecordCacheOptions) {
    const sizeCalculation = ({ record }: Entry): number => record.bytes + ENTRY_BYTES;
    const dispose = (_entry: Entry, _number: number, reason: LRUCache.DisposeReason): void => {
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
    const name = `${reader.units} ${reader.ignoreDisplayRules} ${reader.reach.key} ${selected}`;
    const isUsed = this.#records !== null && !isBypassed;
    return new RecordView(isUsed ? this : null, name, { reader, fields, begunAt: this.#monotonic() });
  }

  /** The record of this version, by the number of its view and id. */
  find(number: number, view: string, id: string, version: number): EncodedListing | undefined {
    const record = this.#entry(number, view, id)?.record;
    const isFound = record?.version === version;
    if (isFound) this.#hits++;
    else this.#misses++;
    return isFound ? record : undefined;
  }

  /** Keeps a record, unless a newer version is there, or others are asked for more often. */
  add(number: number, view: string, record: EncodedListing): void {
    const present = this.#entry(number, view, record.id)?.record;
    const isKept = present === undefined ? this.#isWorthKeeping(number) : present.version <= record.version;
    if (isKept) this.#records?.set(number, { view, record });
  }

  #entry(number: number, view: string, id: string): Entry | undefined {
    const entry = this.#records?.get(number);
    return entry?.record.id === id && entry.view === view ? entry : undefined;
  }

  #isWorthKeeping(number: number): boolean {
    if (!this.#isFull) return true;
    const place = number & (MISSED - 1);
    const isAskedAgain = this.#missed[place] === number;
    this.#missed[place] = number;
    return isAskedAgain;
  }
}

/** A whole number of 32 bits, the same for the same text and `from`. */
function numberOf(text: string, from: number): number {
  let number = from;
  for (let at = 0; at < text.length; at++) number = Math.imul(number ^ text.charCodeAt(at), 0x0100_0193);
  // The last characters, in which ids differ, reach all bits.
  number = Math.imul(number ^ (number >>> 15), 0x85eb_ca6b);
  return number ^ (number >>> 13);
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
  readonly #name: string;
  readonly #number: number;
  readonly #request: Request;
  /** Numbers of what was looked for in vain: nothing else is kept, such as what PostgreSQL found. */
  readonly #missed = new Set<number>();

  constructor(cache: RecordCache | null, name: string, request: Request) {
    this.#cache = cache;
    this.#name = name;
    this.#number = numberOf(name, 0);
    this.#request = request;
    if (cache === null) return;
    this.find = (id, version) => {
      const number = numberOf(id, this.#number);
      const record = cache.find(number, name, id, version);
      if (record === undefined) this.#missed.add(number);
      return record;
    };
  }

  /** The record as this reader sees it; null where it is hidden. */
  encode(listing: StoredListing | EncodedListing): EncodedListing | null {
    if (listing instanceof EncodedListing) return listing;
    const { reader, fields, begunAt } = this.#request;
    const record = encodeListing(listing, reader, fields, begunAt);
    if (record === null) return null;
    const number = numberOf(record.id, this.#number);
    if (this.#missed.has(number)) this.#cache?.add(number, this.#name, record);
    return record;
  }

  /** Reads again when sources confirmed those records of which that was read too long ago. */
  async confirm(
    listings: readonly (StoredListing | EncodedListing)[],
    read: (ids: readonly string[]) => Promise<readonly (string | undefined)[]>,
  ): Promise<void> {
    const { begunAt } = this.#request;
    const due = listings
      .filter((each) => each instanceof EncodedListing)
      .filter((each) => each.isConfirmedBefore(begunAt - CONFIRMATION_LIFETIME));
    if (due.length === 0) return;
    const confirmed = await read(due.map(({ id }) => id));
    for (const [place, record] of due.entries()) record.confirm(confirmed[place], begunAt);
  }
}

/**
 * The JSON of one version of a listing for one view, without its moving members, which it gets at any moment. Null where it is hidden from this reader.
 * @param readAt monotonic milliseconds when its reading began
 */
export function encodeListing(
  stored: StoredListing,
  view: ReaderView,
  fields: Fields,
  readAt: number,
): EncodedListing | null {
  if (!isVisible(stored, view)) return null;
  const lasting = lastingMembers(stored, view);
  const json = JSON.stringify(selectFields(lasting, fields));
  return new EncodedListing(lasting, json, { fields, moments: momentsOf(stored), readAt });
}

interface Moving {
  readonly fields: Fields;
  readonly moments: Moments;
  readonly readAt: number;
}

export class EncodedListing {
  readonly id: string;
  readonly source: string;
  readonly version: number;
  /** As this reader sees it, selected or not. */
  readonly location: Listing['location'];
  /** Without the brace at its end. */
  readonly #lasting: string;
  readonly #fields: Fields;
  #moments: Moments;
  #confirmedAt: number;

  constructor(
    { id, version, location, provider }: Pick<Listing, 'id' | 'version' | 'location' | 'provider'>,
    lasting: string,
    { fields, moments, readAt }: Moving,
  ) {
    this.id = id;
    this.source = provider.id;
    this.version = version;
    this.location = location;
    this.#lasting = lasting.slice(0, -1);
    this.#fields = fields;
    this.#moments = moments;
    this.#confirmedAt = readAt;
  }

  /** As of the moment of the view, whose units and rights are those that it was encoded for. Moving members stand last. */
  json(view: ReaderView): string {
    const moving = JSON.stringify(selectFields(movingMembers(this.#moments, view), this.#fields));
    return moving === '{}' ? `${this.#lasting}}` : `${this.#lasting},${moving.slice(1)}`;
  }

  /** Whether what it shows of when its source last confirmed it was read before this monotonic time. */
  isConfirmedBefore(at: number): boolean {
    return this.#confirmedAt < at;
  }

  /** Notes when its source last confirmed it, read at this monotonic time or later; undefined: as was known. */
  confirm(fetchedAt: string | undefined, at: number): void {
    if (at < this.#confirmedAt) return;
    if (fetchedAt !== undefined) this.#moments = { ...this.#moments, fetchedAt };
    this.#confirmedAt = at;
  }

  /** Bytes of its text in memory: one a character, or two if any is beyond Latin-1. */
  get bytes(): number {
    return (/[^\0-\xff]/.test(this.#lasting) ? 2 : 1) * this.#lasting.length;
  }
}
