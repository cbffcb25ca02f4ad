// Set of digests of texts in bounded memory: what does not fit is sorted into files and compared in the end.

import { createHash } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Digests that are kept in memory; 8 bytes each. */
const MAX_IN_MEMORY = 1_000_000;
const BUCKETS = 128;
/** Digests of a bucket that are written at once. */
const BUFFERED = 2_048;
const BYTES = 8;

/** Counts how many of the texts added repeat an earlier one. */
export class DigestSet {
  readonly #max: number;
  #seen: BigUint64Array;
  #size = 0;
  #folder: string | null = null;
  #buckets: { readonly file: FileHandle; readonly buffer: Buffer; used: number }[] = [];

  /** @param max digests in memory */
  constructor(max: number = MAX_IN_MEMORY) {
    this.#max = max;
    this.#seen = new BigUint64Array(Math.min(max, 1_024));
  }

  async add(text: string): Promise<void> {
    const digest = createHash('md5').update(text).digest().readBigUInt64LE(0);
    if (this.#folder !== null) return this.#spill(digest);
    if (this.#size === this.#max) {
      await this.#openBuckets();
      for (const each of this.#seen.subarray(0, this.#size)) await this.#spill(each);
      this.#seen = new BigUint64Array(0);
      return this.#spill(digest);
    }
    if (this.#size === this.#seen.length) {
      const larger = new BigUint64Array(Math.min(this.#max, this.#size * 2));
      larger.set(this.#seen);
      this.#seen = larger;
    }
    this.#seen[this.#size++] = digest;
  }

  /** How many texts were there already. */
  async repeats(): Promise<number> {
    if (this.#folder === null) return countRepeats(this.#seen.subarray(0, this.#size));
    let repeats = 0;
    for (const bucket of this.#buckets) {
      await flush(bucket);
      const { size } = await bucket.file.stat();
      const bytes = Buffer.alloc(size);
      await bucket.file.read(bytes, 0, size, 0);
      repeats += countRepeats(new BigUint64Array(bytes.buffer, bytes.byteOffset, size / BYTES));
    }
    return repeats;
  }

  /** Removes the files. */
  async close(): Promise<void> {
    for (const { file } of this.#buckets) await file.close();
    this.#buckets = [];
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
    this.#folder = null;
  }

  async #openBuckets(): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), 'freehold-keys-'));
    for (let at = 0; at < BUCKETS; at++) {
      const file = await open(join(this.#folder, String(at)), 'w+', 0o600);
      this.#buckets.push({ file, buffer: Buffer.alloc(BUFFERED * BYTES), used: 0 });
    }
  }

  async #spill(digest: bigint): Promise<void> {
    const bucket = this.#buckets[Number(digest % BigInt(BUCKETS))];
    if (bucket === undefined) return;
    bucket.buffer.writeBigUInt64LE(digest, bucket.used);
    bucket.used += BYTES;
    if (bucket.used === bucket.buffer.length) await flush(bucket);
  }
}

async function flush(bucket: {
  readonly file: FileHandle;
  readonly buffer: Buffer;
  used: number;
}): Promise<void> {
  await bucket.file.appendFile(bucket.buffer.subarray(0, bucket.used));
  bucket.used = 0;
}

function countRepeats(digests: BigUint64Array): number {
  const sorted = digests.slice().sort();
  let repeats = 0;
  for (let at = 1; at < sorted.length; at++) if (sorted[at] === sorted[at - 1]) repeats++;
  return repeats;
}
