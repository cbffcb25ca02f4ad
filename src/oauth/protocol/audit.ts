// Audit log: one line for each registration, consent, misuse and revocation, without a secret in it.

import type { Log } from '../../lib/log.ts';

export type AuditEvent =
  | 'registered'
  | 'consent_granted'
  | 'consent_denied'
  | 'code_replay'
  | 'refresh_reuse'
  | 'refresh_foreign_client'
  | 'family_revoked'
  | 'client_revoked';

/** Why a grant was revoked. */
export type RevocationReason =
  | 'code_replay'
  | 'refresh_reuse'
  | 'subscription_ended'
  | 'client_request'
  | 'owner_request'
  | 'operator_request'
  | 'client_revoked'
  | 'crowded_out';

export interface AuditDetail {
  readonly grant?: number;
  readonly client?: string;
  readonly reason?: RevocationReason;
  /** The first 8 hexadecimal digits of the hash of the secret that was shown: enough to find its row, and no more. */
  readonly hash?: string;
  readonly [name: string]: unknown;
}

/** Notes one event. */
export type Audit = (event: AuditEvent, detail: AuditDetail) => void;

export function createAudit(log: Log): Audit {
  return (event, detail) => log.info({ audit: event, ...detail }, 'audit');
}

/** What the trail shows of a secret's hash. */
export function hashPrefix(hash: string): string {
  return hash.slice(0, 8);
}
