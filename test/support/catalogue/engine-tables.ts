// Tables of the engine made of random rows: some in the segment, some in the tail, some replaced or gone.

import fc from 'fast-check';
import type { SearchRow } from '../../../src/listings/search-row.ts';
import { ColumnBuffer } from '../../../src/search/engine/columns/column-buffer.ts';
import { createDictionaries, type Dictionaries } from '../../../src/search/engine/columns/dictionary.ts';
import { idOf } from '../../../src/search/engine/columns/ids.ts';
import type { Table } from '../../../src/search/engine/columns/segment.ts';
import { TailWords } from '../../../src/search/engine/columns/tail-words.ts';
import { hashWord } from '../../../src/search/engine/columns/word-hash.ts';
import { WordCollector } from '../../../src/search/engine/columns/word-index.ts';
import { mergeSegment } from '../../../src/search/engine/segments/build-segment.ts';
import { type IndexedRow, rowArbitrary } from './search-rows.ts';

const STATUSES = ['ACTIVE', 'ACTIVE_UNDER_CONTRACT', 'COMING_SOON'] as const;

/** A row with what becomes of it: where it stands, and whether it is gone. */
export interface Placed {
  readonly row: SearchRow;
  readonly tokens: readonly string[];
  readonly isInTail: boolean;
  readonly isGone: boolean;
}

/** Rows as ingest writes them: no text is empty. */
export const placedArbitrary: fc.Arbitrary<Placed> = fc
  .record({
    indexed: rowArbitrary,
    status: fc.constantFrom(...STATUSES),
    isInTail: fc.integer({ min: 0, max: 9 }).map((number) => number < 3),
    isGone: fc.integer({ min: 0, max: 9 }).map((number) => number < 2),
  })
  .map(({ indexed: { row, tokens }, status, ...place }) => ({
    ...place,
    row: { ...row, status, mls_number: row.mls_number || null },
    tokens,
  }));

export interface RandomTable {
  readonly table: Table;
  readonly dictionaries: Dictionaries;
  /** Those that are not gone, with their words. */
  readonly rows: readonly IndexedRow[];
}

/** A table of so many rows; ids are distinct and in no order. */
export const tableArbitrary = (size: number): fc.Arbitrary<RandomTable> =>
  fc
    .tuple(
      fc.array(placedArbitrary, { minLength: size, maxLength: size }),
      fc.uniqueArray(fc.stringMatching(/^[a-z0-9]{1,6}$/), { minLength: size, maxLength: size }),
    )
    .map(([placed, ids]) =>
      tableOf(placed.map((each, at) => ({ ...each, row: { ...each.row, id: ids[at] ?? '' } }))),
    );

/** A table of these rows, whose ids are distinct. */
export function tableOf(placed: readonly Placed[]): RandomTable {
  const dictionaries = createDictionaries();
  const [stored, tail] = [new ColumnBuffer(dictionaries), new ColumnBuffer(dictionaries)];
  const tailRemoved = new Uint32Array(Math.ceil(placed.length / 32));
  const gone = new Set(placed.flatMap(({ row, isGone }) => (isGone ? [row.id] : [])));
  const [storedWords, tailWords] = [new WordCollector(), new TailWords()];
  for (const { row, tokens, isInTail, isGone } of placed) {
    if (isInTail) {
      const at = tail.add(row, 1);
      tailWords.add(at, tokens.map(hashWord));
      if (isGone) setBit(tailRemoved, at);
    } else {
      stored.add(row, 1);
      storedWords.beginRow();
      for (const token of tokens) storedWords.addWord(hashWord(token));
    }
  }
  const base = mergeSegment(null, new Uint32Array(0), stored.columns(), new Uint32Array(0), (source) =>
    storedWords.build(source),
  );
  const baseRemoved = new Uint32Array(Math.ceil(base.rows / 32));
  for (let at = 0; at < base.rows; at++) if (gone.has(idOf(base, at))) setBit(baseRemoved, at);
  const rows = placed.filter(({ isGone }) => !isGone);
  return {
    table: { base, baseRemoved, tail: tail.columns(), tailRemoved, live: rows.length, tailWords },
    dictionaries,
    rows,
  };
}

const setBit = (bits: Uint32Array, at: number): void => {
  bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31));
};
