// Digests of an import: of its file, and of the keys that were seen.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** SHA-256 of a file. */
export async function digestOfFile(path: string): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }))
    hash.update(chunk as Buffer);
  return hash.digest();
}

/** Keys seen so far, as 48 bits of a digest each: a file of millions of rows fits in memory. */
export class SeenKeys {
  readonly #seen = new Set<number>();

  /** Whether the key is new. */
  add(key: string): boolean {
    const digest = createHash('md5').update(key).digest();
    const size = this.#seen.size;
    return this.#seen.add(digest.readUIntBE(0, 6)).size > size;
  }
}
