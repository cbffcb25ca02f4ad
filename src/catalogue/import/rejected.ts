// Owns the file of rejected rows: each as it stood in its file, with the reason, so that it can be corrected and imported.

import { type FileHandle, open, rm } from 'node:fs/promises';
import { FileFault } from './record.ts';

export interface RejectedRow {
  readonly row: number;
  readonly original: readonly string[];
  readonly reason: string;
}

/** Nothing is created before the first row is rejected. */
export class RejectedFile {
  readonly path: string;
  readonly #headings: readonly string[];
  #handle: FileHandle | null = null;
  #bytes = 0;

  private constructor(path: string, headings: readonly string[]) {
    this.path = path;
    this.#headings = headings;
  }

  /** `bytes`: how much of it an earlier run is known to have written; what follows those is dropped. */
  static async open(path: string, headings: readonly string[], bytes: number): Promise<RejectedFile> {
    const file = new RejectedFile(path, headings);
    if (bytes === 0) await rm(path, { force: true }).catch((error: unknown) => unwritable(path, error));
    else await file.#continue(bytes);
    return file;
  }

  /** Bytes on the disk that a checkpoint may speak of. */
  get bytes(): number {
    return this.#bytes;
  }

  async write(rows: readonly RejectedRow[]): Promise<void> {
    if (rows.length === 0) return;
    try {
      this.#handle ??= await open(this.path, 'w');
      const heading =
        this.#bytes === 0 ? csvLine([...this.#headings, 'rejected_row', 'rejected_reason']) : '';
      const lines = rows.map(({ row, original, reason }) =>
        csvLine([...sized(original, this.#headings.length), String(row), reason]),
      );
      const text = Buffer.from(heading + lines.join(''));
      await this.#handle.write(text, 0, text.length, this.#bytes);
      // The checkpoint that follows must not know more than the disk does.
      await this.#handle.datasync();
      this.#bytes += text.length;
    } catch (error) {
      unwritable(this.path, error);
    }
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  async #continue(bytes: number): Promise<void> {
    const handle = await open(this.path, 'r+').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null; // It was taken away: what is rejected from now on goes into a new one.
      return unwritable(this.path, error);
    });
    if (handle === null) return;
    const { size } = await handle.stat();
    this.#bytes = Math.min(size, bytes);
    await handle.truncate(this.#bytes);
    this.#handle = handle;
  }
}

function unwritable(path: string, error: unknown): never {
  throw new FileFault(
    `Rejected rows cannot be written to ${path}: ${(error as Error).message}. Name another file with --rejected.`,
  );
}

/** A broken row may have more fields than there are headings: what is too much goes into the last one. */
function sized(original: readonly string[], width: number): string[] {
  const fields = original.slice(0, width);
  if (original.length > width) fields[width - 1] = original.slice(width - 1).join(',');
  return Array.from({ length: width }, (_, at) => fields[at] ?? '');
}

function csvLine(fields: readonly string[]): string {
  const quoted = fields.map((field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field));
  return `${quoted.join(',')}\n`;
}
