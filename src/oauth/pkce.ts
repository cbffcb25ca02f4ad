// Owns the proof that whoever exchanges a code also asked for it (PKCE, RFC 7636, S256 alone).

import { hash } from 'node:crypto';
import { equalSecrets } from '../lib/secrets.ts';

const VERIFIER = /^[\w.~-]{43,128}$/;

/** Whether the verifier is well-formed and its SHA-256 is the challenge. */
export function isProof(verifier: string, challenge: string): boolean {
  return VERIFIER.test(verifier) && equalSecrets(challengeOf(verifier), challenge);
}

/** The S256 challenge of a verifier: 43 characters. */
export function challengeOf(verifier: string): string {
  return hash('sha256', verifier, 'base64url');
}
