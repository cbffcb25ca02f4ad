// Lists of the keys of a source's listings, so compact that those of millions fit in memory.

import { hash } from 'node:crypto';

/** Keys as 48 bits of a digest each. */
export class KeyList {
  readonly #digests = new Set<number>();

  add(key: string): void {
    this.#digests.add(digestOf(key));
  }

  has(key: string): boolean {
    return this.#digests.has(digestOf(key));
  }

  get size(): number {
    return this.#digests.size;
  }
}

const digestOf = (key: string): number => hash('md5', key, 'buffer').readUIntBE(0, 6);
