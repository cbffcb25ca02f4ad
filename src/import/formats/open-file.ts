// Opening of a file: its compression, encoding and format, and its records.

import { createReadStream, type ReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { readBeginning } from '../../lib/files.ts';
import { parseJson } from '../../lib/parse.ts';
import { type CsvOptions, readCsv } from './csv.ts';
import { decodeMarked, otherEncoding } from './encoding.ts';
import { readGeoJson, readJsonArray, readJsonLines } from './json.ts';
import { FileFault, type Format, type Records } from './record.ts';

export interface OpenedFile extends Records {
  /** Bytes of the file on disk. */
  readonly size: number;
  /** How many of them are read for the records so far, exact to a few dozen KB of text. */
  bytesTaken(): number;
  close(): void;
}

/** How a file is written, where its content does not show it. */
export interface FileRules {
  readonly format?: Format;
  readonly delimiter?: string;
  readonly encoding?: string;
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
  const { size } = await regularFile(path);
  if (size === 0) throw new FileFault(`${path} is empty.`);
  const encoding = rules.encoding ?? 'utf-8';
  const format = rules.format ?? (await formatOf(path, encoding));
  const { file, texts, bytesTaken } = await readTexts(path, encoding);
  const close = () => void file.destroy();
  const marked = encoding !== 'utf-8';
  try {
    const { delimiter = ',' } = rules;
    const records = await readAs(format, texts, { delimiter, marked, encoding, isUsable });
    return { ...records, size, bytesTaken, close };
  } catch (error) {
    close();
    throw error;
  }
}

function readAs(format: Format, texts: AsyncIterable<string>, csv: CsvOptions): Promise<Records> {
  if (format === 'geojson') return readGeoJson(texts, csv.encoding);
  if (format === 'json') return readJsonArray(texts, csv.encoding);
  return format === 'ndjson' ? readJsonLines(texts, csv.encoding) : readCsv(texts, csv);
}

async function regularFile(path: string) {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new FileFault(
      error.code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read: ${error.message}.`,
    );
  });
  if (found.isFile()) return found;
  throw new FileFault(
    `${path} is not a regular file: an import reads its file twice, so save it to disk first.`,
  );
}

export const GZIP_MARK = Buffer.from([0x1f, 0x8b]);
/** Unpacks no more than is requested, so that its position in the file shows how far the records are. */
const GUNZIP_OPTIONS = { chunkSize: 16 * 1024, readableHighWaterMark: 1 };

/** The texts of a file, decompressed where it begins with gzip's mark. */
async function readTexts(
  path: string,
  encoding: string,
): Promise<{ file: ReadStream; texts: AsyncIterable<string>; bytesTaken(): number }> {
  const compressed = (await readBeginning(path, 2)).equals(GZIP_MARK);
  const file = createReadStream(path, { highWaterMark: 64 * 1024 });
  const unpacked = createGunzip(GUNZIP_OPTIONS);
  // Every error of the chain reaches the reader of the texts.
  const bytes: Readable = compressed ? pipeline(file, unpacked, () => {}) : file;
  let taken = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      taken = compressed ? unpacked.bytesWritten : taken + (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  }
  return { file, texts: decode(counted(), encoding, path), bytesTaken: () => taken };
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
async function formatOf(path: string, encoding: string): Promise<Format> {
  const { file, texts } = await readTexts(path, encoding);
  let beginning = '';
  for await (const text of texts) {
    beginning += text;
    if (beginning.length > 1_000_000 || /^.*\n.*\n/.test(beginning.trimStart())) break;
  }
  file.destroy();
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

const WORKBOOK = 'save the sheet that you mean as "CSV UTF-8", and import that file';

const UNPACK = 'unpack it, and import the file that is in it';

const CONVERT = 'export it as CSV or GeoJSON, and import that file (ogr2ogr and DuckDB do so)';

/** What begins with these bytes, read as Latin-1, at this place; the first that fits counts. */
const FORMS = [
  { begins: 'PK\x03\x04', holds: /xl\/|\[Content_Types\]\.xml/, is: 'an Excel workbook', remedy: WORKBOOK },
  {
    begins: 'PK\x03\x04',
    holds: /opendocument\.spreadsheet/,
    is: 'an OpenDocument workbook',
    remedy: WORKBOOK,
  },
  { begins: 'PK\x03\x04', is: 'a zip archive', remedy: UNPACK },
  { begins: '\xd0\xcf\x11\xe0', is: 'an Excel workbook of the old form', remedy: WORKBOOK },
  { begins: 'BZh', is: 'packed by bzip2', remedy: UNPACK },
  { begins: '\xfd7zXZ', is: 'packed by xz', remedy: UNPACK },
  { begins: '\x28\xb5\x2f\xfd', is: 'packed by zstd', remedy: UNPACK },
  { begins: '7z\xbc\xaf', is: 'a 7-Zip archive', remedy: UNPACK },
  { begins: 'ustar', at: 257, is: 'a tar archive', remedy: UNPACK },
  { begins: 'PAR1', is: 'a Parquet file', remedy: CONVERT },
  { begins: 'SQLite format 3', is: 'a SQLite database (a GeoPackage is one)', remedy: CONVERT },
  { begins: '\x00\x00\x27\x0a', is: 'an ESRI shapefile', remedy: CONVERT },
  { begins: '%PDF', is: 'a PDF', remedy: 'it holds pages, not records: ask for the data as CSV' },
] as const satisfies readonly { begins: string; at?: number; holds?: RegExp; is: string; remedy: string }[];

/** Throws FileFault for a file that is known to be no text, naming what it is and what to do. */
export function requireText(beginning: Buffer, path: string): void {
  const text = beginning.toString('latin1');
  const form = FORMS.find(
    (each) =>
      text.startsWith(each.begins, 'at' in each ? each.at : 0) &&
      (!('holds' in each) || each.holds.test(text)),
  );
  if (form !== undefined) throw new FileFault(`${path} is ${form.is}: ${form.remedy}.`);
  if (markedEncoding(beginning) === null && text.includes('\0'))
    throw new FileFault(`${path} is no text, or UTF-16 without a byte-order mark: save it as UTF-8.`);
}
