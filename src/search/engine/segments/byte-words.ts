// Words as bytes, numbered in the order in which they come: hardly any of those that a load meets is new, and a word that is known
// is found without making it a string.

import { GrowableArray } from '../columns/shared-arrays.ts';

const FIRST_SLOTS = 256;
const FNV_OFFSET = 0x811c_9dc5;
const FNV_PRIME = 0x0100_0193;

/** A hash table with open addressing. */
export class ByteWords {
  /** By slot the hash, and the number of a word and 1; 0: free. Never more than half of them are taken. */
  #slots = new Uint32Array(2 * FIRST_SLOTS);
  /** By number where the bytes begin, with the end of the last. */
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
    const slots = this.#slots;
    const mask = slots.length / 2 - 1;
    let slot = hash & mask;
    for (let entry = slots[2 * slot + 1] ?? 0; entry !== 0; entry = slots[2 * slot + 1] ?? 0) {
      if (slots[2 * slot] === hash && this.#isWord(entry - 1, bytes, start, end)) return entry - 1;
      slot = (slot + 1) & mask;
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
    const number = this.#starts.length - 1;
    this.#bytes.append(bytes, start, end);
    this.#starts.push(this.#bytes.length);
    if (4 * (number + 1) > this.#slots.length) this.#grow();
    place(this.#slots, hash, number + 1);
    return number;
  }

  #grow(): void {
    const former = this.#slots;
    this.#slots = new Uint32Array(former.length * 2);
    for (let at = 0; at < former.length; at += 2)
      if (former[at + 1] !== 0) place(this.#slots, former[at] ?? 0, former[at + 1] ?? 0);
  }
}

function place(slots: Uint32Array, hash: number, entry: number): void {
  const mask = slots.length / 2 - 1;
  let slot = hash & mask;
  while (slots[2 * slot + 1] !== 0) slot = (slot + 1) & mask;
  slots[2 * slot] = hash;
  slots[2 * slot + 1] = entry;
}
