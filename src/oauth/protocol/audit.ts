// Audit log and metrics of the authorization server.

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
  | 'key_replaced'
  | 'client_request'
  | 'owner_request'
  | 'operator_request'
  | 'client_revoked'
  | 'crowded_out';

export interface AuditDetail {
  readonly grant?: number;
  readonly client?: string;
  readonly reason?: RevocationReason;
  /** Of the secret in the request, by `hashPrefix`: the log holds no secret. */
  readonly hash?: string;
  readonly [name: string]: unknown;
}

/** Logs one event. */
export type Audit = (event: AuditEvent, detail: AuditDetail) => void;

export function createAudit(log: Log): Audit {
  return (event, detail) => log.info({ audit: event, ...detail }, 'audit');
}

/** The first 8 hexadecimal digits: enough to find the row. */
export function hashPrefix(hash: string): string {
  return hash.slice(0, 8);
}

/** How a refresh ended. `repeated`: the same pair again, within the grace period. */
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
  /** @param client its kind, by `clientKind` */
  refreshed(outcome: RefreshOutcome, client: string): void;
  revoked(reason: RevocationReason | 'access_token'): void;
}

export function createOAuthMetrics({ counter }: Pick<Metrics, 'counter'>): OAuthMetrics {
  const issued = counter('freehold_oauth_tokens_issued_total', 'Token pairs issued.', ['grant_type']);
  const refreshes = counter('freehold_oauth_refreshes_total', 'Refreshes, by outcome and kind of client.', [
    'outcome',
    'client',
  ]);
  const revocations = counter('freehold_oauth_revocations_total', 'Grants and access tokens revoked.', [
    'reason',
  ]);
  return {
    issued: (grantType) => issued.inc({ grant_type: grantType }),
    refreshed: (outcome, client) => refreshes.inc({ outcome, client }),
    revoked: (reason) => revocations.inc({ reason }),
  };
}
