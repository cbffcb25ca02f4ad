// Owns how a refresh token's successors wait for a retry: sealed so that only the token that they replace opens them.

import { createCipheriv, createDecipheriv, hash } from 'node:crypto';
import { draw, randomOf, writeSecret } from './secret.ts';

/** An access token and the refresh token issued with it. */
export interface Pair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

const CIPHER = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;
const RANDOM = 43;

/** Nonce, tag and ciphertext of the pair: 114 bytes. The database holds the opener's hash only, which opens nothing. */
export function seal(opener: string, { accessToken, refreshToken }: Pair): Buffer {
  const nonce = draw(NONCE);
  const cipher = createCipheriv(CIPHER, keyOf(opener), nonce);
  const text = cipher.update(randomOf(accessToken) + randomOf(refreshToken), 'latin1');
  cipher.final();
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** The pair that was sealed for this refresh token. Throws where it was sealed for another one, or altered. */
export function unseal(opener: string, sealed: Buffer): Pair {
  const decipher = createDecipheriv(CIPHER, keyOf(opener), sealed.subarray(0, NONCE));
  decipher.setAuthTag(sealed.subarray(NONCE, NONCE + TAG));
  const text = decipher.update(sealed.subarray(NONCE + TAG)).toString('latin1');
  decipher.final();
  return {
    accessToken: writeSecret('at', text.slice(0, RANDOM)),
    refreshToken: writeSecret('rt', text.slice(RANDOM)),
  };
}

/** The opener holds 256 random bits, so one digest of it is a key; that of the bare token, which is stored, is another. */
function keyOf(opener: string): Buffer {
  return hash('sha256', `freehold refresh successor ${opener}`, 'buffer');
}
