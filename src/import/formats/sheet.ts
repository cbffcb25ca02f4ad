// Sheet of a workbook as records: its heading, and a record a row.

import { FileFault, type RecordFields, type Records, type SourceRecord } from './record.ts';
import { csvForm, csvRecord } from './rejected.ts';
import { type CellValue, lettersOf, type SheetRow, sheetRows } from './sheet-rows.ts';
import { chooseSheet, readCellTables, readWorkbook, type Sheet, type Workbook } from './workbook.ts';
import type { ZipArchive } from './zip.ts';

/** Rows among which the heading is. */
const HEADING_ROWS = 20;

export interface OpenedSheet extends Records {
  readonly sheet: Sheet;
  readonly workbook: Workbook;
  /** Bytes of the sheet's part, unpacked. */
  readonly size: number;
  bytesTaken(): number;
  close(): void;
}

/** Reads the heading of a sheet and leaves its rows to be read. Throws FileFault. */
export async function openSheet(
  path: string,
  archive: ZipArchive,
  wanted: string | undefined,
): Promise<OpenedSheet> {
  const workbook = await readWorkbook(path, archive);
  const sheet = await chooseSheet(path, archive, workbook, wanted);
  const tables = await readCellTables(path, archive, workbook);
  const { bytes, close } = await archive.open(sheet.part);
  let taken = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      taken += chunk.length;
      yield chunk;
    }
  }
  const where = `${path}, sheet ${sheet.name}`;
  const rows = sheetRows(where, counted(), tables);
  const first: SheetRow[] = [];
  for (let next = await rows.next(); !next.done; next = await rows.next()) {
    first.push(next.value);
    if (first.length === HEADING_ROWS) break;
  }
  const at = headingAt(first);
  const heading = first[at];
  if (heading === undefined) {
    close();
    throw new FileFault(`${where} is empty: its first row must name the columns.`);
  }
  const names = namesOf(where, heading, first);
  const beginning = first.slice(at + 1);
  return {
    columns: names.filter((name) => name !== ''),
    places: 'row',
    rejectedForm: csvForm(names, ',', false),
    total: null,
    complete: true,
    rows: records(names, beginning, rows),
    sheet,
    workbook,
    size: archive.entries.find(({ name }) => name === sheet.part)?.size ?? 1,
    bytesTaken: () => taken,
    close() {
      close();
      archive.close();
    },
  };
}

/** The first row that is at least half as wide as the widest of the beginning: titles and notes stand above a heading. */
function headingAt(rows: readonly SheetRow[]): number {
  const widths = rows.map(({ cells }) => cells.filter((cell) => cell !== undefined).length);
  return widths.findIndex((width) => width * 2 >= Math.max(...widths));
}

/** Columns by their names; one that has values but no name is called as Excel does, `Column F`. */
function namesOf(where: string, { cells }: SheetRow, rows: readonly SheetRow[]): string[] {
  const width = Math.max(...rows.map((row) => row.cells.length));
  const names = Array.from({ length: width }, (_, at) => {
    const name = String(cells[at] ?? '').trim();
    if (name !== '' || !rows.some((row) => row.cells[at] !== undefined)) return name;
    return `Column ${lettersOf(at)}`;
  });
  const seen = new Set<string>();
  const twice = names.filter((name) => name !== '' && seen.size === seen.add(name).size);
  if (twice.length > 0)
    throw new FileFault(`The heading of ${where} names these columns twice: ${twice.join(', ')}.`);
  return names;
}

async function* records(
  names: readonly string[],
  beginning: readonly SheetRow[],
  rest: AsyncIterable<SheetRow>,
): AsyncGenerator<SourceRecord> {
  let row = 0;
  async function* all(): AsyncGenerator<SheetRow> {
    yield* beginning;
    yield* rest;
  }
  for await (const { number, cells } of all()) {
    row++;
    yield {
      row,
      place: number,
      fields: fieldsOf(names, cells),
      geometry: null,
      broken: null,
      rejectedText: (reason) =>
        csvRecord(
          names,
          cells.length > names.length ? [...cells].map(textOf) : names.map((_, at) => textOf(cells[at])),
          ',',
          { place: number, reason },
        ),
    };
  }
}

function fieldsOf(names: readonly string[], cells: SheetRow['cells']): RecordFields {
  const fields: Record<string, unknown> = {};
  for (const [at, name] of names.entries()) if (name !== '') fields[name] = cells[at] ?? '';
  for (const [at, cell] of cells.entries())
    if (cell !== undefined && (names[at] ?? '') === '') fields[`Column ${lettersOf(at)}`] = cell;
  return fields;
}

const textOf = (cell: CellValue | undefined): string => (cell === undefined ? '' : String(cell));
