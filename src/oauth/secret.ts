// Owns the form of what is issued here: codes and tokens of 256 random bits, with a checksum that tells them from garbage.

import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** What a secret is for, as it stands before its first underscore: none is ever taken for another. */
export type SecretKind = 'ac' | 'at' | 'rt';

const RANDOM_BYTES = 32;
const CHECKSUM_BYTES = 4;
/** Of the whole: a kind, 43 characters of random bits, 6 of checksum. */
const FORM = /^(ac|at|rt)_([\w-]{43})([\w-]{6})$/;

/** A new secret, such as `at_…`: 52 characters of which 43 are random. */
export function newSecret(kind: SecretKind): string {
  return writeSecret(kind, randomBytes(RANDOM_BYTES));
}

/** The secret of this kind with these 32 random bytes. */
export function writeSecret(kind: SecretKind, random: Buffer): string {
  const body = `${kind}_${random.toString('base64url')}`;
  return body + checksum(body);
}

/** The random bytes of a secret; null for what was never issued here as one of this kind. */
export function readSecret(kind: SecretKind, text: string): Buffer | null {
  const [, written, random = '', check] = FORM.exec(text) ?? [];
  // A checksum protects nothing: it only spares the database what cannot be in it.
  if (written !== kind || check !== checksum(`${kind}_${random}`)) return null;
  return Buffer.from(random, 'base64url');
}

/** Whether a text has the form of a secret of this kind, and its checksum. */
export function isSecret(kind: SecretKind, text: string): boolean {
  return readSecret(kind, text) !== null;
}

/** How a secret is stored, and looked up: no comparison then depends on the secret itself. */
export function secretHash(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

function checksum(body: string): string {
  const bytes = Buffer.alloc(CHECKSUM_BYTES);
  bytes.writeUInt32BE(crc32(body));
  return bytes.toString('base64url');
}
