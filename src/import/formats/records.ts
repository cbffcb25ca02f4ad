// Records of a file of any format: CSV, GeoJSON, a JSON array or one JSON object a line, compressed or not.

import { createReadStream, type ReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { parseJson } from '../../lib/json.ts';
import { type CsvOptions, readCsv } from './csv.ts';
import { markedEncoding, requireText, SIGNATURE_BYTES } from './file-signature.ts';
import { readGeoJson, readJsonArray } from './json-document.ts';
import { readJsonLines } from './json-lines.ts';
import { FileFault, type Format, type Records } from './record.ts';

export interface OpenedFile extends Records {
  /** Bytes of the file, as it lies there. */
  readonly size: number;
  /** How many of them the records that were taken so far have come from, true to a few dozen KB of text. */
  bytesTaken(): number;
  close(): void;
}

/** Opens a file of listings or areas; its form and compression are told by its content. Throws FileFault. */
/** How a file is written, where its name and first bytes do not tell. */
export interface FileRules {
  readonly format?: Format;
  readonly delimiter?: string;
  readonly encoding?: string;
}

export async function openRecords(path: string, rules: FileRules = {}): Promise<OpenedFile> {
  const { size } = await regularFile(path);
  if (size === 0) throw new FileFault(`${path} is empty.`);
  const encoding = rules.encoding ?? 'utf-8';
  const format = rules.format ?? (await formatOf(path, encoding));
  const { file, texts, bytesTaken } = await readTexts(path, encoding);
  const close = () => void file.destroy();
  const marked = encoding !== 'utf-8';
  try {
    const records = await readAs(format, texts, { delimiter: rules.delimiter ?? ',', marked });
    return { ...records, size, bytesTaken, close };
  } catch (error) {
    close();
    throw error;
  }
}

function readAs(format: Format, texts: AsyncIterable<string>, csv: CsvOptions): Promise<Records> {
  if (format === 'geojson') return readGeoJson(texts);
  if (format === 'json') return readJsonArray(texts);
  return format === 'ndjson' ? readJsonLines(texts) : readCsv(texts, csv);
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

/** Unpacks what is asked for and no more, so that its place in the file tells how far the records are. */
const UNHURRIED = { chunkSize: 16 * 1024, readableHighWaterMark: 1 };

/** The texts of a file, decompressed where it begins with gzip's mark. */
async function readTexts(
  path: string,
  encoding: string,
): Promise<{ file: ReadStream; texts: AsyncIterable<string>; bytesTaken(): number }> {
  const compressed = await isGzip(path);
  const file = createReadStream(path, { highWaterMark: 64 * 1024 });
  const unpacked = createGunzip(UNHURRIED);
  // The reader of the texts meets every error of the chain by itself.
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

async function isGzip(path: string): Promise<boolean> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.readUInt16BE() === 0x1f8b;
  } finally {
    await handle.close();
  }
}

/** What a byte-order mark says goes before what the map says: it is of the file itself. */
async function* decode(bytes: AsyncIterable<Buffer>, said: string, path: string): AsyncGenerator<string> {
  let encoding = said;
  try {
    let beginning: Buffer | null = Buffer.alloc(0);
    let decoder = new TextDecoder(encoding, { fatal: true });
    for await (const chunk of bytes) {
      if (beginning === null) {
        yield decoder.decode(chunk, { stream: true });
        continue;
      }
      beginning = Buffer.concat([beginning, chunk]);
      if (beginning.length < SIGNATURE_BYTES) continue;
      [encoding, decoder] = decoderOf(beginning, said, path);
      yield decoder.decode(beginning, { stream: true });
      beginning = null;
    }
    if (beginning !== null) {
      [encoding, decoder] = decoderOf(beginning, said, path);
      yield decoder.decode(beginning, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
      const other = encoding === 'utf-8' ? 'windows-1252' : 'utf-8';
      throw new FileFault(
        `${path} is not written in ${encoding}: say "file": {"encoding": "${other}"} in the map.`,
      );
    }
    if (code?.startsWith('Z_')) throw new FileFault(`${path} is damaged or cut short: ${message}.`);
    throw error;
  }
}

/** Throws FileFault for a file that is no text. */
function decoderOf(beginning: Buffer, said: string, path: string): [string, TextDecoder] {
  requireText(beginning.subarray(0, SIGNATURE_BYTES), path);
  const encoding = markedEncoding(beginning) ?? said;
  return [encoding, new TextDecoder(encoding, { fatal: true })];
}

/** JSON begins with a bracket or a brace; a whole object on the first line, with more to follow, is one of many. */
async function formatOf(path: string, encoding: string): Promise<Format> {
  const { file, texts } = await readTexts(path, encoding);
  let beginning = '';
  for await (const text of texts) {
    beginning += text;
    if (beginning.length > 1_000_000 || beginning.trimStart().includes('\n')) break;
  }
  file.destroy();
  const trimmed = beginning.trimStart();
  if (trimmed.startsWith('[')) return 'json';
  if (!trimmed.startsWith('{')) return 'csv';
  const [line = ''] = trimmed.split('\n', 1);
  const first = parseJson(line) as { type?: unknown } | undefined;
  return first === undefined || first.type === 'FeatureCollection' ? 'geojson' : 'ndjson';
}
