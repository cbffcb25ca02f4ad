// Words as bytes, numbered in the order in which they come: hardly any of those that a load meets is new, and a word that is known
// is found without making it a string.

import { GrowableArray } from '../shared-arrays.ts';

const FIRST_SLOTS = 256;
const FNV_OFFSET = 0x811c_9dc5;
const FNV_PRIME = 0x0100_0193;

/** A hash table with open addressing. */
export class ByteWords {
  /** By slot: the number of a word, and 1; 0: free. Never more than half of them are taken. */
  #slots = new Uint32Array(FIRST_SLOTS);
  /** By number: the hash, and where the bytes begin, with the end of the last. */
  readonly #hashes = new GrowableArray(Uint32Array);
  readonly #starts = new GrowableArray(Uint32Array);
  readonly #bytes = new GrowableArray(Uint8Array);

  constructor() {
    this.#starts.push(0);
  }

  /** The number of a word from 0 on; the number that comes next if the word is new. */
  numberOf(bytes: Uint8Array, start: number, end: number): number {
    let hash = FNV_OFFSET;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), FNV_PRIME);
    hash >>>= 0;
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const number = (this.#slots[slot] ?? 0) - 1;
      if (this.#hashes.array[number] === hash && this.#isWord(number, bytes, start, end)) return number;
    }
    return this.#add(hash, bytes, start, end);
  }

  #isWord(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    const first = this.#starts.array[number] ?? 0;
    if ((this.#starts.array[number + 1] ?? 0) - first !== end - start) return false;
    const known = this.#bytes.array;
    for (let at = start; at < end; at++) if (bytes[at] !== known[first + at - start]) return false;
    return true;
  }

  #add(hash: number, bytes: Uint8Array, start: number, end: number): number {
    const number = this.#hashes.length;
    this.#hashes.push(hash);
    this.#bytes.append(bytes, start, end);
    this.#starts.push(this.#bytes.length);
    if (2 * (number + 1) > this.#slots.length) this.#grow();
    else this.#place(number);
    return number;
  }

  #grow(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let number = 0; number < this.#hashes.length; number++) this.#place(number);
  }

  #place(number: number): void {
    const mask = this.#slots.length - 1;
    let slot = (this.#hashes.array[number] ?? 0) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = number + 1;
  }
}
