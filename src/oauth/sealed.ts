// Owns how a refresh token's successors wait for a retry: sealed so that only the token that they replace opens them.

import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { draw, readSecret, writeSecret } from './secret.ts';

/** An access token and the refresh token issued with it. */
export interface Pair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

const CIPHER = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;
const SECRET = 32;

/** Nonce, tag and ciphertext of the pair: 92 bytes. The database holds the opener's hash only, which opens nothing. */
export function seal(opener: string, { accessToken, refreshToken }: Pair): Buffer {
  const nonce = draw(NONCE);
  const cipher = createCipheriv(CIPHER, keyOf(opener), nonce);
  const text = [cipher.update(randomOf('at', accessToken)), cipher.update(randomOf('rt', refreshToken))];
  const last = cipher.final();
  return Buffer.concat([nonce, cipher.getAuthTag(), ...text, last]);
}

/** The pair that was sealed for this refresh token. Throws where it was sealed for another one, or altered. */
export function unseal(opener: string, sealed: Buffer): Pair {
  const decipher = createDecipheriv(CIPHER, keyOf(opener), sealed.subarray(0, NONCE));
  decipher.setAuthTag(sealed.subarray(NONCE, NONCE + TAG));
  const text = Buffer.concat([decipher.update(sealed.subarray(NONCE + TAG)), decipher.final()]);
  return {
    accessToken: writeSecret('at', text.subarray(0, SECRET)),
    refreshToken: writeSecret('rt', text.subarray(SECRET, 2 * SECRET)),
  };
}

function keyOf(opener: string): Buffer {
  return Buffer.from(hkdfSync('sha256', randomOf('rt', opener), '', 'freehold refresh successor', 32));
}

function randomOf(kind: 'at' | 'rt', secret: string): Buffer {
  const random = readSecret(kind, secret);
  if (random === null) throw new Error('Only what was issued here can be sealed');
  return random;
}
