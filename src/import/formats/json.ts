// JSON: one object or feature a line, a GeoJSON collection, or an array of objects.

import { parseExactJson } from '../../lib/parse.ts';
import { decodedLine, encodingFault, hasMarks, withoutMarks } from './encoding.ts';
import { FileFault, isObject, type RecordFields, type Records, type SourceRecord } from './record.ts';
import { ARRAY, collectionForm, jsonRecord, LINES } from './rejected.ts';

/** Characters of one line. */
const MAX_LINE_LENGTH = 16 * 1024 * 1024;
/** Lines from which the columns are taken. */
const SAMPLED_LINES = 100;

export async function readJsonLines(texts: AsyncIterable<string>, encoding: string): Promise<Records> {
  const records = jsonRecords(texts, encoding);
  const first: SourceRecord[] = [];
  for (let next = await records.next(); !next.done; next = await records.next()) {
    first.push(next.value);
    if (first.length === SAMPLED_LINES) break;
  }
  const columns = [...new Set(first.flatMap(({ fields }) => Object.keys(fields)))];
  async function* rows(): AsyncGenerator<SourceRecord> {
    yield* first;
    yield* records;
  }
  const complete = first.length < SAMPLED_LINES;
  return { columns, places: 'line', rejectedForm: LINES, complete, total: null, rows: rows() };
}

async function* jsonRecords(texts: AsyncIterable<string>, encoding: string): AsyncGenerator<SourceRecord> {
  let [row, place] = [0, 0];
  for await (const line of lines(texts)) {
    place++;
    if (line.trim() === '') continue;
    row++;
    const { text, fault } = decodedLine(line, encoding);
    const record = lineRecord(text, { row, place });
    const broken = record.broken ?? fault;
    yield { ...record, broken, rejectedText: (reason) => `${record.rejectedText(reason)}\n` };
  }
}

function lineRecord(line: string, where: Pick<SourceRecord, 'row' | 'place'>): SourceRecord {
  try {
    return recordOf(parseExactJson(line), where);
  } catch (error) {
    // Written as it is, it would break the file for every reader of JSON lines.
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
    if (rest.length > MAX_LINE_LENGTH)
      throw new FileFault('The file has a line of more than 16 million characters.');
    yield* found;
  }
  yield rest;
}

/** Characters that a document may have. */
const MAX_DOCUMENT_LENGTH = 400_000_000;

/** Throws FileFault for what is no FeatureCollection. */
export async function readGeoJson(texts: AsyncIterable<string>, encoding: string): Promise<Records> {
  const { value, isMarked } = await parseDocument(texts);
  const collection = (value ?? {}) as Record<string, unknown>;
  if (!Array.isArray(collection.features))
    throw new FileFault('The file is no GeoJSON FeatureCollection: it has no list of features.');
  return {
    ...documentRecords(collection.features, isMarked ? encoding : null),
    places: 'feature',
    rejectedForm: collectionForm(collection),
  };
}

/** Throws FileFault for what is no array. */
export async function readJsonArray(texts: AsyncIterable<string>, encoding: string): Promise<Records> {
  const { value: values, isMarked } = await parseDocument(texts);
  if (!Array.isArray(values)) throw new FileFault('The file is no JSON array of objects.');
  return { ...documentRecords(values, isMarked ? encoding : null), places: 'record', rejectedForm: ARRAY };
}

/** `isMarked`: some of it is in another encoding than the file. */
async function parseDocument(
  texts: AsyncIterable<string>,
): Promise<{ readonly value: unknown; readonly isMarked: boolean }> {
  const parts: string[] = [];
  let length = 0;
  for await (const text of texts) {
    length += text.length;
    if (length > MAX_DOCUMENT_LENGTH)
      throw new FileFault(
        'The file is too large to be read whole: write one object or feature a line instead.',
      );
    parts.push(text);
  }
  try {
    const text = parts.join('');
    return { value: parseExactJson(text), isMarked: hasMarks(text) };
  } catch (error) {
    throw new FileFault(`The file is not JSON: ${(error as Error).message}.`);
  }
}

/** `markedEncoding`: that of a file in which something is in another one. */
function documentRecords(
  values: readonly unknown[],
  markedEncoding: string | null,
): Omit<Records, 'places' | 'rejectedForm'> {
  const records = values.map((value, at) => {
    const where = { row: at + 1, place: at + 1 };
    const marked = markedEncoding === null ? '' : JSON.stringify(value);
    if (!hasMarks(marked)) return recordOf(value, where);
    return {
      ...recordOf(JSON.parse(withoutMarks(marked)), where),
      broken: encodingFault(markedEncoding ?? ''),
    };
  });
  const columns = new Set(records.flatMap(({ fields }) => Object.keys(fields)));
  return { columns: [...columns], complete: true, total: records.length, rows: repeatable(records) };
}

/** The records as often as they are read. */
const repeatable = (records: readonly SourceRecord[]): AsyncIterable<SourceRecord> => ({
  async *[Symbol.asyncIterator]() {
    yield* records;
  },
});

/** A feature's properties, its id and its point; of another object its members. Inner objects are spread out. */
export function recordOf(value: unknown, where: Pick<SourceRecord, 'row' | 'place'>): SourceRecord {
  const rejectedText = (reason: string): string => jsonRecord(value, { place: where.place, reason });
  const common = { ...where, rejectedText, geometry: null };
  if (!isObject(value)) return { ...common, fields: {}, broken: 'it is not an object' };
  if (value.type !== 'Feature') return { ...common, fields: spread(value), broken: null };
  const { properties, geometry, id } = value;
  const [lng, lat] = pointOf(geometry);
  const point = lng === undefined ? {} : { '@lng': lng, '@lat': lat };
  const own = isObject(properties) ? spread(properties) : {};
  const fields = { ...own, ...(id === undefined ? {} : { '@id': id }), ...point };
  return { ...common, fields, broken: null, geometry };
}

function pointOf(geometry: unknown): unknown[] {
  const point = isObject(geometry) && geometry.type === 'Point' ? geometry.coordinates : null;
  return Array.isArray(point) ? point : [];
}

/** `{"address": {"city": "Reno"}}` has the column `address.city`. */
function spread(value: Record<string, unknown>, before = '', depth = 0): RecordFields {
  const fields: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (isObject(member) && depth < 5) Object.assign(fields, spread(member, `${before}${name}.`, depth + 1));
    else fields[before + name] = member;
  }
  return fields;
}
