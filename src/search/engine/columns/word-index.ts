// Word index of a segment: the rows that have each word, as bytes of differences between row numbers.

import { lowerBound } from '../../../lib/lower-bound.ts';
import { indexes, sortByNumbers } from './radix-sort.ts';
import { GrowableArray, sharedArray, sharedCopy } from './shared-arrays.ts';

/** All arrays are shared between threads. */
export interface WordIndex {
  /** The hashes of all words, ascending. */
  readonly hashes: Float64Array;
  /** The rows of word i: from offsets[i] up to and without offsets[i + 1]. */
  readonly offsets: Uint32Array;
  /** Rows ascend; each is written as its difference to the one before in groups of 7 bits, the lowest first. */
  readonly bytes: Uint8Array;
}

/** The index of a segment without words. */
export const NO_WORDS: WordIndex = {
  hashes: sharedArray(Float64Array, 0),
  offsets: sharedArray(Uint32Array, 1),
  bytes: sharedArray(Uint8Array, 0),
};

/** Writes one index, word by word. */
export class WordIndexWriter {
  readonly #hashes = new GrowableArray(Float64Array);
  readonly #offsets = new GrowableArray(Uint32Array);
  readonly #bytes = new GrowableArray(Uint8Array);

  /** The next word; hashes must ascend. Its first `count` rows, ascending; a word without rows is left out. */
  add(hash: number, rows: Uint32Array, count: number): void {
    if (count === 0) return;
    const bytes = this.#bytes;
    this.#hashes.push(hash);
    this.#offsets.push(bytes.length);
    let last = 0;
    for (let at = 0; at < count; at++) {
      const row = rows[at] as number;
      let difference = row - last;
      for (; difference > 127; difference >>>= 7) bytes.push((difference & 127) | 128);
      bytes.push(difference);
      last = row;
    }
  }

  finish(): WordIndex {
    this.#offsets.push(this.#bytes.length);
    return {
      hashes: sharedCopy(Float64Array, this.#hashes.array.subarray(0, this.#hashes.length)),
      offsets: sharedCopy(Uint32Array, this.#offsets.array.subarray(0, this.#offsets.length)),
      bytes: sharedCopy(Uint8Array, this.#bytes.array.subarray(0, this.#bytes.length)),
    };
  }
}

/** Collects the words of rows, one row after another, and makes an index of them. */
export class WordCollector {
  readonly #numbers = new Map<number, number>();
  readonly #hashes = new GrowableArray(Float64Array);
  /** The words of all rows, and where those of each begin. */
  readonly #words = new GrowableArray(Uint32Array);
  readonly #starts = new GrowableArray(Uint32Array);

  /** The words that follow are those of the next row. */
  beginRow(): void {
    this.#starts.push(this.#words.length);
  }

  /** A word by its hash. */
  addWord(hash: number): void {
    let number = this.#numbers.get(hash);
    if (number === undefined) {
      number = this.addToVocabulary(hash);
      this.#numbers.set(hash, number);
    }
    this.add(number);
  }

  /** A further word, for who tells words apart by something else than their hashes; returns its number. */
  addToVocabulary(hash: number): number {
    this.#hashes.push(hash);
    return this.#hashes.length - 1;
  }

  /** A word by its number. */
  add(number: number): void {
    this.#words.push(number);
  }

  /** The index of a segment; `source`: by row of the segment the row that was collected. */
  build(source: Uint32Array): WordIndex {
    this.beginRow();
    const { ends, rows } = this.#rowsByWord(source);
    const { array: hashes, length } = this.#hashes;
    const writer = new WordIndexWriter();
    const rowsOf = (word: number) => rows.subarray(ends[word - 1] ?? 0, ends[word]);
    const words = sortByNumbers(indexes(length), hashes);
    for (let at = 0; at < length; ) {
      const word = words[at++] as number;
      const hash = hashes[word] as number;
      let own = rowsOf(word);
      // Words that share a hash are one word, so that each of them finds all of its rows.
      for (; at < length && hashes[words[at] as number] === hash; at++)
        own = new Uint32Array(new Set([...own, ...rowsOf(words[at] as number)])).sort();
      writer.add(hash, own, own.length);
    }
    return writer.finish();
  }

  /** The rows of each word, ascending: those of word i end before ends[i], where those of the next begin. */
  #rowsByWord(source: Uint32Array): { readonly ends: Uint32Array; readonly rows: Uint32Array } {
    const [words, starts] = [this.#words.array, this.#starts.array];
    const ends = new Uint32Array(this.#hashes.length);
    for (const row of source) {
      for (let at = starts[row] as number; at < (starts[row + 1] as number); at++) {
        const word = words[at] as number;
        ends[word] = (ends[word] as number) + 1;
      }
    }
    let start = 0;
    for (let word = 0; word < ends.length; word++) {
      const count = ends[word] as number;
      ends[word] = start;
      start += count;
    }
    const rows = new Uint32Array(start);
    for (let row = 0; row < source.length; row++) {
      const from = source[row] as number;
      for (let at = starts[from] as number; at < (starts[from + 1] as number); at++) {
        const word = words[at] as number;
        const place = ends[word] as number;
        rows[place] = row;
        ends[word] = place + 1;
      }
    }
    return { ends, rows };
  }
}

/** Sets bits of the marks of all rows that have a word. */
export function markRows(index: WordIndex, hash: number, bits: number, marks: Uint8Array): void {
  const { hashes, offsets, bytes } = index;
  const word = lowerBound(hashes.length, (at) => (hashes[at] as number) < hash);
  if (hashes[word] !== hash) return;
  // Read as by `readRows`, without a list that would be garbage at once.
  const end = offsets[word + 1] as number;
  let [row, difference, shift] = [0, 0, 0];
  for (let at = offsets[word] as number; at < end; at++) {
    const byte = bytes[at] as number;
    difference |= (byte & 127) << shift;
    shift += 7;
    if (byte > 127) continue;
    row += difference;
    marks[row] = (marks[row] as number) | bits;
    [difference, shift] = [0, 0];
  }
}

/** Writes the rows of the word at a place of an index; returns how many. */
export function readRows({ offsets, bytes }: WordIndex, word: number, rows: Uint32Array): number {
  const end = offsets[word + 1] as number;
  let [count, row, difference, shift] = [0, 0, 0, 0];
  for (let at = offsets[word] as number; at < end; at++) {
    const byte = bytes[at] as number;
    difference |= (byte & 127) << shift;
    shift += 7;
    if (byte > 127) continue;
    row += difference;
    rows[count++] = row;
    difference = 0;
    shift = 0;
  }
  return count;
}
