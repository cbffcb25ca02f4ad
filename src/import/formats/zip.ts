// Zip archives: their entries, checked against what an archive of listings can be, and the content of one.

import { extname } from 'node:path/posix';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { bytesText, INFLATION } from './inflation.ts';
import { FileFault } from './record.ts';

const MAX_ENTRIES = 10_000;

export interface ZipEntry {
  readonly name: string;
  /** Bytes in the archive. */
  readonly packed: number;
  /** Bytes unpacked. */
  readonly size: number;
}

export interface ZipContent {
  readonly bytes: AsyncIterable<Buffer>;
  close(): void;
}

/** An archive whose entries are within the limits. Its file is open until it is closed. */
export class ZipArchive {
  readonly #path: string;
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;

  constructor(path: string, zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#path = path;
    this.#zip = zip;
    this.#entries = entries;
  }

  get entries(): readonly ZipEntry[] {
    return [...this.#entries.values()].map(({ fileName, compressedSize, uncompressedSize }) => ({
      name: fileName,
      packed: compressedSize,
      size: uncompressedSize,
    }));
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** The unpacked bytes of an entry, checked by its sum. Throws FileFault, also while they are read. */
  async open(name: string): Promise<ZipContent> {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw new FileFault(`${this.#path} has no part ${name}: it is damaged.`);
    const stream = await this.#zip.openReadStreamPromise(entry).catch((error: Error) => {
      throw damaged(this.#path, error);
    });
    // It may fail before it is read; who reads it then gets the error.
    stream.on('error', () => {});
    return { bytes: checkedBytes(this.#path, stream, entry), close: () => void stream.destroy() };
  }

  close(): void {
    this.#zip.close();
  }
}

/** Opens an archive and checks every entry. Throws FileFault that names the entry at fault. */
export async function openZip(path: string): Promise<ZipArchive> {
  const zip = await openPromise(path, { autoClose: false }).catch((error: Error) => {
    throw damaged(path, error);
  });
  try {
    if (zip.entryCount > MAX_ENTRIES)
      throw new FileFault(
        `${path} has ${zip.entryCount} entries, and an archive may have ${MAX_ENTRIES}: unpack it, and import the file that you mean.`,
      );
    const entries = new Map<string, Entry>();
    let total = 0;
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue;
      checkEntry(path, entry);
      total += entry.uncompressedSize;
      if (total > INFLATION.maxBytes)
        throw new FileFault(
          `${path} unpacks to more than ${bytesText(INFLATION.maxBytes)}, the most that an archive may hold: unpack it, and import the file that you mean.`,
        );
      if (entries.has(entry.fileName))
        throw new FileFault(
          `${path} holds ${shown(entry.fileName)} twice, and nobody can know which of them is meant.`,
        );
      entries.set(entry.fileName, entry);
    }
    return new ZipArchive(path, zip, entries);
  } catch (error) {
    zip.close();
    throw error instanceof FileFault ? error : damaged(path, error as Error);
  }
}

const LINK = 0xa000;
const FILE_TYPE = 0xf000;
/** What is in these would be read by nobody. */
const ARCHIVES = /\.(?:zip|gz|tgz|bz2|xz|zst|7z|rar|tar)$/i;

function checkEntry(path: string, entry: Entry): void {
  const name = shown(entry.fileName);
  if (((entry.externalFileAttributes >>> 16) & FILE_TYPE) === LINK)
    throw new FileFault(`${path} holds the link ${name}: an archive of listings holds files only.`);
  if (ARCHIVES.test(entry.fileName))
    throw new FileFault(
      `${path} holds the archive ${name}: archives within archives are not read. Unpack it, and import that file.`,
    );
  if (entry.isEncrypted())
    throw new FileFault(
      `${path} holds ${name} under a password: unpack it with the password, and import that file.`,
    );
  if (
    entry.uncompressedSize > INFLATION.freeBytes &&
    entry.uncompressedSize > entry.compressedSize * INFLATION.maxRatio
  )
    throw new FileFault(
      `${path} holds ${name}, which is more than ${INFLATION.maxRatio} times as large unpacked: it looks like a decompression bomb. If it is none, unpack it, and import that file.`,
    );
}

async function* checkedBytes(path: string, stream: Readable, entry: Entry): AsyncGenerator<Buffer> {
  let sum = 0;
  try {
    for await (const chunk of stream) {
      sum = crc32(chunk as Buffer, sum);
      yield chunk as Buffer;
    }
  } catch (error) {
    throw error instanceof FileFault ? error : damaged(path, error as Error);
  } finally {
    stream.destroy();
  }
  if (sum !== entry.crc32)
    throw damaged(path, new Error(`the checksum of ${shown(entry.fileName)} is another one`));
}

function damaged(path: string, { message }: Error): FileFault {
  if (/relative path|absolute path|invalid characters in fileName/.test(message))
    return new FileFault(
      `${path} holds a file outside of itself (${shown(message)}): unpack it where that is safe, and import the file that you mean.`,
    );
  if (/unsupported compression method/.test(message))
    return new FileFault(
      `${path} is packed in a way that is not read here (${message}): pack it again as an ordinary zip archive, or unpack it.`,
    );
  return new FileFault(`${path} is damaged or cut short: ${shown(message)}.`);
}

/** Names are of strangers: no control characters, and no novels. */
const shown = (text: string): string => text.replace(/\p{C}/gu, '?').slice(0, 200);

const LISTED = /^\.(?:csv|tsv|tab|json|ndjson|jsonl|geojson)$/i;
const MAX_NAMED = 20;

/** The one file of an archive that can be imported. Throws FileFault that lists the candidates. */
export function chooseMember(path: string, { entries }: ZipArchive, wanted: string | undefined): ZipEntry {
  const files = entries.filter(({ name, size }) => size > 0 && !isLeftover(name));
  if (wanted !== undefined) {
    const found = entries.find(({ name }) => name === wanted);
    if (found !== undefined) return found;
    throw new FileFault(`${path} has no file ${wanted}; it has ${namesOf(files)}.`);
  }
  const listed = files.filter(({ name }) => LISTED.test(extname(name)));
  const texts = listed.length > 0 ? listed : files.filter(({ name }) => /\.txt$|^[^.]*$/i.test(baseOf(name)));
  const [only, ...others] = texts;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined)
    throw new FileFault(
      `${path} holds several files that could be meant: ${namesOf(texts)}. Name one with --member, or in the map as "file": {"member": "…"}.`,
    );
  const workbook = files.find(({ name }) => /\.(?:xlsx|xlsm|xls|xlsb|ods)$/i.test(name));
  if (workbook !== undefined)
    throw new FileFault(
      `${path} holds the workbook ${shown(workbook.name)}, which is an archive itself: unpack it, and import that file.`,
    );
  throw new FileFault(
    files.length === 0
      ? `${path} holds no file.`
      : `${path} holds no file of listings (CSV, JSON or GeoJSON), but ${namesOf(files)}. If one of them is, name it with --member; shapefiles and databases are exported as CSV or GeoJSON first.`,
  );
}

const baseOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

/** What systems leave in archives. */
const isLeftover = (name: string): boolean =>
  name.startsWith('__MACOSX/') || /^(?:\.|thumbs\.db$|desktop\.ini$)/i.test(baseOf(name));

const namesOf = (files: readonly ZipEntry[]): string =>
  files
    .slice(0, MAX_NAMED)
    .map(({ name }) => shown(name))
    .join(', ') + (files.length > MAX_NAMED ? ` and ${files.length - MAX_NAMED} more` : '');
