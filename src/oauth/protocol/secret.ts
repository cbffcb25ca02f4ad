// Owns the form of what is issued here: codes and tokens of 256 random bits, with a checksum that tells them from garbage.

import { hash, randomFillSync } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** What a secret is for, as it stands before its first underscore: none is ever taken for another. */
export type SecretKind = 'ac' | 'at' | 'rt';

export const RANDOM_BYTES = 32;
/** A kind and its underscore, 43 characters of random bits, 6 of checksum. */
const FORM = /^(?:ac|at|rt)_[\w-]{49}$/;
const RANDOM_TO = 46;

/** A new secret, such as `at_…`: 52 characters of which 43 are random. */
export function newSecret(kind: SecretKind): string {
  return writeSecret(kind, draw(RANDOM_BYTES).toString('base64url'));
}

/** The secret of this kind with these 43 random characters. */
export function writeSecret(kind: SecretKind, random: string): string {
  const body = `${kind}_${random}`;
  return body + checksum(body);
}

/** Whether a text has the form of a secret of this kind, and its checksum. */
export function isSecret(kind: SecretKind, text: string): boolean {
  // A checksum protects nothing: it only spares the database what cannot be in it.
  return FORM.test(text) && text.startsWith(kind) && text.endsWith(checksum(text.slice(0, RANDOM_TO)));
}

/** How a secret is stored, and looked up, in hexadecimal: no comparison then depends on the secret itself. */
export function secretHash(secret: string): string {
  return hash('sha256', secret, 'hex');
}

const scratch = Buffer.alloc(4);

function checksum(body: string): string {
  scratch.writeUInt32BE(crc32(body));
  return scratch.toString('base64url');
}

const DRAWN_AT_ONCE = 4_096;
let drawn = Buffer.alloc(0);

/** Random bytes. They are drawn for many at once, which is what makes them cheap, and no byte is given out twice. */
export function draw(bytes: number): Buffer {
  if (drawn.length < bytes) drawn = randomFillSync(Buffer.allocUnsafeSlow(DRAWN_AT_ONCE));
  const random = drawn.subarray(0, bytes);
  drawn = drawn.subarray(bytes);
  return random;
}
