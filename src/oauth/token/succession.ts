// Owns the pair that replaces a refresh token: made of the old token and a nonce, so that its holder can be given it again.

import { hash } from 'node:crypto';
import { draw, RANDOM_BYTES, writeSecret } from '../protocol/secret.ts';

/** An access token and the refresh token issued with it. */
export interface Pair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** What a new pair is to be made with, in hexadecimal: 256 random bits. It is stored, and leads nowhere without the token. */
export function newNonce(): string {
  return draw(RANDOM_BYTES).toString('hex');
}

/**
 * The pair that replaces this token where this nonce was drawn for it; the same each time. Token and nonce hold 256 random
 * bits each, so the halves of one digest are as good as random to whoever lacks either. The database lacks the token.
 */
export function successorOf(refreshToken: string, nonce: string): Pair {
  const bytes = hash('sha512', `freehold successor ${nonce} ${refreshToken}`, 'buffer');
  return {
    accessToken: writeSecret('at', bytes.toString('base64url', 0, RANDOM_BYTES)),
    refreshToken: writeSecret('rt', bytes.toString('base64url', RANDOM_BYTES)),
  };
}
