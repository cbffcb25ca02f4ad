// Fact writer: copied listings with their periods and events appended to the tables of both types, and others taken away.

import { lowerBound } from '../../lib/lower-bound.ts';
import { LISTING_TYPES, type ListingType } from '../../listings/vocabulary.ts';
import type { CopyFields } from '../../postgres/client/copy-fields.ts';
import { codesOf } from '../../search/engine/build/numbered-words.ts';
import { byColumn, FLAGS } from '../../search/engine/columns/columns.ts';
import { createDictionaries, type Dictionaries } from '../../search/engine/columns/dictionary.ts';
import { compareId, idBytes, idOf } from '../../search/engine/columns/ids.ts';
import type { Columns } from '../../search/engine/columns/segment.ts';
import { EVENT, type FactTable, GrowingFacts, PERIOD } from './fact-columns.ts';
import { HELD_CODES, HELD_NUMBERS } from './held-columns.ts';

/** The facts of all listings as of a sequence of the log of changes. */
export interface Facts {
  readonly dictionaries: Dictionaries;
  readonly tables: Readonly<Record<ListingType, FactTable>>;
  readonly sequence: number;
}

interface Place {
  readonly type: ListingType;
  readonly row: number;
}

/** The only writer of facts. What it has handed out never changes. */
export class FactWriter {
  readonly #dictionaries = createDictionaries();
  readonly #codes = byColumn(HELD_CODES, (column) => codesOf(this.#dictionaries[column]));
  readonly #tables: Readonly<Record<ListingType, GrowingFacts>> = {
    rental: new GrowingFacts(),
    sale: new GrowingFacts(),
  };
  /** Rows that were loaded, in the order of their ids. */
  #loaded: Readonly<Record<ListingType, number>> = { rental: 0, sale: 0 };
  /** Rows that were appended since, by id. */
  readonly #appended = new Map<string, Place>();
  /** The listings that are being appended, in the order of their ids, and how far their facts have come. */
  #batch: Place[] = [];
  #columns = this.#snapshot();
  #next = 0;
  #gone = 0;

  /** Rows of both tables, and those of them that are gone. */
  get rows(): { readonly all: number; readonly gone: number } {
    const { rental, sale } = this.#tables;
    return { all: rental.listings.rows + sale.listings.rows, gone: this.#gone };
  }

  addListing(fields: CopyFields): void {
    fields.next();
    const type = fields.boolean() ? 'sale' : 'rental';
    const table = this.#tables[type];
    const { listings } = table;
    fields.next();
    listings.setText('id', fields.bytes, fields.start, fields.end);
    for (const column of HELD_NUMBERS) if (fields.next()) listings.setNumber(column, fields.float64());
    for (const column of HELD_CODES)
      if (fields.next()) listings.setCode(column, this.#codes[column].numberAt(fields));
    for (const flag of FLAGS) if (fields.next()) listings.setFlag(flag, fields.boolean());
    fields.next();
    for (let left = fields.items(); left > 0; left--) {
      fields.nextItem();
      table.addArea(fields.int32());
    }
    this.#batch.push({ type, row: listings.endRow(0) });
  }

  /** Periods or events of the listings that were added follow, in the order of the ids. */
  beginFacts(): void {
    this.#next = 0;
    this.#columns = this.#snapshot();
  }

  addPeriod(fields: CopyFields): void {
    const place = this.#placeOf(fields);
    if (place === null) return;
    const values = this.#tables[place.type].periods.add(place.row);
    for (let at: number = PERIOD.start; at <= PERIOD.daysOnMarketStart; at++) {
      fields.next();
      values[at] = endless(fields.moment());
    }
    for (let at: number = PERIOD.price; at <= PERIOD.monthsFree; at++)
      values[at] = fields.next() ? fields.float64() : Number.NaN;
  }

  addEvent(fields: CopyFields): void {
    const place = this.#placeOf(fields);
    if (place === null) return;
    const values = this.#tables[place.type].events.add(place.row);
    fields.next();
    values[EVENT.kind] = fields.int32();
    fields.next();
    values[EVENT.at] = fields.moment();
    values[EVENT.day] = fields.next() ? fields.day() : Number.NaN;
    for (let at: number = EVENT.price; at <= EVENT.originalRatio; at++)
      values[at] = fields.next() ? fields.float64() : Number.NaN;
  }

  /** The listing of this batch whose id the fields have next; null: it has none. */
  #placeOf(fields: CopyFields): Place | null {
    fields.next();
    const id = fields.bytes.subarray(fields.start, fields.end);
    for (; this.#next < this.#batch.length; this.#next++) {
      const place = this.#batch[this.#next];
      if (place === undefined) return null;
      const order = compareId(this.#columns[place.type], place.row, id);
      if (order === 0) return place;
      if (order > 0) return null;
    }
    return null;
  }

  /** The first batch is complete. */
  endLoad(): void {
    const { rental, sale } = this.#tables;
    this.#loaded = { rental: rental.listings.rows, sale: sale.listings.rows };
    this.#batch = [];
  }

  /** The batch is complete: it takes the place of what these listings, and its own, were before. */
  replace(ids: Iterable<string>): void {
    const added = this.#batch.map((place) => ({ ...place, id: idOf(this.#columns[place.type], place.row) }));
    for (const id of new Set([...ids, ...added.map((each) => each.id)])) this.#remove(id);
    for (const { id, ...place } of added) this.#appended.set(id, place);
    this.#batch = [];
  }

  /** The batch has failed. */
  discard(): void {
    for (const { type, row } of this.#batch) this.#removeRow(type, row);
    this.#batch = [];
  }

  #snapshot(): Readonly<Record<ListingType, Columns>> {
    const { rental, sale } = this.#tables;
    return { rental: rental.listings.columns(), sale: sale.listings.columns() };
  }

  #remove(id: string): void {
    const place = this.#appended.get(id);
    this.#appended.delete(id);
    if (place !== undefined) {
      this.#removeRow(place.type, place.row);
      return;
    }
    const bytes = idBytes(id);
    for (const type of LISTING_TYPES) {
      const columns = this.#columns[type];
      const loaded = this.#loaded[type];
      const row = lowerBound(loaded, (at) => compareId(columns, at, bytes) < 0);
      if (row < loaded && compareId(columns, row, bytes) === 0) this.#removeRow(type, row);
    }
  }

  #removeRow(type: ListingType, row: number): void {
    if (this.#tables[type].remove(row)) this.#gone++;
  }

  facts(sequence: number): Facts {
    const { rental, sale } = this.#tables;
    const tables = { rental: rental.table(), sale: sale.table() };
    return { dictionaries: this.#dictionaries, tables, sequence };
  }
}

/** A moment of a copy is NaN where it is infinite. */
const endless = (moment: number): number => (Number.isNaN(moment) ? Number.POSITIVE_INFINITY : moment);
