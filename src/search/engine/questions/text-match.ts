// Text search over the word index: which rows have all searched words, and how relevant each is.

import type { Steps } from '../../../lib/scheduler.ts';
import { FIELD_LETTERS } from '../../../text/tokenize.ts';
import type { TextCondition } from '../../query/condition.ts';
import { TEXT_FIELDS, type TextField } from '../../query/filter-parameters.ts';
import type { WordMeaning } from '../../query/plan.ts';
import { rowsOfArea } from '../columns/area-rows.ts';
import type { Columns, Lists, Table } from '../columns/segment.ts';
import { hashWord } from '../columns/word-hash.ts';
import { markRows } from '../columns/word-index.ts';

/** The rows of one part of a table that have all words of a text. */
export interface TextMatch {
  /** Ascending. */
  readonly rows: Uint32Array;
  /** By row: for each word the worth of the best field that it is in, added up; 0 for rows that lack one. */
  readonly relevance: Uint8Array;
}

/** What of a listing has a word, as bits; they are also what a word is worth there. */
const FIELD_BITS: Readonly<Record<TextField, number>> = { id: 8, address: 4, area: 2, description: 1 };
/** The word without a letter: in the address, in names of places, or in the description alone. */
const PLAIN = 16;
/** In what `readingsOf` tells: the word is found. */
const FOUND = 16;

/** Rows of one step. */
const STEP = 65_536;

/** Finds the rows. */
export function* matchText(
  { words, fields }: TextCondition,
  meanings: ReadonlyMap<string, WordMeaning>,
  table: Table,
  columns: Columns,
): Steps<TextMatch> {
  // A dozen words are worth less than a byte holds.
  const relevance = new Uint8Array(columns.rows);
  const found = scratchOf(columns.rows);
  const marks = scratchOf(columns.rows);
  const readings = readingsOf(fields);
  const asked = fields.reduce((bits, field) => bits | FIELD_BITS[field], 0);
  let rows: Uint32Array | null = null;
  for (const word of words) {
    const { spellings, areaNos } = meanings.get(word) ?? { spellings: [word], areaNos: [] };
    found.fill(0);
    for (const spelling of spellings)
      yield* markSpelling(spelling, readings, table, columns, { found, marks });
    if (fields.includes('area')) yield* markAreas(areaNos, table, columns, found);
    const left: Uint32Array =
      rows === null ? yield* rowsFound(found) : yield* narrowFound(rows, found, relevance);
    yield* inSteps(left.length, (from, end) => {
      for (let at = from; at < end; at++) {
        const row = left[at] as number;
        relevance[row] = (relevance[row] as number) + highestBit((found[row] as number) & asked);
      }
    });
    rows = left;
  }
  giveBack(found, marks);
  return { rows: rows ?? new Uint32Array(0), relevance };
}

/** Bytes for the rows of a market, to be used again: new ones for each search would be most of what is collected as garbage. */
const SCRATCH: Uint8Array[] = [];
/** More are left to be collected. */
const MAX_SCRATCH = 4;

function scratchOf(rows: number): Uint8Array {
  const known = SCRATCH.pop();
  return known !== undefined && known.length >= rows ? known.subarray(0, rows) : new Uint8Array(rows);
}

function giveBack(...used: readonly Uint8Array[]): void {
  for (const each of used) if (SCRATCH.length < MAX_SCRATCH) SCRATCH.push(new Uint8Array(each.buffer));
}

/** By the marks of a row for one spelling: the fields that have it, and FOUND if one of them is asked for. */
function readingsOf(fields: readonly TextField[]): Uint8Array {
  const isWhole = TEXT_FIELDS.every((field) => fields.includes(field));
  const asked = fields.reduce((bits, field) => bits | FIELD_BITS[field], 0);
  return Uint8Array.from({ length: 2 * PLAIN }, (_, marks) => {
    const isElsewhere = (marks & (FIELD_BITS.address | FIELD_BITS.area)) !== 0;
    const inText = (marks & PLAIN) !== 0 && !isElsewhere ? FIELD_BITS.description : 0;
    const within = (marks & (PLAIN - 1)) | inText;
    const isFound = isWhole ? (marks & (PLAIN | FIELD_BITS.id)) !== 0 : (within & asked) !== 0;
    return within | (isFound ? FOUND : 0);
  });
}

