// Check of an archive: everything is read, and nothing kept.

import { ArchiveDamaged } from './archive-error.ts';
import type { ArchiveHeader, ArchiveManifest } from './format.ts';
import { type ReadOptions, readArchive } from './read-archive.ts';

export interface VerifiedArchive {
  readonly header: ArchiveHeader;
  readonly manifest: ArchiveManifest;
  readonly isEncrypted: boolean;
  /** Names of members that are no tables. */
  readonly files: readonly string[];
}

export interface VerifyOptions extends ReadOptions {
  /** Called for each part with the rows read so far. */
  readonly onProgress?: (rows: number) => void;
}

/** Reads an archive to its end and counts its rows. Throws like `readArchive`. */
export async function verifyArchive(
  file: AsyncIterable<Uint8Array>,
  options: VerifyOptions,
): Promise<VerifiedArchive> {
  const { header, isEncrypted, entries } = await readArchive(file, options);
  const rows = new Map<string, number>();
  const files: string[] = [];
  let total = 0;
  for await (const entry of entries) {
    if (entry.kind === 'manifest') {
      const { manifest } = entry;
      const wrong = manifest.tables.find((table) => table.rows !== (rows.get(table.name) ?? 0));
      if (wrong === undefined) return { header, manifest, isEncrypted, files };
      throw new ArchiveDamaged(`${wrong.name} has other rows than its manifest counts`);
    }
    if (entry.kind === 'file') files.push(entry.name);
    else {
      const { name } = entry.table;
      const count = countLines(entry.rows);
      rows.set(name, (rows.get(name) ?? 0) + count);
      total += count;
      options.onProgress?.(total);
    }
  }
  // The last entry is the manifest, or reading throws.
  throw new ArchiveDamaged('it has no manifest');
}

const LINE_FEED = 0x0a;

/** Rows of the text format of COPY, in which values have no line feeds. */
export function countLines(rows: Buffer): number {
  let count = 0;
  for (let at = rows.indexOf(LINE_FEED); at >= 0; at = rows.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}
