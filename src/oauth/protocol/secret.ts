// Form of the codes and tokens issued here: 256 random bits, with a checksum that tells them from garbage.

import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Authorization code, access token, refresh token; the kind stands before the first underscore, so none is taken for another. */
export type SecretKind = 'ac' | 'at' | 'rt';

const RANDOM_BYTES = 32;
/** A kind and its underscore, 43 characters of random bits, 6 of checksum. */
const FORM = /^(?:ac|at|rt)_[\w-]{49}$/;
const RANDOM_END = 46;

/** A new secret, such as `at_…`: 52 characters of which 43 are random. */
export function createSecret(kind: SecretKind): string {
  return formatSecret(kind, randomBytes(RANDOM_BYTES));
}

/** Whether a text has the form of a secret of this kind, and its checksum. */
export function isSecret(kind: SecretKind, text: string): boolean {
  // A checksum protects nothing: it only spares the database what cannot be in it.
  return FORM.test(text) && text.startsWith(kind) && text.endsWith(checksum(text.slice(0, RANDOM_END)));
}

/** SHA-256 by which a secret is stored and looked up, in hexadecimal: no comparison then depends on the secret itself. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** An access token and the refresh token issued with it. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/**
 * The pair that replaces a refresh token, the same at each call, so that a client whose answer was lost gets it again.
 * Token and nonce hold 256 random bits each, so the halves of one digest are as good as random to whoever lacks either;
 * the database lacks the token.
 */
export function deriveTokenPair(refreshToken: string, nonce: string): TokenPair {
  const bytes = hash('sha512', `freehold successor ${nonce} ${refreshToken}`, 'buffer');
  return {
    accessToken: formatSecret('at', bytes.subarray(0, RANDOM_BYTES)),
    refreshToken: formatSecret('rt', bytes.subarray(RANDOM_BYTES)),
  };
}

function formatSecret(kind: SecretKind, random: Buffer): string {
  const body = `${kind}_${random.toString('base64url')}`;
  return body + checksum(body);
}

function checksum(body: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return bytes.toString('base64url');
}
