// Copied rows: a binary COPY of search rows decoded into growing columns.

import type { ListingType } from '../../../listings/vocabulary.ts';
import { CopyFields } from '../../../postgres/client/copy-fields.ts';
import {
  byColumn,
  CODE_COLUMNS,
  FLAGS,
  isIndexedWord,
  LIST_COLUMNS,
  NUMBER_COLUMNS,
  TEXT_COLUMNS,
} from '../columns/columns.ts';
import type { Dictionaries } from '../columns/dictionary.ts';
import { GrowingColumns } from '../columns/growing-columns.ts';
import { hashBytes } from '../columns/word-hash.ts';
import { WordCollector } from '../columns/word-index.ts';
import { codesOf, NumberedWords } from './numbered-words.ts';

/**
 * Columns of the engine in the order in which a COPY has to select them; before them whether it is a sale, after them the version
 * and the words.
 */
export const COPIED_COLUMNS = [
  ...NUMBER_COLUMNS,
  ...CODE_COLUMNS,
  ...FLAGS,
  ...LIST_COLUMNS,
  'areaNos',
  'openHouses',
  ...TEXT_COLUMNS,
] as const;

const MOMENTS = /At$|Start$|End$/;
const NUMBERS = NUMBER_COLUMNS.map((column) => ({
  column,
  isMoment: MOMENTS.test(column),
  isDay: column === 'availableFrom',
}));

/** Listings of one type. */
interface CopiedTable {
  readonly columns: GrowingColumns;
  readonly words: WordCollector;
  /** Numbers of listings, of which nearly every one is new, apart: the others stay few enough for the caches of the processor. */
  readonly ids: NumberedWords;
  readonly others: NumberedWords;
}

function emptyTable(): CopiedTable {
  const words = new WordCollector();
  const vocabulary = () =>
    new NumberedWords((bytes) => words.addToVocabulary(hashBytes(bytes, 0, bytes.length)));
  return { columns: new GrowingColumns(), words, ids: vocabulary(), others: vocabulary() };
}

export class CopiedRows {
  readonly tables: Readonly<Record<ListingType, CopiedTable>> = { rental: emptyTable(), sale: emptyTable() };
  readonly #codes: Readonly<Record<(typeof CODE_COLUMNS | typeof LIST_COLUMNS)[number], NumberedWords>>;
  readonly #fields = new CopyFields();

  /** Words of rows are added to the dictionaries. */
  constructor(dictionaries: Dictionaries) {
    this.#codes = byColumn([...CODE_COLUMNS, ...LIST_COLUMNS], (column) => codesOf(dictionaries[column]));
  }

  /** Rows so far. */
  get rows(): number {
    return this.tables.rental.columns.rows + this.tables.sale.columns.rows;
  }

  /** Takes the next bytes of the COPY. */
  take(rows: Uint8Array): void {
    this.#fields.take(rows);
    while (this.#fields.nextRow()) this.#addRow();
  }

  #addRow(): void {
    const fields = this.#fields;
    fields.next();
    const table = this.tables[fields.boolean() ? 'sale' : 'rental'];
    const { columns } = table;
    for (const { column, isMoment, isDay } of NUMBERS) {
      if (!fields.next()) continue;
      if (isMoment) columns.setNumber(column, fields.moment());
      else columns.setNumber(column, isDay ? fields.day() : fields.float64());
    }
    for (const column of CODE_COLUMNS)
      if (fields.next()) columns.setCode(column, this.#codes[column].numberAt(fields));
    for (const flag of FLAGS) if (fields.next()) columns.setFlag(flag, fields.boolean());
    for (const column of LIST_COLUMNS) {
      fields.next();
      const codes = this.#codes[column];
      for (let left = fields.items(); left > 0; left--) {
        fields.nextItem();
        columns.addToList(column, codes.numberAt(fields));
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
    this.#addWords(table);
  }

  #addWords({ words, ids, others }: CopiedTable): void {
    const fields = this.#fields;
    words.beginRow();
    if (!fields.next()) return;
    for (let left = fields.lexemes(); left > 0; left--) {
      fields.nextLexeme();
      const first = fields.bytes[fields.start];
      if (!isIndexedWord(first)) continue;
      words.add((first === ID_LETTER ? ids : others).numberAt(fields));
    }
  }
}

/** What an indexed number begins with. */
const ID_LETTER = 0x41;
