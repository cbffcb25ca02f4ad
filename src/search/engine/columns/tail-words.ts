// Words of the rows of a tail, and their merge into the index of the next segment.

import { indexes, sortByNumbers } from './radix-sort.ts';
import { ChunkedArray, GrowableArray } from './shared-arrays.ts';
import { readRows, type WordIndex, WordIndexWriter } from './word-index.ts';

/** Chains in which words are looked up: in a tail of 20,000 rows thirty entries each, but for those of the commonest words. */
const CHAINS = 2 ** 16;
/** What a chain ends with, as does one without entries. */
const END = 0;

/**
 * The words of rows, to be looked up by word. Rows are only ever added, so readers leave out those that they do not know yet.
 * Arrays without objects: a list for each word was most of what a collection of garbage had to look at, and a map of them took
 * long to grow.
 */
export class TailWords {
  /** Of each chain the number of its newest entry, from 1 on. */
  readonly #newest = new Uint32Array(CHAINS);
  /** By entry: the word, its row, and the number of the entry before it in its chain. */
  readonly #hashes = new ChunkedArray(Float64Array);
  readonly #rows = new ChunkedArray(Uint32Array);
  readonly #previous = new ChunkedArray(Uint32Array);
  /** Entries are in the order of rows: where those of each begin. */
  readonly #offsets = new GrowableArray(Uint32Array);

  constructor() {
    this.#offsets.push(0);
  }

  /** The hashes of the words of the next row. */
  add(row: number, hashes: readonly number[]): void {
    for (const hash of hashes) this.#addWord(row, hash);
    this.#offsets.push(this.#hashes.length);
  }

  #addWord(row: number, hash: number): void {
    const chain = hash % CHAINS;
    const newest = this.#newest[chain] as number;
    for (let at = newest; at !== END && this.#rows.at(at - 1) === row; at = this.#previous.at(at - 1))
      if (this.#hashes.at(at - 1) === hash) return;
    this.#hashes.push(hash);
    this.#rows.push(row);
    this.#previous.push(newest);
    this.#newest[chain] = this.#hashes.length;
  }

  /** Sets bits of the marks of all rows that have a word; of rows beyond the marks none. Returns how many entries it looked at. */
  markRows(hash: number, bits: number, marks: Uint8Array): void {
    for (let at = this.#newest[hash % CHAINS] as number; at !== END; at = this.#previous.at(at - 1)) {
      const row = this.#rows.at(at - 1);
      if (row < marks.length && this.#hashes.at(at - 1) === hash) marks[row] = (marks[row] as number) | bits;
    }
  }

  /** All that it holds. */
  arrays(): readonly unknown[] {
    const entries = [this.#hashes, this.#rows, this.#previous].map((each) => each.chunks());
    return [this.#newest, this.#offsets.array, ...entries];
  }

  /** The words by row, in memory that threads share: what comes later never changes it. */
  byRow(): RowWords {
    return { offsets: this.#offsets.array, hashes: this.#hashes.chunks() };
  }
}

/**
 * The hashes of the words of row r: from offsets[r] up to and without offsets[r + 1], in chunks of one length. There may be more
 * rows than are meant.
 */
export interface RowWords {
  readonly offsets: Uint32Array;
  readonly hashes: readonly Float64Array[];
}

/** The rows that have each word, of the rows below a bound. */
export function listWords(words: RowWords, rows: number): WordList {
  const count = words.offsets[rows] as number;
  const all = joined(words.hashes, count);
  const rowOf = new Uint32Array(count);
  for (let row = 0; row < rows; row++) rowOf.fill(row, words.offsets[row], words.offsets[row + 1]);
  const sorted = sortByNumbers(indexes(count), all);
  const [hashes, offsets]: [number[], number[]] = [[], []];
  const listed = new Uint32Array(count);
  for (let at = 0; at < count; at++) {
    const word = sorted[at] as number;
    const hash = all[word] as number;
    listed[at] = rowOf[word] as number;
    if (hash === hashes.at(-1)) continue;
    hashes.push(hash);
    offsets.push(at);
  }
  return { hashes: Float64Array.from(hashes), offsets: Uint32Array.from([...offsets, count]), rows: listed };
}

/** The first values of all chunks. */
function joined(chunks: readonly Float64Array[], count: number): Float64Array {
  const all = new Float64Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let next = 0;
  for (const chunk of chunks) {
    all.set(chunk, next);
    next += chunk.length;
  }
  return all.subarray(0, count);
}

/** The rows of words: of word i from offsets[i] up to and without offsets[i + 1]. Hashes ascend. */
export interface WordList {
  readonly hashes: Float64Array;
  readonly offsets: Uint32Array;
  readonly rows: Uint32Array;
}

/**
 * The index of a merged segment. `source`: by new row the row of the former segment, or, from `baseRows` on, that of the tail;
 * rows of the former segment keep their order.
 */
export function mergeWords(
  base: WordIndex,
  tail: WordList,
  source: Uint32Array,
  baseRows: number,
): WordIndex {
  const { newOfBase, newOfTail } = newRows(source, baseRows);
  const writer = new WordIndexWriter();
  const rows = new Uint32Array(baseRows + tail.rows.length);
  const added = new Uint32Array(tail.rows.length);
  let [word, other] = [0, 0];
  while (word < base.hashes.length || other < tail.hashes.length) {
    const [own, next] = [
      base.hashes[word] ?? Number.POSITIVE_INFINITY,
      tail.hashes[other] ?? Number.POSITIVE_INFINITY,
    ];
    const hash = Math.min(own, next);
    let count = 0;
    if (own === hash) count = renumber(rows, readRows(base, word++, rows), newOfBase);
    if (next === hash) {
      const list = tail.rows.subarray(tail.offsets[other], tail.offsets[other + 1]);
      added.set(list);
      count = insert(rows, count, added, renumber(added, list.length, newOfTail));
      other++;
    }
    writer.add(hash, rows, count);
  }
  return writer.finish();
}

/** The new number of a row that is gone. */
const GONE = 0xffff_ffff;

function newRows(source: Uint32Array, baseRows: number) {
  let tailRows = 0;
  for (const row of source) tailRows = Math.max(tailRows, row - baseRows + 1);
  const newOfBase = new Uint32Array(baseRows).fill(GONE);
  const newOfTail = new Uint32Array(tailRows).fill(GONE);
  for (let row = 0; row < source.length; row++) {
    const from = source[row] as number;
    if (from < baseRows) newOfBase[from] = row;
    else newOfTail[from - baseRows] = row;
  }
  return { newOfBase, newOfTail };
}

/** Replaces the first `count` rows by their new numbers and leaves out those that are gone; returns how many are left. */
function renumber(rows: Uint32Array, count: number, numbers: Uint32Array): number {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = numbers[rows[at] as number] ?? GONE;
    if (row !== GONE) rows[kept++] = row;
  }
  return kept;
}

/** Inserts a few rows, which are in any order, among `count` ascending ones; returns how many there are. */
function insert(rows: Uint32Array, count: number, added: Uint32Array, addedCount: number): number {
  if (addedCount === 0) return count;
  rows.set(added.subarray(0, addedCount), count);
  rows.subarray(0, count + addedCount).sort();
  return count + addedCount;
}
