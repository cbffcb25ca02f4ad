// Files of copied pictures: one for each content, under its hash, in folders of two hexadecimal digits.

import { hash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^[0-9a-f]{64}$/;
const FOLDER = /^[0-9a-f]{2}$/;

/** SHA-256 in hexadecimal digits. */
export const hashOf = (file: Buffer): string => hash('sha256', file, 'hex');

export class PictureFiles {
  readonly folder: string;

  /** @param folder absolute */
  constructor(folder: string) {
    this.folder = folder;
  }

  /** Stores a file under its hash; it is on the disk once this resolves. */
  async put(name: string, file: Buffer): Promise<void> {
    const path = this.#pathOf(name);
    const known = await stat(path).catch(() => null);
    if (known?.size === file.length) return;
    await mkdir(join(this.folder, name.slice(0, 2)), { recursive: true, mode: 0o750 });
    const temporary = `${path}.${randomUUID()}.new`;
    const handle = await open(temporary, 'wx', 0o640);
    try {
      await handle.writeFile(file);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
    // Its name is on the disk, too.
    for (const folder of [join(this.folder, name.slice(0, 2)), this.folder]) await syncFolder(folder);
  }

  /** The file with this hash; null where it is not there. */
  async read(name: string): Promise<Buffer | null> {
    return readFile(this.#pathOf(name)).catch(nullIfMissing);
  }

  async has(name: string): Promise<boolean> {
    return (await stat(this.#pathOf(name)).catch(nullIfMissing)) !== null;
  }

  /** Deletes a file, if it is there. */
  async delete(name: string): Promise<void> {
    await rm(this.#pathOf(name), { force: true });
  }

  /** Hashes of the files of a folder, by its two digits, and files that were never finished, by their names. */
  async list(
    folder: string,
  ): Promise<{ readonly names: readonly string[]; readonly unfinished: readonly string[] }> {
    const found = FOLDER.test(folder) ? await readdir(join(this.folder, folder)).catch(nullIfMissing) : null;
    const all = found ?? [];
    return {
      names: all.filter((name) => NAME.test(name)),
      unfinished: all.filter((name) => name.endsWith('.new')),
    };
  }

  /** Deletes a file that was not finished, once it is an hour old by the clock of the disk. */
  async deleteUnfinished(folder: string, name: string, before: number): Promise<void> {
    const path = join(this.folder, folder, name);
    const known = await stat(path).catch(nullIfMissing);
    if (known !== null && known.mtimeMs < before) await rm(path, { force: true });
  }

  #pathOf(name: string): string {
    if (!NAME.test(name)) throw new RangeError('A file is named by its hash');
    return join(this.folder, name.slice(0, 2), name);
  }
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/** Some systems cannot do that with folders: they keep names in their own way. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  if (handle === null) return;
  try {
    await handle.sync().catch(() => {});
  } finally {
    await handle.close();
  }
}
