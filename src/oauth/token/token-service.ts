// Wiring of the token endpoints: the verifier of access tokens, its upkeep, and the context of requests.

import type { CredentialVerifier } from '../../access/keys/identify.ts';
import type { SubscriptionProvider } from '../../access/tiers/provider.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Metrics } from '../../lib/metrics.ts';
import type { Database } from '../../postgres/client/database.ts';
import { isRevokedClient } from '../clients/client-registry.ts';
import type { Revocation } from '../consents/revocation-store.ts';
import { createAudit, createOAuthMetrics } from '../protocol/audit.ts';
import { RequestThrottle } from '../protocol/throttle.ts';
import type { GrantLimits } from '../protocol/tokens.ts';
import { AccessTokens } from './access-tokens.ts';
import { startSweeper } from './sweep.ts';
import type { TokenContext } from './token-context.ts';
import { createTokenBatches } from './token-store.ts';

/** Requests of one grant at the token endpoint in any minute. */
const REQUESTS_PER_GRANT = 120;

export interface TokenService {
  /** Judges access tokens. */
  readonly verifier: CredentialVerifier;
  /** To be told what this process revokes. */
  readonly revoked: (note: Revocation) => void;
  /** Stops listening and sweeping: after the server has drained. */
  close(): Promise<void>;
}

/** Starts to listen for revocations, and to sweep. */
export function startTokenService(options: {
  readonly database: Database;
  readonly clock: Clock;
  readonly publicUrl: string;
  /** Told of failures that no client hears of. */
  readonly report: (error: unknown) => void;
}): TokenService {
  const verifier = new AccessTokens({ ...options, resource: options.publicUrl });
  const sweeper = startSweeper(options);
  return {
    verifier,
    revoked: (note) => verifier.revoked(note),
    async close() {
      await verifier.close();
      await sweeper.stop();
    },
  };
}

/** What the token and revocation endpoints are given. Starts nothing. */
export function createTokenContext(options: {
  readonly database: Database;
  readonly clock: Clock;
  readonly provider: SubscriptionProvider;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly publicUrl: string;
  readonly limits: GrantLimits;
  readonly onRevoked: (note: Revocation) => void;
}): TokenContext {
  const { log, metrics, ...context } = options;
  return {
    ...context,
    tokens: createTokenBatches(context.database, context.clock),
    audit: createAudit(log),
    metrics: createOAuthMetrics(metrics),
    grantThrottle: new RequestThrottle(context.clock, REQUESTS_PER_GRANT),
    isRevokedClient: (clientId) => isRevokedClient(context, clientId),
  };
}
