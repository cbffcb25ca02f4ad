// Seal of an archive: everything encrypted with a key that is derived from a passphrase, in chunks that are each authenticated.
//
// The construction is that of STREAM (Hoang, Reyhanitabar, Rogaway, Vizár 2015), as age uses it: the nonce of a chunk is its
// number and whether it is the last, so that chunks cannot be changed, swapped, repeated or left out. A key seals one archive only.

import {
  createCipheriv,
  createDecipheriv,
  createHash,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import {
  ArchiveDamaged,
  ArchiveError,
  ArchiveTruncated,
  NewerArchive,
  PassphraseMissing,
  WrongPassphrase,
} from './archive-error.ts';
import type { ByteSource } from './byte-source.ts';

const MAGIC = Buffer.from('freehold-sealed\n');
const VERSION = 1;
/** Layout: magic, version, parameters of scrypt (log2 of N, r, p), salt, check of the passphrase, SHA-256 of all that. */
const SALT_BYTES = 16;
const CHECK_BYTES = 32;
const SUM_BYTES = 32;
const PARAMETERS_AT = MAGIC.length + 1;
const SALT_AT = PARAMETERS_AT + 3;
const CHECK_AT = SALT_AT + SALT_BYTES;
const SUM_AT = CHECK_AT + CHECK_BYTES;
const HEADER_BYTES = SUM_AT + SUM_BYTES;

const KEY_BYTES = 32;
const CHUNK_BYTES = 64 * 1024;
const TAG_BYTES = 16;
/** Of scrypt: N is 2 to this power, so that one guess takes 128 MiB and some tenths of a second. */
const COST = 17;
const BLOCK_SIZE = 8;
const PARALLELIZATION = 1;
/** Beyond these a header is refused rather than obeyed. */
const MAX_COST = 20;
const MAX_BLOCK_SIZE = 16;
const MAX_PARALLELIZATION = 4;

export interface SealOptions {
  readonly passphrase: string;
  /** Binary logarithm of scrypt's N; less only in tests. */
  readonly cost?: number;
}

/** Whether these first bytes of a file are those of a sealed archive. */
export const isSealed = (beginning: Buffer): boolean => beginning.subarray(0, MAGIC.length).equals(MAGIC);

/** The sealed form of some bytes. Throws ArchiveError for an empty passphrase. */
export async function* seal(
  source: AsyncIterable<Buffer>,
  { passphrase, cost = COST }: SealOptions,
): AsyncGenerator<Buffer> {
  if (passphrase === '') throw new ArchiveError('The passphrase is empty: give one of several words.');
  const parameters = Buffer.from([VERSION, cost, BLOCK_SIZE, PARALLELIZATION]);
  const salt = randomBytes(SALT_BYTES);
  const { key, check } = await deriveKey(passphrase, {
    cost,
    blockSize: BLOCK_SIZE,
    parallelization: PARALLELIZATION,
    salt,
  });
  const summed = Buffer.concat([MAGIC, parameters, salt, check]);
  const header = Buffer.concat([summed, sha256(summed)]);
  yield header;
  let number = 0;
  let pending: Buffer = Buffer.alloc(0);
  const encrypt = (bytes: Buffer, isLast: boolean): Buffer => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number++, isLast)).setAAD(header);
    return Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  };
  for await (const chunk of source) {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    // A chunk waits until another byte has come, since the last one is marked.
    while (pending.length > CHUNK_BYTES) {
      yield encrypt(pending.subarray(0, CHUNK_BYTES), false);
      pending = pending.subarray(CHUNK_BYTES);
    }
  }
  yield encrypt(pending, true);
}

/**
 * The bytes that were sealed. Each is authentic, but only the end of the iteration says that none is missing.
 * Throws PassphraseMissing, WrongPassphrase, NewerArchive, ArchiveDamaged and ArchiveTruncated.
 * @param passphrase called once the header was read; null: there is none
 */
export async function* unseal(
  source: ByteSource,
  passphrase: () => Promise<string | null>,
): AsyncGenerator<Buffer> {
  try {
    const header = await source.take(HEADER_BYTES);
    const key = await openHeader(header, passphrase);
    for (let number = 0, isLast = false; !isLast; number++) {
      const chunk = await source.take(CHUNK_BYTES + TAG_BYTES);
      if (chunk.length < TAG_BYTES) throw new ArchiveTruncated();
      isLast = await source.isAtEnd();
      const bytes = decrypt(chunk, key, nonceOf(number, isLast), header);
      if (bytes !== null) yield bytes;
      else if (isLast && decrypt(chunk, key, nonceOf(number, false), header) !== null)
        throw new ArchiveTruncated();
      else
        throw new ArchiveDamaged(
          `its encrypted bytes from ${number * CHUNK_BYTES} on were changed, or end there`,
        );
    }
  } finally {
    await source.close();
  }
}

/** The key of an archive. */
async function openHeader(header: Buffer, passphrase: () => Promise<string | null>): Promise<Buffer> {
  if (header.length < HEADER_BYTES) throw new ArchiveTruncated();
  if (!sha256(header.subarray(0, SUM_AT)).equals(header.subarray(SUM_AT)))
    throw new ArchiveDamaged('the header of its encryption was changed');
  const [version = 0, cost = 0, blockSize = 0, parallelization = 0] = header.subarray(MAGIC.length, SALT_AT);
  const isKnown =
    version === VERSION &&
    cost <= MAX_COST &&
    blockSize <= MAX_BLOCK_SIZE &&
    parallelization <= MAX_PARALLELIZATION;
  if (!isKnown) throw new NewerArchive(null);
  const given = await passphrase();
  if (given === null) throw new PassphraseMissing();
  const salt = header.subarray(SALT_AT, CHECK_AT);
  const { key, check } = await deriveKey(given, { cost, blockSize, parallelization, salt });
  if (!timingSafeEqual(check, header.subarray(CHECK_AT, SUM_AT))) throw new WrongPassphrase();
  return key;
}

interface Derivation {
  readonly cost: number;
  readonly blockSize: number;
  readonly parallelization: number;
  readonly salt: Buffer;
}

/** The key, and bytes that say whether the passphrase is right, and nothing of the key. */
function deriveKey(passphrase: string, derivation: Derivation): Promise<{ key: Buffer; check: Buffer }> {
  const { cost, blockSize, parallelization, salt } = derivation;
  const N = 2 ** cost;
  const options = { N, r: blockSize, p: parallelization, maxmem: 256 * N * blockSize * parallelization };
  return new Promise((resolve, reject) => {
    // The same characters may be typed composed or not.
    scrypt(passphrase.normalize('NFC'), salt, KEY_BYTES + CHECK_BYTES, options, (error, bytes) => {
      if (error !== null) return reject(error);
      resolve({ key: bytes.subarray(0, KEY_BYTES), check: bytes.subarray(KEY_BYTES) });
    });
  });
}

/** Null if the bytes are not those that were sealed. */
function decrypt(chunk: Buffer, key: Buffer, nonce: Buffer, header: Buffer): Buffer | null {
  const end = chunk.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(header)
    .setAuthTag(chunk.subarray(end));
  const bytes = decipher.update(chunk.subarray(0, end));
  try {
    decipher.final();
    return bytes;
  } catch {
    return null;
  }
}

/** 88 bits of number, 8 that mark the last. */
function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(number, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
