// Memory of the engine: what a market needs, and what a process may use.

import { totalmem } from 'node:os';
import { shareDictionaries } from '../columns/dictionary.ts';
import type { Generation } from '../columns/segment.ts';

/** Bytes of a listing in columns, orders, areas and words, as measured; docs/operations.md tells operators. */
export const BYTES_PER_ROW = 480;
/** While it is loaded: a segment is made beside the one that it replaces, of rows that grow by doubling. As measured. */
const SHARE_WHILE_BUILT = 3.5;
/** What else a process needs. As measured. */
const OTHER_BYTES = 300e6;

/** A process that may not use as much memory as the listings of the market need. */
export class TooLittleMemory extends Error {
  override readonly name = 'TooLittleMemory';
}

/** Bytes that a process needs to hold so many listings. */
export const neededMemory = (rows: number): number => OTHER_BYTES + rows * BYTES_PER_ROW * SHARE_WHILE_BUILT;

/** Bytes that this process may use: those of its container or, without one, of the machine. */
export function memoryLimit(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/**
 * Throws TooLittleMemory with what is needed and the remedy.
 * @param expected how many listings there are, if `rows` are only some of them
 */
export function requireMemory(rows: number, limit: number, expected = rows): void {
  if (neededMemory(rows) <= limit) return;
  const needed = megabytes(neededMemory(expected));
  throw new TooLittleMemory(
    `${expected} listings on the market need about ${needed} of memory to be searched in it, and this process may use ` +
      `${megabytes(limit)}: give it more, or set SEARCH_ENGINE=postgres. PostgreSQL answers all searches until then`,
  );
}

export const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;

/** Bytes of all arrays of a generation. */
export function bytesOf({ tables, dictionaries }: Generation): number {
  const { rental, sale } = tables;
  return sumBytes([
    tables,
    shareDictionaries(dictionaries),
    rental.tailWords.arrays(),
    sale.tailWords.arrays(),
  ]);
}

/** Bytes of all arrays in objects. */
export function sumBytes(value: unknown): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum, each) => sum + sumBytes(each), 0);
}
