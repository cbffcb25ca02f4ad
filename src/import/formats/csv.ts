// CSV: a heading and rows of its width, and the delimiter that a heading suggests.

import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { FileFault, type Records, type SourceRecord } from './record.ts';
import { csvForm, csvRecord } from './rejected.ts';

/** Bytes. A quote that is never closed would else take the rest of the file for one row. */
const MAX_ROW_BYTES = 4 * 1024 * 1024;

export interface CsvOptions {
  readonly delimiter: string;
  /** Whether rejected rows need a byte-order mark, to be read in UTF-8 though the map names another encoding. */
  readonly marked: boolean;
}

/** Reads the heading and leaves the rows to be read. */
export async function readCsv(
  texts: AsyncIterable<string>,
  { delimiter, marked }: CsvOptions,
): Promise<Records> {
  const beginning = await peek(texts);
  const rows = parseRows(beginning.texts, delimiter, beginning.text);
  const first = await rows.next();
  if (first.done) throw new FileFault('The file has no heading: its first row must name the columns.');
  const headings = first.value.fields.map((name) => name.trim());
  const twice = headings.filter((name, at) => name !== '' && headings.indexOf(name) !== at);
  if (twice.length > 0) throw new FileFault(`The heading names these columns twice: ${twice.join(', ')}.`);
  // One column without a name holds the row numbers of R and pandas; several cannot be told apart.
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
  for await (const { fields: original, line } of rows) {
    row++;
    const fields: Record<string, unknown> = {};
    for (const [at, name] of headings.entries()) fields[name] = original[at];
    yield {
      ...{ row, place: line, fields, geometry: null },
      broken:
        original.length === headings.length
          ? null
          : `the row has ${original.length} fields and the heading ${headings.length} (check its quotes and separators)`,
      rejectedText: (reason) => csvRecord(headings, original, delimiter, { place: line, reason }),
    };
  }
}

interface CsvRow {
  readonly fields: string[];
  /** The line on which it begins, as editors count. */
  readonly line: number;
}

async function* parseRows(
  texts: AsyncIterable<string>,
  delimiter: string,
  beginning: string,
): AsyncGenerator<CsvRow> {
  const parser = parse({
    bom: true,
    delimiter,
    record_delimiter: beginning.includes('\n') ? ['\r\n', '\n'] : ['\r'],
    raw: true,
    skip_empty_lines: true,
    relax_column_count: true,
    // An inch mark inside a text is common; what opens a field must still be closed.
    relax_quotes: true,
    max_record_size: MAX_ROW_BYTES,
  });
  pipeline(Readable.from(texts, { highWaterMark: 1 }), parser, () => {});
  let line = 1;
  try {
    for await (const { record, raw } of parser as AsyncIterable<{ record: string[]; raw: string }>) {
      // The raw text begins where the last row ended, empty lines included.
      yield { fields: record, line: line + lineBreaks(/^[\r\n]*/.exec(raw)?.[0] ?? '') };
      line += lineBreaks(raw);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const found = likelyDelimiter(firstLine(beginning), delimiter, []);
    const remedy =
      found === null
        ? 'Correct it, or give another "delimiter"'
        : `Probably ${delimiterText(found, delimiter)}`;
    throw new FileFault(`The file cannot be read as CSV: ${error.message}. ${remedy}.`);
  }
}

const lineBreaks = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0;

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
  return `its columns are parted by ${shown} and not by ${JSON.stringify(used)}: say "file": {"delimiter": ${shown}} in the map`;
}

function unquoted(name: string): string {
  const trimmed = name.trim();
  return /^".*"$/.test(trimmed) ? trimmed.slice(1, -1).replaceAll('""', '"') : trimmed;
}
