// Secrets: generated, hashed for storage, and compared in constant time.

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A new secret of the given number of random bytes, in base64url. */
export function randomToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}

/** SHA-256 in hexadecimal: sufficient for random secrets, not for passwords. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Compares two texts in constant time. */
export function equalSecrets(left: string, right: string): boolean {
  return timingSafeEqual(hash('sha256', left, 'buffer'), hash('sha256', right, 'buffer'));
}
