// Copy of a stream on disk, since an import reads its file more than once.

import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FileFault } from './formats/record.ts';

/** Works with the path of a copy of all that a stream gives, and removes the copy. Throws FileFault where the disk is full. */
export async function withSpooled<T>(
  input: NodeJS.ReadableStream,
  work: (path: string) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'freehold-input-'));
  try {
    const path = join(folder, 'input');
    await pipeline(input, createWriteStream(path, { mode: 0o600 }), {
      ...(signal !== undefined && { signal }),
    }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOSPC')
        throw new FileFault(
          `Standard input does not fit on the disk of ${tmpdir()}: name a larger folder in TMPDIR, or save it as a file.`,
        );
      throw error;
    });
    return await work(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
