// Proof Key for Code Exchange (RFC 7636, method S256 alone): whoever exchanges a code must be who asked for it.

import { hash, timingSafeEqual } from 'node:crypto';

const VERIFIER = /^[\w.~-]{43,128}$/;

/** Whether the verifier is well-formed and its SHA-256, in base64url, is the challenge. */
export function matchesChallenge(verifier: string, challenge: string): boolean {
  if (!VERIFIER.test(verifier)) return false;
  const [computed, stored] = [Buffer.from(hash('sha256', verifier, 'base64url')), Buffer.from(challenge)];
  return computed.length === stored.length && timingSafeEqual(computed, stored);
}
