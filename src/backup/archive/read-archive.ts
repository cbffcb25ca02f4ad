// Reader of an archive: its header, then parts and files in their order, and the manifest once all bytes were found to be as written.

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdDecompress } from 'node:zlib';
import { ArchiveDamaged, ArchiveTruncated, NewerArchive, NotAnArchive } from './archive-error.ts';
import { ByteSource } from './byte-source.ts';
import {
  ARCHIVE_FORMAT,
  type ArchivedTable,
  type ArchiveHeader,
  type ArchiveManifest,
  HEADER_NAME,
  MANIFEST_NAME,
  MAX_MEMBER_BYTES,
  tableOfPart,
} from './format.ts';
import { isSealed, unseal } from './seal.ts';
import { BLOCK, isEmptyBlock, parseTarHeader, tarPadding } from './tar.ts';
import { checkTrailer } from './trailer.ts';

const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** As many as tell the kinds of files apart. */
const BEGINNING_BYTES = 16;
/** Bytes that the decompressor hands over at once. */
const CHUNK_BYTES = 256 * 1024;

export interface ReadOptions {
  /** Called where the archive is encrypted, once; null: there is no passphrase. */
  readonly passphrase: () => Promise<string | null>;
}

export type ArchiveEntry =
  /** Rows of a table, in the text format of COPY, the last one ended by a line feed. */
  | { readonly kind: 'part'; readonly table: ArchivedTable; readonly rows: Buffer }
  /** A member that is no table: `secrets.key`. */
  | { readonly kind: 'file'; readonly name: string; readonly content: Buffer }
  /** The last entry: everything before it is whole and undamaged. */
  | { readonly kind: 'manifest'; readonly manifest: ArchiveManifest };

export interface ArchiveReader {
  readonly header: ArchiveHeader;
  readonly isEncrypted: boolean;
  /**
   * Everything after the header, once. One entry is in memory at a time. A part of an archive that is not encrypted may be damaged, and
   * only the manifest says that none was: commit nothing before it has come. Throws ArchiveDamaged and ArchiveTruncated.
   */
  readonly entries: AsyncIterable<ArchiveEntry>;
  /** Ends the reading early; the source is closed. Needless once `entries` was iterated. */
  close(): Promise<void>;
}

/**
 * Opens an archive and reads its header.
 *
 * ```ts
 * const archive = await readArchive(createReadStream(file), { passphrase: async () => null });
 * for await (const entry of archive.entries)
 *   if (entry.kind === 'part') await copyIn(entry.table.name, entry.table.columns, entry.rows);
 *   else if (entry.kind === 'manifest') await commit(entry.manifest.sequences);
 * ```
 *
 * Throws NotAnArchive, PassphraseMissing, WrongPassphrase, NewerArchive, ArchiveDamaged and ArchiveTruncated, all of them
 * ArchiveErrors whose messages name the remedy, and the errors of the source.
 */
export async function readArchive(
  file: AsyncIterable<Uint8Array>,
  { passphrase }: ReadOptions,
): Promise<ArchiveReader> {
  const source = new ByteSource(file);
  let close = () => source.close();
  try {
    const beginning = await source.peek(BEGINNING_BYTES);
    const isEncrypted = isSealed(beginning);
    const compressed = isEncrypted ? new ByteSource(unseal(source, passphrase)) : source;
    if (!(await compressed.peek(ZSTD_MAGIC.length)).equals(ZSTD_MAGIC)) throw new NotAnArchive();
    const members = new ByteSource(decompress(compressed.rest()));
    close = () => members.close();
    const header = await readHeader(members);
    return { header, isEncrypted, entries: readEntries(members, header), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The bytes of the tar file. Throws ArchiveDamaged, and the errors of the source. */
async function* decompress(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const decompressor = createZstdDecompress({
    chunkSize: CHUNK_BYTES,
    params: { [constants.ZSTD_d_windowLogMax]: 27 },
  });
  const fed = pipeline(Readable.from(checkTrailer(source)), decompressor);
  // Reported by the iteration below.
  fed.catch(() => {});
  try {
    for await (const chunk of decompressor) yield chunk as Buffer;
    await fed;
  } catch (error) {
    const isCodec = error instanceof Error && 'code' in error && String(error.code).startsWith('ZSTD_');
    throw isCodec ? new ArchiveDamaged('its compressed bytes were changed', { cause: error }) : error;
  } finally {
    decompressor.destroy();
    await fed.catch(() => {});
  }
}

async function readHeader(source: ByteSource): Promise<ArchiveHeader> {
  const first = await readMember(source);
  if (first === null || first.name !== HEADER_NAME) throw new NotAnArchive();
  const header = parseJson<ArchiveHeader>(first.content, HEADER_NAME);
  if (!(header.format <= ARCHIVE_FORMAT)) throw new NewerArchive(header.release ?? null);
  return header;
}

async function* readEntries(source: ByteSource, header: ArchiveHeader): AsyncGenerator<ArchiveEntry> {
  const tables = new Map(header.tables.map((table) => [table.name, table]));
  const sums: string[] = [];
  try {
    for (;;) {
      const member = await readMember(source);
      if (member === null) throw new ArchiveDamaged(`${MANIFEST_NAME} is missing`);
      const { name, content } = member;
      if (name === MANIFEST_NAME) {
        const manifest = parseJson<ArchiveManifest>(content, MANIFEST_NAME);
        await readEnd(source);
        const isComplete = manifest.parts.map(describePart).join('\n') === sums.join('\n');
        if (!isComplete) throw new ArchiveDamaged(`its parts are not those that ${MANIFEST_NAME} lists`);
        yield { kind: 'manifest', manifest };
        return;
      }
      const part = tableOfPart(name);
      const table = part === null ? undefined : tables.get(part);
      if (table !== undefined) {
        const sha256 = createHash('sha256').update(content).digest('hex');
        sums.push(describePart({ name, bytes: content.length, sha256 }));
        yield { kind: 'part', table, rows: content };
      } else if (part === null) yield { kind: 'file', name, content };
      else throw new ArchiveDamaged(`${HEADER_NAME} does not list the table of ${name}`);
    }
  } finally {
    await source.close();
  }
}

const describePart = (part: { name: string; bytes: number; sha256: string }): string =>
  `${part.name} ${part.bytes} ${part.sha256}`;

/** The next member of the tar file; null at its end. */
async function readMember(source: ByteSource): Promise<{ name: string; content: Buffer } | null> {
  const block = await source.take(BLOCK);
  if (block.length < BLOCK) throw new ArchiveTruncated();
  if (isEmptyBlock(block)) return null;
  const member = parseTarHeader(block);
  if (member === null || member.size > MAX_MEMBER_BYTES)
    throw new ArchiveDamaged('the header of one of its members was changed');
  const content = await source.take(member.size);
  const padding = await source.take(tarPadding(member.size).length);
  if (content.length < member.size) throw new ArchiveTruncated();
  if (!isEmptyBlock(padding)) throw new ArchiveDamaged(`bytes follow ${member.name}`);
  return { name: member.name, content };
}

/** Reads to the end of the file, which its trailer is checked at. */
async function readEnd(source: ByteSource): Promise<void> {
  const end = await source.take(2 * BLOCK + 1);
  if (end.length !== 2 * BLOCK || !isEmptyBlock(end))
    throw new ArchiveDamaged(`bytes follow ${MANIFEST_NAME}`);
}

function parseJson<T>(content: Buffer, name: string): T {
  try {
    return JSON.parse(content.toString()) as T;
  } catch (cause) {
    throw new ArchiveDamaged(`${name} was changed`, { cause });
  }
}