function* markSpelling(
  spelling: string,
  readings: Uint8Array,
  table: Table,
  columns: Columns,
  { found, marks }: { readonly found: Uint8Array; readonly marks: Uint8Array },
): Steps<void> {
  marks.fill(0);
  mark(table, columns, hashWord(spelling), PLAIN, marks);
  yield;
  for (const field of TEXT_FIELDS) {
    mark(table, columns, hashWord(`${FIELD_LETTERS[field]}${spelling}`), FIELD_BITS[field], marks);
    yield;
  }
  yield* inSteps(marks.length, (from, end) => {
    for (let row = from; row < end; row++) {
      const own = marks[row] as number;
      if (own !== 0) found[row] = (found[row] as number) | (readings[own] as number);
    }
  });
}

/** A pass over rows. */
function* inSteps(count: number, pass: (from: number, end: number) => void): Steps<void> {
  for (let from = 0; from < count; from += STEP) {
    const end = Math.min(from + STEP, count);
    pass(from, end);
    yield;
  }
}

function mark(
  { base, tailWords }: Table,
  columns: Columns,
  hash: number,
  bits: number,
  marks: Uint8Array,
): void {
  if (columns === base) markRows(base.words, hash, bits, marks);
  else tailWords.markRows(hash, bits, marks);
}

/** A listing in an area of that name has the word, too. */
function* markAreas(
  nos: readonly number[],
  { base }: Table,
  columns: Columns,
  found: Uint8Array,
): Steps<void> {
  const bits = FIELD_BITS.area | FOUND;
  if (columns !== base) return yield* markListed(new Set(nos), columns.areaNos, bits, found);
  for (const no of nos) {
    const rows = rowsOfArea(base.areas, no);
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] as number;
      found[row] = (found[row] as number) | bits;
    }
    yield;
  }
}

/** Rows of one step where each has a list. */
const LISTS = 1_024;

/** Sets bits of the rows that have one of the values in their lists. */
function* markListed(
  wanted: ReadonlySet<number>,
  { offsets, values }: Lists,
  bits: number,
  found: Uint8Array,
): Steps<void> {
  if (wanted.size === 0) return;
  for (let row = 0; row < found.length; row++) {
    if (row % LISTS === LISTS - 1) yield;
    const end = offsets[row + 1] as number;
    for (let at = offsets[row] as number; at < end; at++)
      if (wanted.has(values[at] as number)) found[row] = (found[row] as number) | bits;
  }
}

function* rowsFound(found: Uint8Array): Steps<Uint32Array> {
  let count = 0;
  yield* inSteps(found.length, (from, end) => {
    for (let row = from; row < end; row++) count += (found[row] as number) >>> 4;
  });
  const rows = new Uint32Array(count);
  let next = 0;
  yield* inSteps(found.length, (from, end) => {
    for (let row = from; row < end; row++) if ((found[row] as number) >= FOUND) rows[next++] = row;
  });
  return rows;
}

/** Those of the rows that were found again; the others are worth nothing from now on. */
function* narrowFound(rows: Uint32Array, found: Uint8Array, relevance: Uint8Array): Steps<Uint32Array> {
  let kept = 0;
  yield* inSteps(rows.length, (from, end) => {
    for (let at = from; at < end; at++) {
      const row = rows[at] as number;
      rows[kept] = row;
      if ((found[row] as number) >= FOUND) kept++;
      else relevance[row] = 0;
    }
  });
  return rows.subarray(0, kept);
}

const highestBit = (bits: number): number => (bits === 0 ? 0 : 1 << (31 - Math.clz32(bits)));
