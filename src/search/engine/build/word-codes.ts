// Codes of words that come as bytes: a word is made a string only when it comes for the first time.

import type { Dictionary } from '../dictionary.ts';
import { GrowableArray } from '../shared-arrays.ts';

const FIRST_SLOTS = 256;
const FNV_OFFSET = 0x811c_9dc5;
const FNV_PRIME = 0x0100_0193;

/** The words of one dictionary by their bytes, in a hash table with open addressing. */
export class WordCodes {
  readonly #dictionary: Dictionary;
  /** By slot: the number of a word from 1 on; 0: free. Never more than half full. */
  #slots = new Uint32Array(FIRST_SLOTS);
  #words = 0;
  /** By number: the hash, the code, and where the bytes begin. */
  readonly #hashes = new GrowableArray(Uint32Array);
  readonly #codes = new GrowableArray(Uint32Array);
  readonly #starts = new GrowableArray(Uint32Array);
  readonly #bytes = new GrowableArray(Uint8Array);

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary;
    this.#hashes.push(0);
    this.#codes.push(0);
    this.#starts.push(0);
    this.#starts.push(0);
  }

  /** The code of the word of these bytes of UTF-8; a new one is added to the dictionary. */
  code(bytes: Uint8Array, start: number, end: number): number {
    let hash = FNV_OFFSET;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), FNV_PRIME);
    hash >>>= 0;
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let word = this.#slots[slot] ?? 0; word !== 0; word = this.#slots[slot] ?? 0) {
      if (this.#hashes.array[word] === hash && this.#isWord(word, bytes, start, end))
        return this.#codes.array[word] ?? 0;
      slot = (slot + 1) & mask;
    }
    return this.#add(hash, bytes.subarray(start, end));
  }

  #isWord(word: number, bytes: Uint8Array, start: number, end: number): boolean {
    const first = this.#starts.array[word] ?? 0;
    if ((this.#starts.array[word + 1] ?? 0) - first !== end - start) return false;
    const known = this.#bytes.array;
    for (let at = start; at < end; at++) if (bytes[at] !== known[first + at - start]) return false;
    return true;
  }

  #add(hash: number, bytes: Uint8Array): number {
    const code = this.#dictionary.code(Buffer.from(bytes).toString());
    this.#hashes.push(hash);
    this.#codes.push(code);
    this.#bytes.append(bytes);
    this.#starts.push(this.#bytes.length);
    this.#words++;
    if (2 * this.#words > this.#slots.length) this.#grow();
    else this.#place(this.#words, hash);
    return code;
  }

  #grow(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let word = 1; word <= this.#words; word++) this.#place(word, this.#hashes.array[word] ?? 0);
  }

  #place(word: number, hash: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = word;
  }
}
