// Opening of a file: its compression, encoding and format, and its records.

import { parseJson } from '../../lib/parse.ts';
import { type CsvOptions, readCsv } from './csv.ts';
import { decodeMarked, otherEncoding } from './encoding.ts';
import { readGeoJson, readJsonArray, readJsonLines } from './json.ts';
import { FileFault, type Format, type Records } from './record.ts';
import { openSheet } from './sheet.ts';
import { openSource } from './source.ts';
import type { ZipArchive } from './zip.ts';

export interface OpenedFile extends Records {
  /** Bytes of the file on disk; of a part of an archive, its bytes unpacked. */
  readonly size: number;
  /** How many of them are read for the records so far, exact to a few dozen KB of text. */
  bytesTaken(): number;
  /** The part of the file that is read; null: all of it. */
  readonly part: FilePart | null;
  close(): void;
}

/** A sheet of a workbook, or a file of a zip archive. */
export interface FilePart {
  readonly kind: 'sheet' | 'member';
  readonly name: string;
  /** Names of sheets that are not read. */
  readonly others: readonly string[];
}

/** How a file is written, where its content does not show it. */
export interface FileRules {
  readonly format?: Format;
  readonly delimiter?: string;
  readonly encoding?: string;
  /** The sheet that is read of a workbook; absent: the one with the most rows. */
  readonly sheet?: string;
  /** The file that is read of an archive; absent: the one that there is. */
  readonly member?: string;
}

/**
 * Opens a file of listings or areas; its content says its compression, and its format where the map does not. Throws FileFault.
 * @param isUsable whether a record of these fields could be imported, by which rows within a text of several lines are known
 */
export async function openRecords(
  path: string,
  rules: FileRules = {},
  isUsable: CsvOptions['isUsable'] = () => false,
): Promise<OpenedFile> {
  const source = await openSource(path, rules.member);
  if (source.kind === 'workbook') return openWorkbook(path, source.archive, rules.sheet);
  const { size, bytesTaken, member } = source;
  const close = () => source.close();
  const encoding = rules.encoding ?? 'utf-8';
  const marked = encoding !== 'utf-8';
  try {
    const format = rules.format ?? (await formatOf(path, rules));
    const { delimiter = ',' } = rules;
    const texts = decode(source.bytes, encoding, path);
    const records = await readAs(format, texts, { delimiter, marked, encoding, isUsable });
    const part: FilePart | null = member === null ? null : { kind: 'member', name: member, others: [] };
    return { ...records, size, bytesTaken, part, close };
  } catch (error) {
    close();
    throw error;
  }
}

async function openWorkbook(
  path: string,
  archive: ZipArchive,
  wanted: string | undefined,
): Promise<OpenedFile> {
  try {
    const { sheet, workbook, ...opened } = await openSheet(path, archive, wanted);
    const others = workbook.sheets.map(({ name }) => name).filter((name) => name !== sheet.name);
    return { ...opened, part: { kind: 'sheet', name: sheet.name, others } };
  } catch (error) {
    archive.close();
    throw error;
  }
}

function readAs(format: Format, texts: AsyncIterable<string>, csv: CsvOptions): Promise<Records> {
  if (format === 'geojson') return readGeoJson(texts, csv.encoding);
  if (format === 'json') return readJsonArray(texts, csv.encoding);
  return format === 'ndjson' ? readJsonLines(texts, csv.encoding) : readCsv(texts, csv);
}

/** The byte-order mark decides before the map does: it is of the file itself. Throws FileFault for a file that is no text. */
async function* decode(
  bytes: AsyncIterable<Buffer>,
  mapEncoding: string,
  path: string,
): AsyncGenerator<string> {
  let encoding = mapEncoding;
  try {
    const chunks = bytes[Symbol.asyncIterator]();
    let beginning = Buffer.alloc(0);
    while (beginning.length < SIGNATURE_BYTES) {
      const { done, value } = await chunks.next();
      if (done) break;
      beginning = Buffer.concat([beginning, value]);
    }
    requireText(beginning.subarray(0, SIGNATURE_BYTES), path);
    encoding = markedEncoding(beginning) ?? mapEncoding;
    async function* all(): AsyncGenerator<Buffer> {
      yield beginning;
      yield* { [Symbol.asyncIterator]: () => chunks };
    }
    if (encoding === 'utf-8' || encoding === 'windows-1252') yield* decodeMarked(all(), encoding);
    else yield* decodeWhole(all(), encoding);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new FileFault(
        `${path} is not written in ${encoding}: say "file": {"encoding": "${otherEncoding(encoding)}"} in the map.`,
      );
    if (code?.startsWith('Z_')) throw new FileFault(`${path} is damaged or cut short: ${message}.`);
    throw error;
  }
}

