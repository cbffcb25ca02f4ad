// Rows of a sheet: the values of its cells as they were stored when the workbook was saved.

import { dateText, timeText } from './number-formats.ts';
import { FileFault } from './record.ts';
import { type CellTables, CellText, MAX_CELL_LENGTH, unescaped } from './workbook.ts';
import { parseXml, type XmlHandler } from './xml.ts';

export type CellValue = string | number | boolean;

export interface SheetRow {
  /** As Excel numbers it. */
  readonly number: number;
  /** Sparse: by the number of the column, from 0. */
  readonly cells: readonly (CellValue | undefined)[];
}

const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;

/** The rows of a sheet that have a value. Throws FileFault. @param where for messages: the file and its sheet */
export async function* sheetRows(
  where: string,
  bytes: AsyncIterable<Buffer>,
  tables: CellTables,
): AsyncGenerator<SheetRow> {
  const reader = new SheetReader(where, tables);
  for await (const _ of parseXml(where, bytes, reader)) {
    yield* reader.take();
    if (reader.isEnd) return;
  }
}

interface OpenCell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
}

class SheetReader implements XmlHandler {
  readonly #where: string;
  readonly #tables: CellTables;
  readonly #inline: CellText;
  #rows: SheetRow[] = [];
  #number = 0;
  #cells: (CellValue | undefined)[] = [];
  #column = -1;
  #cell: OpenCell | null = null;
  /** Whether texts are those of a stored value or of a formula. */
  #part: 'v' | 'f' | null = null;
  #value = '';
  #formula: string | null = null;
  /** Whether the cells have ended: filters, drawings and formats follow. */
  isEnd = false;

  constructor(where: string, tables: CellTables) {
    this.#where = where;
    this.#tables = tables;
    this.#inline = new CellText(where);
  }

  take(): readonly SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'row') this.#openRow(attributes.r);
    else if (name === 'c') this.#openCell(attributes);
    else if (this.#cell !== null) {
      if (name === 'v' || name === 'f') this.#part = name;
      if (name === 'f') this.#formula = '';
      this.#inline.open(name);
    }
  }

  text(text: string): void {
    if (this.#cell === null) return;
    if (this.#part === 'f') this.#formula = `${this.#formula}${text}`.slice(0, 200);
    else if (this.#part === 'v') {
      this.#value += text;
      if (this.#value.length > 7 * MAX_CELL_LENGTH)
        throw new FileFault(`${this.#where} has a cell of more than ${MAX_CELL_LENGTH} characters.`);
    } else this.#inline.add(text);
  }

  close(name: string): void {
    if (name === 'sheetData') this.isEnd = true;
    else if (name === 'row') this.#closeRow();
    else if (name === 'c') this.#closeCell();
    else {
      if (name === this.#part) this.#part = null;
      this.#inline.close(name);
    }
  }

  #openRow(stated: string | undefined): void {
    const number = stated === undefined ? this.#number + 1 : Number(stated);
    if (!Number.isInteger(number) || number <= this.#number)
      throw new FileFault(`${this.#where} has its rows in no order: row ${stated} follows ${this.#number}.`);
    if (number > MAX_ROWS)
      throw new FileFault(`${this.#where} has more than ${MAX_ROWS} rows, which no workbook can have.`);
    this.#number = number;
    this.#cells = [];
    this.#column = -1;
  }

  #openCell({ r, t = 'n', s = '0' }: Readonly<Record<string, string>>): void {
    const column = r === undefined ? this.#column + 1 : columnOf(r);
    if (column === null || column <= this.#column || column >= MAX_COLUMNS)
      throw new FileFault(
        `${this.#where}, row ${this.#number}: there is no cell ${r ?? 'so far to the right'}.`,
      );
    this.#column = column;
    this.#cell = { column, type: t, style: Number(s) };
    this.#part = null;
    this.#value = '';
    this.#formula = null;
  }

  #closeCell(): void {
    const cell = this.#cell;
    if (cell === null) return;
    this.#cell = null;
    const value = this.#valueOf(cell, this.#inline.take());
    if (value !== null && value !== '') this.#cells[cell.column] = value;
  }

  #closeRow(): void {
    if (this.#cells.length > 0) this.#rows.push({ number: this.#number, cells: this.#cells });
    this.#cells = [];
  }

  #valueOf({ type, style }: OpenCell, inline: string): CellValue | null {
    if (type === 'inlineStr') return inline;
    const value = this.#value;
    // Programs write formulas without values, which only Excel would compute; shown, so that it is seen why they cannot be read.
    if (value === '') return this.#formula === null ? null : `=${this.#formula}`;
    if (type === 's') return this.#sharedText(value);
    if (type === 'b') return value.trim() === '1' || value.trim() === 'true';
    if (type !== 'n') return unescaped(value); // Texts of formulas, errors such as #N/A, and dates in ISO 8601.
    const number = Number(value);
    if (!Number.isFinite(number)) return value;
    const form = this.#tables.forms[style] ?? 'number';
    if (form === 'number') return number;
    if (form === 'duration') return number >= 0 ? timeText(Math.round(number * 86_400)) : number;
    if (form === 'date') return dateText(number, this.#tables.is1904) ?? number;
    return Number.isInteger(number) && number >= 0 ? String(number).padStart(form.zeros, '0') : number;
  }

  #sharedText(index: string): string {
    const text = this.#tables.texts[Number(index)];
    if (text !== undefined) return text;
    throw new FileFault(`${this.#where}, row ${this.#number}: a cell refers to a text that is not there.`);
  }
}

/** `C7` is in column 2; null for what is no cell. */
function columnOf(reference: string): number | null {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(reference)?.[0];
  if (letters === undefined) return null;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

/** `F` for 5. */
export function lettersOf(column: number): string {
  const rest = Math.floor(column / 26);
  return (rest === 0 ? '' : lettersOf(rest - 1)) + String.fromCharCode(65 + (column % 26));
}
