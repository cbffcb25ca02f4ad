// Owns reading records from JSON: the features of a GeoJSON collection, or one object a line.

import { Readable } from 'node:stream';
import { FileFault, type RecordFields, type Records, type SourceRecord } from './record.ts';

/** Characters that a GeoJSON file may have: it is parsed whole. */
const LONGEST_COLLECTION = 400_000_000;
/** Characters of one line. */
const LONGEST_LINE = 16 * 1024 * 1024;
/** Lines that are looked at to know the columns. */
const LOOKED_AT = 100;

const HEADINGS = ['record'];

export async function readGeoJson(texts: AsyncIterable<string>): Promise<Records> {
  const parts: string[] = [];
  let length = 0;
  for await (const text of texts) {
    length += text.length;
    if (length > LONGEST_COLLECTION) {
      throw new FileFault(
        'The GeoJSON file is too large to be read whole: write one feature a line instead.',
      );
    }
    parts.push(text);
  }
  const features = featuresOf(parts.join(''));
  const columns = new Set<string>();
  const records = features.map((feature, at) => recordOf(feature, at + 1));
  for (const { fields } of records) for (const name of Object.keys(fields)) columns.add(name);
  return {
    columns: [...columns],
    headings: HEADINGS,
    complete: true,
    total: records.length,
    rows: Readable.from(records),
  };
}

function featuresOf(text: string): unknown[] {
  let collection: unknown;
  try {
    collection = JSON.parse(text);
  } catch (error) {
    throw new FileFault(`The file is not JSON: ${(error as Error).message}.`);
  }
  const { features } = (collection ?? {}) as { features?: unknown };
  if (Array.isArray(features)) return features;
  throw new FileFault('The file is no GeoJSON FeatureCollection: it has no list of features.');
}

export async function readJsonLines(texts: AsyncIterable<string>): Promise<Records> {
  const records = jsonRecords(lines(texts));
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
  return { columns, headings: HEADINGS, complete: first.length < LOOKED_AT, total: null, rows: rows() };
}

async function* jsonRecords(texts: AsyncIterable<string>): AsyncGenerator<SourceRecord> {
  let row = 0;
  for await (const line of texts) {
    row++;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (error) {
      const broken = `the line is not JSON: ${(error as Error).message}`;
      yield { row, fields: {}, original: [line], broken, geometry: null };
      continue;
    }
    yield recordOf(value, row);
  }
}

async function* lines(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of texts) {
    const found = (rest + text).split('\n');
    rest = found.pop() ?? '';
    if (rest.length > LONGEST_LINE)
      throw new FileFault('The file has a line of more than 16 million characters.');
    for (const line of found) if (line.trim() !== '') yield line;
  }
  if (rest.trim() !== '') yield rest;
}

/** A feature's properties, its id and its point; of another object its members. Inner objects are spread out. */
function recordOf(value: unknown, row: number): SourceRecord {
  const none = { row, fields: {}, original: [JSON.stringify(value)], geometry: null };
  if (!isObject(value)) return { ...none, broken: 'it is not an object' };
  if (value.type !== 'Feature') return { ...none, fields: spread(value), broken: null };
  const { properties, geometry, id } = value;
  const [lng, lat] = pointOf(geometry);
  const place = lng === undefined ? {} : { '@lng': lng, '@lat': lat };
  const own = isObject(properties) ? spread(properties) : {};
  const fields = { ...own, ...(id === undefined ? {} : { '@id': id }), ...place };
  // Boundaries are long and need no correcting by hand: the rejected row tells which feature it was.
  return { row, fields, original: [JSON.stringify({ id, properties })], broken: null, geometry };
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

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
