// Generation writer: the log of changes applied to the listings of the engine, one generation after another.

import type { SearchRow } from '../../../listings/search-row.ts';
import { LISTING_TYPES, type ListingType } from '../../../listings/vocabulary.ts';
import { isIndexed } from '../columns/columns.ts';
import type { Dictionaries } from '../columns/dictionary.ts';
import type { Generation } from '../columns/segment.ts';
import type { Base } from '../segments/build-base.ts';
import { TableWriter } from './table-writer.ts';

/** A listing as a change leaves it. */
export interface RowChange {
  readonly sequence: number;
  readonly row: SearchRow;
  /** listing.version */
  readonly version: number;
  /** Hashes of the lexemes of listing_text.words that are indexed; of a listing that is not indexed, none. */
  readonly words: readonly number[];
}

/** The only writer of generations over a base. Those that were handed out never change. */
export class GenerationWriter {
  readonly #dictionaries: Dictionaries;
  readonly #writers: Readonly<Record<ListingType, TableWriter>>;
  #generation: Generation;

  constructor({ segments, dictionaries, sequence }: Base) {
    this.#dictionaries = dictionaries;
    this.#writers = {
      rental: new TableWriter(segments.rental, dictionaries),
      sale: new TableWriter(segments.sale, dictionaries),
    };
    this.#generation = this.#snapshot(sequence);
  }

  get generation(): Generation {
    return this.#generation;
  }

  /** Rows added since the base. */
  get tailRows(): number {
    return LISTING_TYPES.reduce((sum, type) => sum + this.#writers[type].tailRows, 0);
  }

  /** Applies changes in the order of their sequences; those that the base has already are passed over. */
  write(changes: readonly RowChange[]): void {
    for (const change of changes) if (change.sequence > this.#generation.sequence) this.#writeOne(change);
  }

  /**
   * The generation with all that was written.
   * @param sequence up to which the log was read: entries that are no changes of listings move it too
   */
  publish(sequence: number): Generation {
    this.#generation = this.#snapshot(sequence);
    return this.#generation;
  }

  #writeOne({ row, version, words }: RowChange): void {
    // It may have been of the other type.
    for (const type of LISTING_TYPES) this.#writers[type].remove(row.id);
    if (isIndexed(row.status)) this.#writers[row.listing_type].add(row, version, words);
  }

  #snapshot(sequence: number): Generation {
    const { rental, sale } = this.#writers;
    return {
      dictionaries: this.#dictionaries,
      tables: { rental: rental.table(), sale: sale.table() },
      sequence,
    };
  }
}
