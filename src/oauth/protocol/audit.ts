// Audit log: one line for each registration, consent, misuse and revocation, without a secret in it.

import type { Log } from '../../lib/log.ts';
import type { Metrics } from '../../lib/metrics.ts';

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

/** How a refresh ended. `repeated`: the same pair again, within the grace. */
export type RefreshOutcome =
  | 'rotated'
  | 'repeated'
  | 'reused'
  | 'unknown'
  | 'foreign_client'
  | 'expired'
  | 'ended'
  | 'subscription_ended'
  | 'unavailable';

export interface OAuthMetrics {
  issued(grantType: 'authorization_code' | 'refresh_token'): void;
  refreshed(outcome: RefreshOutcome): void;
  revoked(reason: RevocationReason | 'access_token'): void;
}

export function createOAuthMetrics(metrics: Metrics): OAuthMetrics {
  const issued = metrics.counter('freehold_oauth_tokens_issued_total', 'Token pairs issued.', ['grant_type']);
  const refreshes = metrics.counter('freehold_oauth_refreshes_total', 'Refreshes, by outcome.', ['outcome']);
  const revocations = metrics.counter(
    'freehold_oauth_revocations_total',
    'Grants and access tokens revoked.',
    ['reason'],
  );
  return {
    issued: (grantType) => issued.inc({ grant_type: grantType }),
    refreshed: (outcome) => refreshes.inc({ outcome }),
    revoked: (reason) => revocations.inc({ reason }),
  };
}
