// Writer of an archive: documents and parts into a tar file, that compressed, its checksum behind it, and all of it sealed if wanted.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import {
  type ArchiveHeader,
  type ArchiveManifest,
  HEADER_NAME,
  MANIFEST_NAME,
  MAX_MEMBER_BYTES,
  type PartRecord,
  partName,
} from './format.ts';
import { type SealOptions, seal } from './seal.ts';
import { END_OF_TAR, tarHeader, tarPadding } from './tar.ts';
import { withTrailer } from './trailer.ts';

/** Of zstd, from 1 to 22. */
const LEVEL = 3;
/** Bytes that the compressor hands over at once. */
const CHUNK_BYTES = 1024 * 1024;

const compressFrame = promisify(zstdCompress);

export interface WriteOptions {
  readonly header: ArchiveHeader;
  /** Where the archive goes; ended at its end, destroyed if it fails. */
  readonly output: Writable;
  /** Null: not encrypted. */
  readonly seal: SealOptions | null;
  /** Ends the writing with its reason. */
  readonly signal?: AbortSignal;
}

/** What the writer itself does not know of the manifest. */
export type ManifestFacts = Omit<ArchiveManifest, 'parts' | 'tables'>;

export interface ArchiveWriter {
  /**
   * Adds rows of a table, in the text format of COPY, the last one ended by a line feed. May be called while another call is
   * under way; resolves when there is room for more.
   */
  addPart(table: string, rows: number, chunks: readonly Buffer[]): Promise<void>;
  /** Adds a member that is no table. */
  addFile(name: string, content: Buffer): Promise<void>;
}

/**
 * Writes an archive: `fill` adds what is in it and returns what the manifest says of it. Resolves when the output has all of
 * it. Throws what `fill` throws, the errors of the output, and the reason of the signal; the output then holds no whole archive.
 */
export async function writeArchive(
  { header, output, seal: sealing, signal }: WriteOptions,
  fill: (writer: ArchiveWriter) => Promise<ManifestFacts>,
): Promise<ArchiveManifest> {
  const frames = new PassThrough();
  const stopping = new AbortController();
  const written = pipeline(
    frames,
    (source: AsyncIterable<Buffer>) =>
      sealing === null ? withTrailer(source) : seal(withTrailer(source), sealing),
    output,
    { signal: signal === undefined ? stopping.signal : AbortSignal.any([stopping.signal, signal]) },
  );
  // Whoever waits for room would wait for ever once nothing is read any more.
  const failed = written.then(() => new Promise<never>(() => {}));
  failed.catch(() => {});
  const members = new Members(frames, failed, header);
  try {
    await members.addFile(HEADER_NAME, json(header));
    const facts = await fill(members);
    const manifest = { ...facts, tables: members.tables(), parts: members.parts };
    await members.addFile(MANIFEST_NAME, json(manifest));
    await members.add(END_OF_TAR);
    frames.end();
    await written;
    return manifest;
  } catch (error) {
    stopping.abort(error);
    const reason = await written.then(
      () => error,
      (cause: unknown) => cause,
    );
    // An abort hides why.
    throw signal?.aborted ? signal.reason : (reason as Error).name === 'AbortError' ? error : reason;
  }
}

const json = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, null, 1)}\n`);

/** Members of the tar file, one after another whoever adds them. */
class Members implements ArchiveWriter {
  readonly parts: PartRecord[] = [];
  readonly #counts = new Map<string, { rows: number; bytes: number; parts: number }>();
  readonly #output: Writable;
  readonly #failed: Promise<never>;
  readonly #modified: number;
  #queue: Promise<void> = Promise.resolve();

  constructor(output: Writable, failed: Promise<never>, header: ArchiveHeader) {
    this.#output = output;
    this.#failed = failed;
    this.#modified = Math.floor(Date.parse(header.createdAt) / 1_000);
    for (const { name } of header.tables) this.#counts.set(name, { rows: 0, bytes: 0, parts: 0 });
  }

  tables(): ArchiveManifest['tables'] {
    return [...this.#counts].map(([name, { rows, bytes }]) => ({ name, rows, bytes }));
  }

  async addPart(table: string, rows: number, chunks: readonly Buffer[]): Promise<void> {
    const count = this.#counts.get(table);
    if (count === undefined) throw new Error(`The header of the archive does not name the table ${table}`);
    const content = Buffer.concat(chunks);
    const sha256 = createHash('sha256').update(content).digest('hex');
    const part = { name: partName(table, ++count.parts), rows, bytes: content.length, sha256 };
    count.rows += rows;
    count.bytes += content.length;
    this.parts.push(part);
    await this.addFile(part.name, content);
  }

  /** The order of the calls is that of the archive. */
  async addFile(name: string, content: Buffer): Promise<void> {
    const size = content.length;
    if (size > MAX_MEMBER_BYTES)
      throw new RangeError(`${name} has ${size} bytes, which is more than an archive may hold`);
    const header = tarHeader({ name, size, modified: this.#modified });
    await this.add(Buffer.concat([header, content, tarPadding(size)]));
  }

  /**
   * Adds bytes of the tar file as a frame of their own: frames are compressed in several threads at once. (zlib's streams end too early
   * with threads of zstd's own, in Node 26.)
   */
  async add(bytes: Buffer): Promise<void> {
    const frame = compressFrame(bytes, {
      chunkSize: CHUNK_BYTES,
      pledgedSrcSize: bytes.length,
      params: { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_checksumFlag]: 1 },
    });
    const added = this.#queue.then(async () => this.#write(await frame));
    this.#queue = added.catch(() => {});
    await added;
  }

  async #write(frame: Buffer): Promise<void> {
    if (!this.#output.write(frame)) await Promise.race([once(this.#output, 'drain'), this.#failed]);
  }
}
