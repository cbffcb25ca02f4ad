// Fact appender: copied listings with their periods and events appended to tables of both types.

import { LISTING_TYPES, type ListingType } from '../../listings/vocabulary.ts';
import type { CopyFields } from '../../postgres/client/copy-fields.ts';
import { byColumn, FLAGS } from '../../search/engine/columns/columns.ts';
import type { Dictionaries } from '../../search/engine/columns/dictionary.ts';
import { compareId } from '../../search/engine/columns/ids.ts';
import { codesOf } from '../../search/engine/segments/numbered-words.ts';
import { EVENT, PERIOD } from './fact-columns.ts';
import { GrowingTable, type Place, type RowCursor } from './growing-table.ts';
import { HELD_CODES, HELD_NUMBERS } from './held-columns.ts';

export class FactAppender {
  readonly tables: Readonly<Record<ListingType, GrowingTable>> = {
    rental: new GrowingTable(),
    sale: new GrowingTable(),
  };
  readonly #codes;
  /** The rows of this batch that come next, of each type: the listings come in the order of their ids, and their facts, too. */
  #cursors: readonly RowCursor[] = [];

  /** Words of listings are added to the dictionaries. */
  constructor(dictionaries: Dictionaries) {
    this.#codes = byColumn(HELD_CODES, (column) => codesOf(dictionaries[column]));
  }

  addListing(fields: CopyFields): void {
    fields.next();
    const part = this.tables[fields.boolean() ? 'sale' : 'rental'].partToAppendTo();
    const { listings } = part;
    fields.next();
    listings.setText('id', fields.bytes, fields.start, fields.end);
    for (const column of HELD_NUMBERS) if (fields.next()) listings.setNumber(column, fields.float64());
    for (const column of HELD_CODES)
      if (fields.next()) listings.setCode(column, this.#codes[column].numberAt(fields));
    for (const flag of FLAGS) if (fields.next()) listings.setFlag(flag, fields.boolean());
    fields.next();
    for (let left = fields.items(); left > 0; left--) {
      fields.nextItem();
      listings.addArea(fields.int32());
    }
    if (fields.next()) part.setPropertyId(fields.bytes, fields.start, fields.end);
    part.endRow();
  }

  /** Periods or events of the listings that were added follow, in the order of the ids. */
  beginFacts(): void {
    this.#cursors = this.batch();
  }

  addPeriod(fields: CopyFields): void {
    const place = this.#placeOf(fields);
    if (place === null) return;
    const { periods } = place.part;
    const start = periods.add(place.row);
    const { values } = periods;
    for (let at: number = PERIOD.start; at <= PERIOD.daysOnMarketStart; at++) {
      fields.next();
      values[start + at] = endless(fields.moment());
    }
    for (let at: number = PERIOD.price; at <= PERIOD.monthsFree; at++)
      values[start + at] = fields.next() ? fields.float64() : Number.NaN;
  }

  addEvent(fields: CopyFields): void {
    const place = this.#placeOf(fields);
    if (place === null) return;
    const { events } = place.part;
    const start = events.add(place.row);
    const { values } = events;
    fields.next();
    values[start + EVENT.kind] = fields.int32();
    fields.next();
    values[start + EVENT.at] = fields.moment();
    values[start + EVENT.day] = fields.next() ? fields.day() : Number.NaN;
    for (let at: number = EVENT.price; at <= EVENT.originalRatio; at++)
      values[start + at] = fields.next() ? fields.float64() : Number.NaN;
  }

  /** The rows of each type that were added since the last batch ended. */
  batch(): RowCursor[] {
    return LISTING_TYPES.map((type) => this.tables[type].batch());
  }

  endBatch(): void {
    for (const type of LISTING_TYPES) this.tables[type].endBatch();
  }

  /** The listing of this batch whose id the fields have next; null: it has none. */
  #placeOf(fields: CopyFields): Place | null {
    fields.next();
    const id = fields.bytes.subarray(fields.start, fields.end);
    for (const cursor of this.#cursors) {
      for (let place = cursor.place; place !== null; place = cursor.advance()) {
        const order = compareId(place.part.columns(), place.row, id);
        if (order === 0) return place;
        if (order > 0) break;
      }
    }
    return null;
  }
}

/** A moment of a copy is NaN where it is infinite. */
const endless = (moment: number): number => (Number.isNaN(moment) ? Number.POSITIVE_INFINITY : moment);
