// Fact writer: what was loaded, and the changes since: listings appended with their periods and events, and others taken away.

import { lowerBound } from '../../lib/lower-bound.ts';
import { LISTING_TYPES, type ListingType } from '../../listings/vocabulary.ts';
import {
  copyDictionaries,
  type Dictionaries,
  type SharedDictionaries,
} from '../../search/engine/columns/dictionary.ts';
import { compareId, idBytes, idOf } from '../../search/engine/columns/ids.ts';
import { RemovedRows } from '../../search/engine/lifecycle/removed-rows.ts';
import { FactAppender } from './fact-appender.ts';
import type { FactColumns, FactPart, FactTable } from './fact-columns.ts';
import type { Place } from './growing-table.ts';

/** The facts of all listings as of a sequence of the log of changes. */
export interface Facts {
  readonly dictionaries: Dictionaries;
  readonly tables: Readonly<Record<ListingType, FactTable>>;
  readonly sequence: number;
}

/** What a load gives, in memory that threads share: in each part, and from part to part, in the order of ids. */
export interface LoadedFacts {
  readonly parts: Readonly<Record<ListingType, readonly FactColumns[]>>;
  readonly dictionaries: SharedDictionaries;
  readonly sequence: number;
}

interface LoadedPart {
  readonly facts: FactColumns;
  readonly removed: RemovedRows;
}

/** The only writer of facts. What it has handed out never changes. */
export class FactWriter {
  /** Takes the listings of a batch, with their facts; then either `replace` or `discard` ends it. */
  readonly appender: FactAppender;
  readonly #dictionaries: Dictionaries;
  readonly #loaded: Readonly<Record<ListingType, readonly LoadedPart[]>>;
  /** Rows that were appended since, by id. */
  readonly #appended = new Map<string, Place>();
  #gone = 0;

  /** One over what was loaded, whose dictionaries are copied in turns of the event loop. */
  static async of({ parts, dictionaries }: Pick<LoadedFacts, 'parts' | 'dictionaries'>): Promise<FactWriter> {
    return new FactWriter(parts, await copyDictionaries(dictionaries));
  }

  private constructor(parts: LoadedFacts['parts'], dictionaries: Dictionaries) {
    this.#dictionaries = dictionaries;
    this.appender = new FactAppender(this.#dictionaries);
    const removable = (facts: FactColumns): LoadedPart => ({
      facts,
      removed: new RemovedRows(facts.columns.rows),
    });
    this.#loaded = { rental: parts.rental.map(removable), sale: parts.sale.map(removable) };
  }

  /** Rows of both tables, and those of them that are gone. */
  get rows(): { readonly all: number; readonly gone: number } {
    const rowsOf = (type: ListingType): number =>
      this.#loaded[type].reduce((sum, { facts }) => sum + facts.columns.rows, 0) +
      this.appender.tables[type].rows;
    return { all: rowsOf('rental') + rowsOf('sale'), gone: this.#gone };
  }

  /** The batch is complete: it takes the place of what these listings, and its own, were before. */
  replace(ids: Iterable<string>): void {
    const added = new Map<string, Place>();
    for (const place of this.#batch()) added.set(idOf(place.part.columns(), place.row), place);
    for (const id of new Set([...ids, ...added.keys()])) this.#remove(id);
    for (const [id, place] of added) this.#appended.set(id, place);
    this.appender.endBatch();
  }

  /** The batch has failed. */
  discard(): void {
    for (const { part, row } of this.#batch()) this.#removeRow(part.removed, row);
    this.appender.endBatch();
  }

  *#batch(): Generator<Place> {
    for (const cursor of this.appender.batch())
      for (let place = cursor.place; place !== null; place = cursor.advance()) yield place;
  }

  #remove(id: string): void {
    const place = this.#appended.get(id);
    this.#appended.delete(id);
    if (place !== undefined) {
      this.#removeRow(place.part.removed, place.row);
      return;
    }
    const bytes = idBytes(id);
    for (const { facts, removed } of LISTING_TYPES.flatMap((type) => this.#loaded[type])) {
      const { columns } = facts;
      const row = lowerBound(columns.rows, (at) => compareId(columns, at, bytes) < 0);
      if (row < columns.rows && compareId(columns, row, bytes) === 0) this.#removeRow(removed, row);
    }
  }

  #removeRow(removed: RemovedRows, row: number): void {
    if (removed.has(row)) return;
    removed.add(row);
    this.#gone++;
  }

  facts(sequence: number): Facts {
    const tableOf = (type: ListingType): FactPart[] => [
      ...this.#loaded[type].map(({ facts, removed }) => ({ ...facts, removed: removed.freeze() })),
      ...this.appender.tables[type].parts.map((part) => ({
        ...part.current(),
        removed: part.removed.freeze(part.rows),
      })),
    ];
    const tables = { rental: tableOf('rental'), sale: tableOf('sale') };
    return { dictionaries: this.#dictionaries, tables, sequence };
  }
}
