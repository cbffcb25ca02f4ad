// Lines of JSON: one object or feature on each, read as they come.

import { recordOf } from './json-record.ts';
import { FileFault, type Records, type SourceRecord } from './record.ts';
import { LINES } from './rejected-form.ts';

/** Characters of one line. */
const LONGEST_LINE = 16 * 1024 * 1024;
/** Lines that are looked at to know the columns. */
const LOOKED_AT = 100;

export async function readJsonLines(texts: AsyncIterable<string>): Promise<Records> {
  const records = jsonRecords(texts);
  const first: SourceRecord[] = [];
  for (let next = await records.next(); !next.done; next = await records.next()) {
    first.push(next.value);
    if (first.length === LOOKED_AT) break;
  }
  const columns = [...new Set(first.flatMap(({ fields }) => Object.keys(fields)))];
  async function* rows(): AsyncGenerator<SourceRecord> {
    yield* first;
    yield* records;
  }
  const complete = first.length < LOOKED_AT;
  return { columns, places: 'line', rejectedForm: LINES, complete, total: null, rows: rows() };
}

async function* jsonRecords(texts: AsyncIterable<string>): AsyncGenerator<SourceRecord> {
  let [row, place] = [0, 0];
  for await (const line of lines(texts)) {
    place++;
    if (line.trim() === '') continue;
    row++;
    const record = lineRecord(line, { row, place });
    yield { ...record, rejectedText: (reason) => `${record.rejectedText(reason)}\n` };
  }
}

function lineRecord(line: string, where: Pick<SourceRecord, 'row' | 'place'>): SourceRecord {
  try {
    return recordOf(JSON.parse(line), where);
  } catch (error) {
    // As it stands it would spoil the file for every reader of JSON lines.
    const rejectedText = (reason: string): string =>
      JSON.stringify({ rejected_row: where.place, rejected_reason: reason, rejected_line: line.trim() });
    const broken = `the line is not JSON: ${(error as Error).message}`;
    return { ...where, fields: {}, rejectedText, broken, geometry: null };
  }
}

async function* lines(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of texts) {
    const found = (rest + text).split('\n');
    rest = found.pop() ?? '';
    if (rest.length > LONGEST_LINE)
      throw new FileFault('The file has a line of more than 16 million characters.');
    yield* found;
  }
  yield rest;
}