async function* decodeWhole(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

/** JSON begins with a bracket or a brace; a whole object on the first line, with more to follow, is one of many. */
async function formatOf(path: string, { encoding = 'utf-8', member }: FileRules): Promise<Format> {
  const source = await openSource(path, member);
  if (source.kind === 'workbook') return 'csv'; // It was none a moment ago.
  let beginning = '';
  for await (const text of decode(source.bytes, encoding, path)) {
    beginning += text;
    if (beginning.length > 1_000_000 || /^.*\n.*\n/.test(beginning.trimStart())) break;
  }
  source.close();
  const trimmed = beginning.trimStart();
  if (trimmed.startsWith('[')) return 'json';
  if (!trimmed.startsWith('{')) return 'csv';
  const [line = '', second = ''] = trimmed.split(/[\r\n]+/, 2);
  const first = parseJson(line) as { type?: unknown } | undefined;
  if (first !== undefined) return first.type === 'FeatureCollection' ? 'geojson' : 'ndjson';
  // The first of many objects may be broken; a collection over several lines says that it is one.
  return parseJson(second) === undefined || line.includes('"FeatureCollection"') ? 'geojson' : 'ndjson';
}

/** Bytes of the beginning that are checked. */
export const SIGNATURE_BYTES = 4_096;

const MARKS = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
] as const;

/** The encoding that a byte-order mark at the beginning names; null without one. */
export function markedEncoding(beginning: Buffer): string | null {
  return MARKS.find(([, mark]) => beginning.subarray(0, mark.length).equals(Buffer.from(mark)))?.[0] ?? null;
}

const UNPACK = 'unpack it, and import the file that is in it';

const CONVERT = 'export it as CSV or GeoJSON, and import that file (ogr2ogr and DuckDB do so)';

/** What begins with these bytes, read as Latin-1, at this place; the first that fits counts. */
const FORMS = [
  { begins: 'PK\x03\x04', is: 'a zip archive or a workbook, gzipped', remedy: UNPACK },
  { begins: '\xd0\xcf\x11\xe0', is: 'an Excel workbook of the old form, gzipped', remedy: UNPACK },
  { begins: 'BZh', is: 'packed by bzip2', remedy: UNPACK },
  { begins: '\xfd7zXZ', is: 'packed by xz', remedy: UNPACK },
  { begins: '\x28\xb5\x2f\xfd', is: 'packed by zstd', remedy: UNPACK },
  { begins: '7z\xbc\xaf', is: 'a 7-Zip archive', remedy: UNPACK },
  { begins: 'ustar', at: 257, is: 'a tar archive', remedy: UNPACK },
  { begins: 'PAR1', is: 'a Parquet file', remedy: CONVERT },
  { begins: 'SQLite format 3', is: 'a SQLite database (a GeoPackage is one)', remedy: CONVERT },
  { begins: '\x00\x00\x27\x0a', is: 'an ESRI shapefile', remedy: CONVERT },
  { begins: '%PDF', is: 'a PDF', remedy: 'it holds pages, not records: ask for the data as CSV' },
] as const satisfies readonly { begins: string; at?: number; is: string; remedy: string }[];

/** Throws FileFault for a file that is known to be no text, naming what it is and what to do. */
export function requireText(beginning: Buffer, path: string): void {
  const text = beginning.toString('latin1');
  const form = FORMS.find((each) => text.startsWith(each.begins, 'at' in each ? each.at : 0));
  if (form !== undefined) throw new FileFault(`${path} is ${form.is}: ${form.remedy}.`);
  if (markedEncoding(beginning) === null && text.includes('\0'))
    throw new FileFault(`${path} is no text, or UTF-16 without a byte-order mark: save it as UTF-8.`);
}
