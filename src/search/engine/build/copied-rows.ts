// Copied rows: a binary COPY of search rows decoded into growing columns.

import type { ListingType } from '../../../listings/vocabulary.ts';
import { CopyFields } from '../../../postgres/client/copy-fields.ts';
import { CODE_COLUMNS, FLAGS, LIST_COLUMNS, NUMBER_COLUMNS, TEXT_COLUMNS } from '../columns.ts';
import type { Dictionaries } from '../dictionary.ts';
import { byColumn, GrowingColumns } from '../growing-columns.ts';
import { hashBytes } from '../word-hash.ts';
import { WordCollector } from '../word-index.ts';
import { WordCodes } from './word-codes.ts';

/**
 * Columns of the engine in the order in which a COPY has to select them; before them whether it is a sale, after them the version
 * and the words.
 */
export const COPIED_COLUMNS = [
  ...NUMBER_COLUMNS,
  ...CODE_COLUMNS,
  ...FLAGS,
  ...LIST_COLUMNS,
  ...(['areaNos', 'openHouses'] as const),
  ...TEXT_COLUMNS,
] as const;

const MOMENTS = /At$|Start$|End$/;
const NUMBERS = NUMBER_COLUMNS.map((column) => ({
  column,
  isMoment: MOMENTS.test(column),
  isDay: column === 'availableFrom',
}));

export class CopiedRows {
  readonly columns: Readonly<Record<ListingType, GrowingColumns>> = {
    rental: new GrowingColumns(),
    sale: new GrowingColumns(),
  };
  readonly words: Readonly<Record<ListingType, WordCollector>> = {
    rental: new WordCollector(),
    sale: new WordCollector(),
  };
  readonly #codes: Readonly<Record<(typeof CODE_COLUMNS | typeof LIST_COLUMNS)[number], WordCodes>>;
  readonly #fields = new CopyFields();

  /** Words of rows are added to the dictionaries. */
  constructor(dictionaries: Dictionaries) {
    this.#codes = byColumn(
      [...CODE_COLUMNS, ...LIST_COLUMNS],
      (column) => new WordCodes(dictionaries[column]),
    );
  }

  /** Rows so far. */
  get rows(): number {
    return this.columns.rental.rows + this.columns.sale.rows;
  }

  /** Takes the next bytes of the COPY. */
  take(rows: Uint8Array): void {
    this.#fields.take(rows);
    while (this.#fields.nextRow()) this.#addRow();
  }

  #addRow(): void {
    const fields = this.#fields;
    fields.next();
    const type = fields.boolean() ? 'sale' : 'rental';
    const columns = this.columns[type];
    for (const { column, isMoment, isDay } of NUMBERS) {
      if (!fields.next()) continue;
      if (isMoment) columns.setNumber(column, fields.moment());
      else columns.setNumber(column, isDay ? fields.day() : fields.float64());
    }
    for (const column of CODE_COLUMNS)
      if (fields.next())
        columns.setCode(column, this.#codes[column].code(fields.bytes, fields.start, fields.end));
    for (const flag of FLAGS) if (fields.next()) columns.setFlag(flag, fields.boolean());
    for (const column of LIST_COLUMNS) {
      fields.next();
      const codes = this.#codes[column];
      for (let left = fields.items(); left > 0; left--) {
        fields.nextItem();
        columns.addToList(column, codes.code(fields.bytes, fields.start, fields.end));
      }
    }
    fields.next();
    for (let left = fields.items(); left > 0; left--) {
      fields.nextItem();
      columns.addArea(fields.int32());
    }
    if (fields.next()) fields.ranges((from, to) => columns.addOpenHours(from, to));
    for (const column of TEXT_COLUMNS)
      if (fields.next()) columns.setText(column, fields.bytes, fields.start, fields.end);
    fields.next();
    columns.endRow(fields.int32());
    this.#addWords(this.words[type]);
  }

  #addWords(words: WordCollector): void {
    const fields = this.#fields;
    words.beginRow();
    if (fields.next()) fields.lexemes((start, end) => words.addWord(hashBytes(fields.bytes, start, end)));
  }
}
