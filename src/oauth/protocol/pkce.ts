// Owns the proof that whoever exchanges a code also asked for it (PKCE, RFC 7636, S256 alone).

import { hash, timingSafeEqual } from 'node:crypto';

const VERIFIER = /^[\w.~-]{43,128}$/;

/** Whether the verifier is well-formed and its SHA-256 is the challenge. */
export function isProof(verifier: string, challenge: string): boolean {
  if (!VERIFIER.test(verifier)) return false;
  const [made, kept] = [Buffer.from(challengeOf(verifier)), Buffer.from(challenge)];
  return made.length === kept.length && timingSafeEqual(made, kept);
}

/**
 * The SHA-256 of the challenge that this verifier makes, in hexadecimal; null for one that is not well-formed. Where proofs
 * are compared in place of challenges, the time that it takes tells nothing of either.
 */
export function proofOf(verifier: string): string | null {
  return VERIFIER.test(verifier) ? hash('sha256', challengeOf(verifier), 'hex') : null;
}

/** The S256 challenge of a verifier: 43 characters. */
export function challengeOf(verifier: string): string {
  return hash('sha256', verifier, 'base64url');
}
