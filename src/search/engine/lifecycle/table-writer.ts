// Table writer: changes of listings applied to a table. Tables that were handed out never change.

import type { SearchRow } from '../../../listings/search-row.ts';
import { ColumnBuffer } from '../columns/column-buffer.ts';
import type { Dictionaries } from '../columns/dictionary.ts';
import { findRowById } from '../columns/ids.ts';
import type { Segment, Table } from '../columns/segment.ts';
import { TailWords } from '../columns/tail-words.ts';
import { RemovedRows } from './removed-rows.ts';

/** The only writer of the listings of one type, over a segment that it begins with. */
export class TableWriter {
  readonly #base: Segment;
  readonly #baseRemoved: RemovedRows;
  readonly #tail: ColumnBuffer;
  readonly #tailRemoved = new RemovedRows(0);
  readonly #tailWords = new TailWords();
  /** Rows of the tail that are not gone, by id. */
  readonly #tailRows = new Map<string, number>();
  #live: number;
  #table: Table | null = null;

  /** Words of rows are added to the dictionaries, which are those of the segment. */
  constructor(base: Segment, dictionaries: Dictionaries) {
    this.#base = base;
    this.#baseRemoved = new RemovedRows(base.rows);
    this.#tail = new ColumnBuffer(dictionaries);
    this.#live = base.rows;
  }

  /** Rows that were added since, those that are gone again included. */
  get tailRows(): number {
    return this.#tail.rows;
  }

  /** Appends a listing that is not in the table; its row says which it is. `words`: hashes of those of listing_text that are indexed. */
  add(row: SearchRow, version: number, words: readonly number[]): void {
    const place = this.#tail.add(row, version);
    this.#tailWords.add(place, words);
    this.#tailRows.set(row.id, place);
    this.#live++;
    this.#table = null;
  }

  /** Takes a listing away, if it is in the table. */
  remove(id: string): void {
    const tailRow = this.#tailRows.get(id);
    if (tailRow !== undefined) {
      this.#tailRows.delete(id);
      this.#tailRemoved.add(tailRow);
    } else {
      const row = findRowById(this.#base, id);
      if (row === null || this.#baseRemoved.has(row)) return;
      this.#baseRemoved.add(row);
    }
    this.#live--;
    this.#table = null;
  }

  /** The table as it stands: the same one until something changes. */
  table(): Table {
    this.#table ??= {
      base: this.#base,
      baseRemoved: this.#baseRemoved.freeze(),
      tail: this.#tail.columns(),
      tailRemoved: this.#tailRemoved.freeze(this.#tail.rows),
      live: this.#live,
      tailWords: this.#tailWords,
    };
    return this.#table;
  }
}
