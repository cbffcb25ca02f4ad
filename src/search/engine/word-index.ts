// Word index of a segment: the rows that have each word, as bytes of differences between row numbers.

import { indexes, sortByNumbers } from './radix-sort.ts';
import { GrowableArray, sharedArray } from './shared-arrays.ts';

/** All arrays are shared between threads. */
export interface WordIndex {
  /** The hashes of all words, ascending. */
  readonly hashes: Float64Array;
  /** The rows of word i: from offsets[i] up to and without offsets[i + 1]. */
  readonly offsets: Uint32Array;
  /** Rows ascend; each is told by its difference to the one before in groups of 7 bits, the lowest first. */
  readonly bytes: Uint8Array;
}

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
    const trimmed = <A extends Float64Array | Uint32Array | Uint8Array>({
      array,
      length,
    }: GrowableArray<A>): A => array.slice(0, length) as A;
    return {
      hashes: shared(Float64Array, trimmed(this.#hashes)),
      offsets: shared(Uint32Array, trimmed(this.#offsets)),
      bytes: shared(Uint8Array, trimmed(this.#bytes)),
    };
  }
}

function shared<A extends Float64Array | Uint32Array | Uint8Array>(
  kind: { readonly BYTES_PER_ELEMENT: number; new (buffer: SharedArrayBuffer): A },
  values: A,
): A {
  const copy = sharedArray(kind, values.length);
  copy.set(values);
  return copy;
}

/** Collects the words of rows, which come in any order, and makes an index of them. */
export class WordCollector {
  readonly #numbers = new Map<number, number>();
  readonly #hashes = new GrowableArray(Float64Array);
  /** The rows in the order in which they came, and where the words of each begin. */
  readonly #rows = new GrowableArray(Uint32Array);
  readonly #starts = new GrowableArray(Uint32Array);
  readonly #words = new GrowableArray(Uint32Array);

  /** The words that follow are those of this row, which has had none yet. */
  beginRow(row: number): void {
    this.#rows.push(row);
    this.#starts.push(this.#words.length);
  }

  addWord(hash: number): void {
    let number = this.#numbers.get(hash);
    if (number === undefined) {
      number = this.#hashes.length;
      this.#hashes.push(hash);
      this.#numbers.set(hash, number);
    }
    this.#words.push(number);
  }

  build(): WordIndex {
    const { counts, rows } = this.#rowsByWord();
    const order = sortByNumbers(indexes(this.#hashes.length), this.#hashes.array);
    const writer = new WordIndexWriter();
    for (const word of order) {
      const [start, end] = [counts[word] as number, counts[word + 1] as number];
      writer.add(this.#hashes.array[word] as number, rows.subarray(start, end), end - start);
    }
    return writer.finish();
  }

  /** The rows of each word, ascending: of word i from counts[i] up to and without counts[i + 1]. */
  #rowsByWord(): { readonly counts: Uint32Array; readonly rows: Uint32Array } {
    const [words, starts] = [this.#words.array, this.#starts.array];
    const counts = new Uint32Array(this.#hashes.length + 2);
    for (let at = 0; at < this.#words.length; at++) {
      const word = (words[at] as number) + 2;
      counts[word] = (counts[word] as number) + 1;
    }
    for (let word = 2; word < counts.length; word++)
      counts[word] = (counts[word] as number) + (counts[word - 1] as number);
    const rows = new Uint32Array(this.#words.length);
    const byRow = sortByNumbers(
      indexes(this.#rows.length),
      Float64Array.from(this.#rows.array.subarray(0, this.#rows.length)),
    );
    for (const place of byRow) {
      const end = place + 1 < this.#starts.length ? (starts[place + 1] as number) : this.#words.length;
      for (let at = starts[place] as number; at < end; at++) {
        const word = (words[at] as number) + 1;
        const to = counts[word] as number;
        rows[to] = this.#rows.array[place] as number;
        counts[word] = to + 1;
      }
    }
    return { counts, rows };
  }
}

/** The place of a word in an index; -1: it is not in it. */
function findWord({ hashes }: WordIndex, hash: number): number {
  let [low, high] = [0, hashes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((hashes[middle] as number) < hash) low = middle + 1;
    else high = middle;
  }
  return hashes[low] === hash ? low : -1;
}

/** Sets bits of the marks of all rows that have a word. */
export function markRows(index: WordIndex, hash: number, bits: number, marks: Uint8Array): void {
  const word = findWord(index, hash);
  if (word < 0) return;
  const { bytes } = index;
  const end = index.offsets[word + 1] as number;
  let row = 0;
  let [difference, shift] = [0, 0];
  for (let at = index.offsets[word] as number; at < end; at++) {
    const byte = bytes[at] as number;
    difference |= (byte & 127) << shift;
    shift += 7;
    if (byte > 127) continue;
    row += difference;
    marks[row] = (marks[row] as number) | bits;
    difference = 0;
    shift = 0;
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
