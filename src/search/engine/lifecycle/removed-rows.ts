// Removed rows: which rows of a part of a table are gone, for one writer and readers who never see a change.

import { isRemoved } from '../columns/segment.ts';

/** Rows that are gone, as bits; what was handed out is copied before it is written to. */
export class RemovedRows {
  #words: Uint32Array;
  #isShared = false;

  constructor(rows: number) {
    this.#words = new Uint32Array(Math.ceil(rows / 32));
  }

  has(row: number): boolean {
    return isRemoved(this.#words, row);
  }

  add(row: number): void {
    const word = row >>> 5;
    if (this.#isShared || word >= this.#words.length) this.#copy(Math.max(word + 1, this.#words.length));
    this.#words[word] = (this.#words[word] ?? 0) | (1 << (row & 31));
  }

  /** The bits, which never change from now on, with room for so many rows at least. */
  freeze(rows = 0): Uint32Array {
    const length = Math.ceil(rows / 32);
    if (this.#words.length < length) this.#copy(length);
    this.#isShared = true;
    return this.#words;
  }

  #copy(length: number): void {
    const words = new Uint32Array(length);
    words.set(this.#words);
    this.#words = words;
    this.#isShared = false;
  }
}
