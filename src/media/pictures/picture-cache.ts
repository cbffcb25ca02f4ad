// Cache of files that can be fetched or made again: on the disk, and the ones used last within a number of bytes.

import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';

/** Names of files: what they are of, as `KEY.MORE`. */
const NAME = /^[\w%-]{1,200}\.[\w.-]{1,80}$/;
const UNFINISHED = '.new';

export class PictureCache {
  readonly #folder: string;
  readonly #files: LRUCache<string, { readonly bytes: number }>;
  readonly #report: (error: unknown) => void;
  #count = 0;
  #opened: Promise<void> | null = null;

  /** @param folder absolute; @param maxBytes of all files together */
  constructor(folder: string, maxBytes: number, report: (error: unknown) => void) {
    this.#folder = folder;
    this.#report = report;
    this.#files = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }) => bytes,
      dispose: (_, name, reason) => {
        if (reason !== 'set') void this.#remove(name);
      },
    });
  }

  /** Bytes of all files. */
  get bytes(): number {
    return this.#files.calculatedSize;
  }

  /** The file of a name; null where it is not there any more. */
  async get(name: string): Promise<Buffer | null> {
    await this.#open();
    if (this.#files.get(name) === undefined) return null;
    return readFile(join(this.#folder, name)).catch(() => {
      this.#files.delete(name);
      return null;
    });
  }

  /** Keeps a file, if the disk takes it: without it everything goes on. */
  async put(name: string, file: Buffer): Promise<void> {
    if (!NAME.test(name)) throw new RangeError(`${name} is no name of a file in a cache`);
    await this.#open();
    const path = join(this.#folder, name);
    const temporary = `${path}.${process.pid}-${this.#count++}${UNFINISHED}`;
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o750 });
      // A machine that loses power keeps no name without its file.
      await writeFile(temporary, file, { mode: 0o640, flush: true });
      await rename(temporary, path);
      this.#files.set(name, { bytes: Math.max(1, file.length) });
    } catch (error) {
      await rm(temporary, { force: true }).catch(this.#report);
      this.#report(error);
    }
  }

  /** Names of all files. */
  async names(): Promise<readonly string[]> {
    await this.#open();
    return [...this.#files.keys()];
  }

  delete(name: string): void {
    this.#files.delete(name);
  }

  /** Knows the files of an earlier process, those written last as the last ones used. */
  #open(): Promise<void> {
    this.#opened ??= this.#read().catch(this.#report);
    return this.#opened;
  }

  async #read(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    const found: { readonly name: string; readonly bytes: number; readonly at: number }[] = [];
    for (const name of names) {
      const path = join(this.#folder, name);
      const known = await stat(path).catch(() => null);
      if (known === null) continue;
      if (name.endsWith(UNFINISHED) || !NAME.test(name)) await rm(path, { force: true });
      else found.push({ name, bytes: Math.max(1, known.size), at: known.mtimeMs });
    }
    for (const { name, bytes } of found.sort((a, b) => a.at - b.at)) this.#files.set(name, { bytes });
  }

  async #remove(name: string): Promise<void> {
    await rm(join(this.#folder, name), { force: true }).catch(this.#report);
  }
}
