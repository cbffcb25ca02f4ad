// CSV: a heading and rows of its width, and the delimiter that a heading suggests.

import { type CsvRow, parseRows } from './csv-rows.ts';
import { FileFault, type RecordFields, type Records, type SourceRecord } from './record.ts';
import { csvForm, csvRecord } from './rejected.ts';

export interface CsvOptions {
  readonly delimiter: string;
  /** Whether rejected rows need a byte-order mark, to be read in UTF-8 though the map names another encoding. */
  readonly marked: boolean;
  readonly encoding: string;
  /** Whether a record of these fields could be imported. */
  readonly isUsable: (fields: RecordFields) => boolean;
}

/** As many as a sheet of a workbook has. */
const MAX_COLUMNS = 16_384;

/** Reads the heading and leaves the rows to be read. */
export async function readCsv(
  texts: AsyncIterable<string>,
  { delimiter, marked, encoding, isUsable }: CsvOptions,
): Promise<Records> {
  const beginning = await peek(texts);
  const headings: string[] = [];
  const rows = parseRows(beginning.texts, {
    delimiter,
    encoding,
    isOldMac: beginning.text.includes('\r') && !beginning.text.includes('\n'),
    isRow: (fields) => fields.length === headings.length && isUsable(namedFields(headings, fields)),
  });
  const first = await rows.next();
  if (first.done) throw new FileFault('The file has no heading: its first row must name the columns.');
  if (first.value.fault !== null)
    throw new FileFault(headingFault(first.value.fault, beginning.text, delimiter));
  const width = first.value.fields.length;
  if (width > MAX_COLUMNS)
    throw new FileFault(
      `The heading names ${width} columns, and at most ${MAX_COLUMNS} are read: check the delimiter of the file, or leave columns out.`,
    );
  for (const name of first.value.fields) headings.push(name.trim());
  const seen = new Set<string>();
  const twice = headings.filter((name) => name !== '' && seen.size === seen.add(name).size);
  if (twice.length > 0) throw new FileFault(`The heading names these columns twice: ${twice.join(', ')}.`);
  // One column without a name holds the row numbers of R and pandas; several cannot be distinguished.
  const hasOneUnnamed = headings.indexOf('') === headings.lastIndexOf('');
  return {
    columns: headings.filter((name) => name !== '' || hasOneUnnamed),
    places: 'line',
    rejectedForm: csvForm(headings, delimiter, marked),
    complete: true,
    total: null,
    heading: { text: firstLine(beginning.text), delimiter },
    rows: records(headings, delimiter, rows),
  };
}

async function* records(
  headings: readonly string[],
  delimiter: string,
  rows: AsyncIterable<CsvRow>,
): AsyncGenerator<SourceRecord> {
  let row = 0;
  for await (const { fields: original, line, fault } of rows) {
    row++;
    const width =
      original.length === headings.length
        ? null
        : `the row has ${original.length} fields and the heading ${headings.length} (check its quotes and separators)`;
    yield {
      row,
      place: line,
      fields: namedFields(headings, original),
      geometry: null,
      broken: fault ?? width,
      rejectedText: (reason) => csvRecord(headings, original, delimiter, { place: line, reason }),
    };
  }
}

function namedFields(headings: readonly string[], fields: readonly string[]): RecordFields {
  const named: Record<string, unknown> = {};
  for (let at = 0; at < headings.length; at++) named[headings[at] ?? ''] = fields[at];
  return named;
}

function headingFault(fault: string, beginning: string, delimiter: string): string {
  const found = likelyDelimiter(firstLine(beginning), delimiter, []);
  const remedy = found === null ? '' : ` Probably ${delimiterText(found, delimiter)}.`;
  return `The heading cannot be read: ${fault}.${remedy}`;
}

const firstLine = (text: string): string => text.replace(/^\ufeff?[\r\n]*/, '').split(/[\r\n]/, 1)[0] ?? '';

/** The first text that is not empty, and all texts, that one included. */
async function peek(texts: AsyncIterable<string>): Promise<{ text: string; texts: AsyncIterable<string> }> {
  const iterator = texts[Symbol.asyncIterator]();
  let first = await iterator.next();
  while (!first.done && first.value === '') first = await iterator.next();
  const text = first.done ? '' : first.value;
  async function* all(): AsyncGenerator<string> {
    yield text;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { text, texts: all() };
}

const DELIMITERS = [',', ';', '\t', '|'];

/**
 * The delimiter by which a heading names more of the columns than by the one in use; null where there is none. Without
 * columns to look for: the one that parts the heading where the one in use does not.
 */
export function likelyDelimiter(heading: string, used: string, columns: readonly string[]): string | null {
  const named = (delimiter: string): number => {
    const names = heading.split(delimiter).map(unquoted);
    return columns.length > 0 ? columns.filter((column) => names.includes(column)).length : names.length - 1;
  };
  const min = columns.length > 0 ? named(used) : 0;
  if (columns.length === 0 && named(used) > 0) return null;
  const others = DELIMITERS.filter((delimiter) => delimiter !== used);
  const best = others.reduce((a, b) => (named(b) > named(a) ? b : a), others[0] ?? '');
  return named(best) > min ? best : null;
}

/** What to write into the map. */
export function delimiterText(found: string, used: string): string {
  const shown = JSON.stringify(found);
  return `its columns are separated by ${shown} and not by ${JSON.stringify(used)}: say "file": {"delimiter": ${shown}} in the map`;
}

function unquoted(name: string): string {
  const trimmed = name.trim();
  return /^".*"$/.test(trimmed) ? trimmed.slice(1, -1).replaceAll('""', '"') : trimmed;
}
