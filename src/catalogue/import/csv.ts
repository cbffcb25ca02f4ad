// Owns reading CSV: a heading, then rows as wide as it.

import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { FileFault, type Records, type SourceRecord } from './record.ts';

/** Bytes. A quote that is never closed would else take the rest of the file for one row. */
const LONGEST_ROW = 4 * 1024 * 1024;

/** Reads the heading and leaves the rows to be read. */
export async function readCsv(texts: AsyncIterable<string>, delimiter: string): Promise<Records> {
  const rows = parseRows(texts, delimiter);
  const first = await rows.next();
  if (first.done) throw new FileFault('The file has no heading: its first row must name the columns.');
  const headings = first.value.map((name) => name.trim());
  const twice = headings.filter((name, at) => name !== '' && headings.indexOf(name) !== at);
  if (twice.length > 0) throw new FileFault(`The heading names these columns twice: ${twice.join(', ')}.`);
  return {
    columns: headings.filter((name) => name !== ''),
    headings,
    complete: true,
    total: null,
    rows: records(headings, rows),
  };
}

async function* records(
  headings: readonly string[],
  rows: AsyncIterable<string[]>,
): AsyncGenerator<SourceRecord> {
  let row = 0;
  for await (const original of rows) {
    row++;
    const broken =
      original.length === headings.length
        ? null
        : `the row has ${original.length} fields and the heading ${headings.length} (check its quotes and separators)`;
    const fields: Record<string, unknown> = {};
    for (const [at, name] of headings.entries()) fields[name] = original[at];
    yield { row, fields, original, broken, geometry: null };
  }
}

async function* parseRows(texts: AsyncIterable<string>, delimiter: string): AsyncGenerator<string[]> {
  const parser = parse({
    bom: true,
    delimiter,
    skip_empty_lines: true,
    relax_column_count: true,
    // An inch mark inside a text is common; what opens a field must still be closed.
    relax_quotes: true,
    max_record_size: LONGEST_ROW,
  });
  pipeline(Readable.from(texts, { highWaterMark: 1 }), parser, () => {});
  try {
    for await (const row of parser) yield row as string[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new FileFault(
      `The file cannot be read as CSV: ${error.message}. Correct it, or give another "delimiter".`,
    );
  }
}
