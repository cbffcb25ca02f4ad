// Inspection of an archive before a restore: read from end to end, so that nothing is written for one that is damaged.

import { createReadStream } from 'node:fs';
import { type ArchiveHeader, type ArchiveManifest, KEYS_NAME } from '../archive/format.ts';
import { type ArchiveReader, readArchive } from '../archive/read-archive.ts';

/** An archive that can be read any number of times. */
export interface ArchiveFile {
  readonly path: string;
  /** Null: there is none. */
  readonly passphrase: () => Promise<string | null>;
}

/** A whole and undamaged archive. */
export interface InspectedArchive {
  readonly file: ArchiveFile;
  readonly header: ArchiveHeader;
  readonly manifest: ArchiveManifest;
  /** The keys that seal stored secrets; null: the archive has none. */
  readonly keys: string | null;
}

/** Bytes read at once. */
const CHUNK_BYTES = 1024 * 1024;

/** Opens an archive. Throws ArchiveError, and the errors of the file. */
export function openArchive({ path, passphrase }: ArchiveFile): Promise<ArchiveReader> {
  return readArchive(createReadStream(path, { highWaterMark: CHUNK_BYTES }), { passphrase });
}

/**
 * Reads an archive to its end. Throws ArchiveError where a byte is damaged or missing, and the reason of the signal.
 * @param onProgress called with the bytes of rows so far
 */
export async function inspectArchive(
  path: ArchiveFile,
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<InspectedArchive> {
  // Asked once, even if the file is read twice.
  let passphrase: Promise<string | null> | undefined;
  const file: ArchiveFile = {
    path: path.path,
    passphrase: () => {
      passphrase ??= path.passphrase();
      return passphrase;
    },
  };
  const { header, entries } = await openArchive(file);
  let [keys, bytes]: [string | null, number] = [null, 0];
  for await (const entry of entries) {
    signal.throwIfAborted();
    if (entry.kind === 'manifest') return { file, header, keys, manifest: entry.manifest };
    if (entry.kind === 'file') keys = entry.name === KEYS_NAME ? entry.content.toString() : keys;
    else {
      bytes += entry.rows.length;
      onProgress(bytes);
    }
  }
  throw new Error('An archive ended without its manifest');
}
