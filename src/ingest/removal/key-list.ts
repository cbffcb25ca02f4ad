// Lists of the keys of a source's listings, so compact that those of millions fit in memory.

import { hash } from 'node:crypto';

/** Tables of their own by the first byte of a digest: one that grows holds up nobody. */
const TABLES = 256;
/** Slots of a table at first; a power of two, as after each growth. */
const FIRST_SLOTS = 8;
/** Of the slots, how many may be taken. */
const MAX_LOAD = 0.75;

/** Keys as 48 bits of a digest each, in 7 to 13 bytes: in a Set they take 50, and no Set has 17 million. */
export class KeyList {
  readonly #tables = Array.from({ length: TABLES }, () => new Table());
  #size = 0;

  /** Returns whether the key is new. */
  add(key: string): boolean {
    const digest = digestOf(key);
    const isNew = this.#tableOf(digest).add(digest.readUInt32BE(1), digest[5] ?? 0);
    if (isNew) this.#size++;
    return isNew;
  }

  has(key: string): boolean {
    const digest = digestOf(key);
    return this.#tableOf(digest).has(digest.readUInt32BE(1), digest[5] ?? 0);
  }

  get size(): number {
    return this.#size;
  }

  /** Bytes of memory that its tables take. */
  get bytes(): number {
    return this.#tables.reduce((sum, table) => sum + table.bytes, 0);
  }

  #tableOf(digest: Buffer): Table {
    const table = this.#tables[digest[0] ?? 0];
    if (table === undefined) throw new RangeError('A byte is below 256');
    return table;
  }
}

/** Hash table of 40 bits a slot, probed one slot after the other; a slot of zeros is free. */
class Table {
  #high = new Uint32Array(FIRST_SLOTS);
  #low = new Uint8Array(FIRST_SLOTS);
  #size = 0;

  /** Returns whether the digest is new. */
  add(high: number, low: number): boolean {
    const slot = this.#slotOf(high, low);
    if (!this.#isFree(slot)) return false;
    this.#put(slot, high, low);
    if (++this.#size > this.#high.length * MAX_LOAD) this.#grow();
    return true;
  }

  has(high: number, low: number): boolean {
    return !this.#isFree(this.#slotOf(high, low));
  }

  get bytes(): number {
    return this.#high.byteLength + this.#low.byteLength;
  }

  /** Where the digest is, or would be put. */
  #slotOf(high: number, low: number): number {
    const last = this.#high.length - 1;
    const wanted = stored(high, low);
    let slot = high & last;
    while (!this.#isFree(slot) && (this.#high[slot] !== wanted || this.#low[slot] !== low))
      slot = (slot + 1) & last;
    return slot;
  }

  #isFree(slot: number): boolean {
    return this.#high[slot] === 0 && this.#low[slot] === 0;
  }

  #put(slot: number, high: number, low: number): void {
    this.#high[slot] = stored(high, low);
    this.#low[slot] = low;
  }

  #grow(): void {
    const [high, low] = [this.#high, this.#low];
    this.#high = new Uint32Array(high.length * 2);
    this.#low = new Uint8Array(low.length * 2);
    for (let at = 0; at < high.length; at++) {
      const [oneHigh = 0, oneLow = 0] = [high[at], low[at]];
      if (oneHigh !== 0 || oneLow !== 0) this.#put(this.#slotOf(oneHigh, oneLow), oneHigh, oneLow);
    }
  }
}

/** A digest of zeros alone would be a free slot. */
const stored = (high: number, low: number): number => (high === 0 && low === 0 ? 1 : high);

const digestOf = (key: string): Buffer => hash('md5', key, 'buffer');
