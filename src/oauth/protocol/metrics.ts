// Metrics of the authorization server: tokens issued, refreshes by outcome, revocations by reason.

import type { Metrics } from '../../lib/metrics.ts';
import type { RevocationReason } from './audit.ts';

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
