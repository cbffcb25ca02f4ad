// Content of a file, unpacked: a text, also of a gzipped file or of one in a zip archive, or a workbook.

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { readBeginning } from '../../lib/files.ts';
import { refuseBomb } from './inflation.ts';
import { COMPOUND_MARK, refuseCompound } from './old-workbook.ts';
import { FileFault } from './record.ts';
import { isWorkbook, MAX_WORKBOOK, refuseOtherWorkbook } from './workbook.ts';
import { chooseMember, openZip, type ZipArchive } from './zip.ts';

export interface TextSource {
  readonly kind: 'text';
  readonly bytes: AsyncIterable<Buffer>;
  /** Bytes of what `bytesTaken` counts. */
  readonly size: number;
  bytesTaken(): number;
  /** The file of the archive that it is; null where the file is none. */
  readonly member: string | null;
  close(): void;
}

export interface WorkbookSource {
  readonly kind: 'workbook';
  readonly archive: ZipArchive;
}

const GZIP_MARK = Buffer.from([0x1f, 0x8b]);
/** Of an archive with entries, and of one without any. */
const ZIP_MARKS = [Buffer.from('PK\x03\x04'), Buffer.from('PK\x05\x06')];
const MARK_BYTES = 8;
/** Unpacks no more than is requested, so that its position in the file shows how far the records are. */
const GUNZIP_OPTIONS = { chunkSize: 16 * 1024, readableHighWaterMark: 1 };

/** Opens a file by what its content begins with. Throws FileFault. @param member the file of an archive that is meant */
export async function openSource(path: string, member?: string): Promise<TextSource | WorkbookSource> {
  const size = await sizeOf(path);
  const beginning = await readBeginning(path, MARK_BYTES);
  if (beginning.equals(COMPOUND_MARK)) return await refuseCompound(path);
  if (beginning.subarray(0, 2).equals(GZIP_MARK)) return openGzip(path, size);
  if (ZIP_MARKS.some((mark) => beginning.subarray(0, 4).equals(mark))) return openArchive(path, size, member);
  const file = createReadStream(path, { highWaterMark: 64 * 1024 }).on('error', () => {});
  let taken = 0;
  const bytes = counted(file, (chunk) => {
    taken += chunk.length;
  });
  return {
    kind: 'text',
    bytes,
    size,
    bytesTaken: () => taken,
    member: null,
    close: () => void file.destroy(),
  };
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new FileFault(
      error.code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read: ${error.message}.`,
    );
  });
  if (!found.isFile())
    throw new FileFault(
      `${path} is not a regular file: an import reads its file twice, so save it to disk first.`,
    );
  if (found.size === 0) throw new FileFault(`${path} is empty.`);
  return found.size;
}

function openGzip(path: string, size: number): TextSource {
  const file = createReadStream(path, { highWaterMark: 64 * 1024 });
  const unpacked = createGunzip(GUNZIP_OPTIONS);
  // Every error of the chain reaches the reader of the texts.
  const bytes: Readable = pipeline(file, unpacked, () => {}).on('error', () => {});
  let [taken, length] = [0, 0];
  const checked = counted(bytes, (chunk) => {
    taken = unpacked.bytesWritten;
    length += chunk.length;
    refuseBomb(path, taken, length);
  });
  return {
    kind: 'text',
    bytes: checked,
    size,
    bytesTaken: () => taken,
    member: null,
    close: () => void file.destroy(),
  };
}

async function openArchive(
  path: string,
  size: number,
  wanted: string | undefined,
): Promise<TextSource | WorkbookSource> {
  const archive = await openZip(path);
  try {
    refuseOtherWorkbook(path, archive);
    if (isWorkbook(archive)) {
      if (size > MAX_WORKBOOK)
        throw new FileFault(
          `${path} has more than ${MAX_WORKBOOK / 1024 ** 2} MB, the most that is read of a workbook: save the sheet that you mean as "CSV UTF-8".`,
        );
      return { kind: 'workbook', archive };
    }
    const member = chooseMember(path, archive, wanted);
    const content = await archive.open(member.name);
    let taken = 0;
    const bytes = counted(content.bytes, (chunk) => {
      taken += chunk.length;
    });
    return {
      kind: 'text',
      bytes,
      size: Math.max(1, member.size),
      bytesTaken: () => taken,
      member: member.name,
      close() {
        content.close();
        archive.close();
      },
    };
  } catch (error) {
    archive.close();
    throw error;
  }
}

async function* counted(
  bytes: AsyncIterable<Buffer | string>,
  count: (chunk: Buffer) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    count(chunk as Buffer);
    yield chunk as Buffer;
  }
}
