// Segments of the engine: rows as typed arrays. Readers never see one change: whoever changes something makes another.

import type { ListingType } from '../../../listings/vocabulary.ts';
import type { ListColumn } from '../../query/condition.ts';
import type { CodeColumn, NumberColumn, OrderColumn, TextColumn } from './columns.ts';
import type { Dictionaries } from './dictionary.ts';
import type { TailWords } from './tail-words.ts';
import type { WordIndex } from './word-index.ts';

/** 32 bits where they hold every value of the column exactly; NaN: unknown. */
export type NumberArray = Float32Array | Float64Array;
export type CodeArray = Uint8Array | Uint16Array | Uint32Array;

/** The values of row r: from offsets[r] up to and without offsets[r + 1]. */
export interface Lists {
  readonly offsets: Uint32Array;
  readonly values: CodeArray;
}

/** As lists; each interval is two moments, from and to, in milliseconds, both included. */
export interface Intervals {
  readonly offsets: Uint32Array;
  readonly values: Float64Array;
}

/** The bytes of row r, as lists; a text that is unknown has none. */
export interface Texts {
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
}

/** Rows in any order. Arrays may be longer than `rows`. A column that is absent is unknown in every row. */
export interface Columns {
  readonly rows: number;
  readonly numbers: Readonly<Partial<Record<NumberColumn, NumberArray>>>;
  readonly codes: Readonly<Partial<Record<CodeColumn, CodeArray>>>;
  readonly flags: Uint16Array;
  readonly lists: Readonly<Record<ListColumn, Lists>>;
  readonly areaNos: Lists;
  readonly openHours: Intervals;
  readonly texts: Readonly<Record<TextColumn, Texts>>;
  /** listing.version */
  readonly versions: Uint32Array;
}

/** Rows of a block, by which zones are kept. */
export const BLOCK_BITS = 10;
export const BLOCK_ROWS = 2 ** BLOCK_BITS;

/** The lowest and highest known value of each block; NaN in a block without one. */
export interface Zones {
  readonly min: Float64Array;
  readonly max: Float64Array;
}

/** Rows in the order of a column, ascending, ties by id ascending: first those whose value is known, then the others by id. */
export interface Order {
  readonly rows: Uint32Array;
  /** How many have a known value. */
  readonly known: number;
}

/** The rows of each area, ascending: of the area nos[i] from offsets[i] up to and without offsets[i + 1]. `nos` ascend. */
export interface AreaRows {
  readonly nos: Uint32Array;
  readonly offsets: Uint32Array;
  readonly rows: Uint32Array;
}

/**
 * Rows in the order of places along a Hilbert curve, so that those of a block lie close together; what is active and displayed
 * stands first. All arrays are shared between threads.
 */
export interface Segment extends Columns {
  /** How many rows at the beginning are ACTIVE and displayed: nearly every search is for these alone. */
  readonly shown: number;
  readonly zones: Readonly<Partial<Record<NumberColumn, Zones>>>;
  readonly areas: AreaRows;
  readonly orders: Readonly<Partial<Record<OrderColumn, Order>>>;
  /** Rows by id, ascending by bytes; and the place of each row among them. */
  readonly byId: Uint32Array;
  readonly idRanks: Uint32Array;
  readonly words: WordIndex;
}

export const isSegment = (columns: Columns): columns is Segment => 'zones' in columns;

/** Whether a bit of a set of removed rows is set. */
export const isRemoved = (removed: Uint32Array, row: number): boolean =>
  (((removed[row >>> 5] ?? 0) >>> (row & 31)) & 1) === 1;

/** Listings of one type: a segment, a tail of newer rows, and which rows of both are gone or replaced by newer ones. */
export interface Table {
  readonly base: Segment;
  /** Bit r of word r >> 5: row r is gone. */
  readonly baseRemoved: Uint32Array;
  readonly tail: Columns;
  readonly tailRemoved: Uint32Array;
  /** Rows that are not gone. */
  readonly live: number;
  readonly tailWords: TailWords;
}

/** All listings as of a sequence of the log of changes. */
export interface Generation {
  /** Of all codes in the tables; later generations may add words to them. */
  readonly dictionaries: Dictionaries;
  readonly tables: Readonly<Record<ListingType, Table>>;
  readonly sequence: number;
}
