// Words of the rows of a tail, and their merge into the index of the next segment.

import { indexes, sortByNumbers } from './radix-sort.ts';
import { GrowableArray } from './shared-arrays.ts';
import { hashWord } from './word-hash.ts';
import { readRows, type WordIndex, WordIndexWriter } from './word-index.ts';

/** The rows that have each word, ascending. Rows are only ever added, so readers leave out those that they do not know yet. */
export class TailWords {
  readonly #rows = new Map<number, number[]>();
  /** The same by row, for merges. */
  readonly #offsets = new GrowableArray(Uint32Array);
  readonly #hashes = new GrowableArray(Float64Array);

  constructor() {
    this.#offsets.push(0);
  }

  /** The words of the next row. */
  add(row: number, words: Iterable<string>): void {
    for (const word of words) {
      const hash = hashWord(word);
      const rows = this.#rows.get(hash);
      if (rows?.at(-1) === row) continue;
      if (rows === undefined) this.#rows.set(hash, [row]);
      else rows.push(row);
      this.#hashes.push(hash);
    }
    this.#offsets.push(this.#hashes.length);
  }

  /** Sets bits of the marks of all rows that have a word; of rows beyond the marks none. */
  markRows(hash: number, bits: number, marks: Uint8Array): void {
    for (const row of this.#rows.get(hash) ?? []) {
      if (row >= marks.length) return;
      marks[row] = (marks[row] as number) | bits;
    }
  }

  /** The words by row, in memory that threads share: what comes later never changes it. */
  byRow(): RowWords {
    return { offsets: this.#offsets.array, hashes: this.#hashes.array };
  }
}

/** The hashes of the words of row r: from offsets[r] up to and without offsets[r + 1]. There may be more rows than are meant. */
export interface RowWords {
  readonly offsets: Uint32Array;
  readonly hashes: Float64Array;
}

/** The rows that have each word, of the rows below a bound. */
export function listWords(words: RowWords, rows: number): WordList {
  const count = words.offsets[rows] as number;
  const rowOf = new Uint32Array(count);
  for (let row = 0; row < rows; row++) rowOf.fill(row, words.offsets[row], words.offsets[row + 1]);
  const sorted = sortByNumbers(indexes(count), words.hashes);
  const [hashes, offsets]: [number[], number[]] = [[], []];
  const listed = new Uint32Array(count);
  for (let at = 0; at < count; at++) {
    const word = sorted[at] as number;
    const hash = words.hashes[word] as number;
    listed[at] = rowOf[word] as number;
    if (hash === hashes.at(-1)) continue;
    hashes.push(hash);
    offsets.push(at);
  }
  return { hashes: Float64Array.from(hashes), offsets: Uint32Array.from([...offsets, count]), rows: listed };
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
