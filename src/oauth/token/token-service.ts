// Owns the wiring of grants and tokens: from a database and a provider to a judge of tokens, its upkeep, and what routes need.

import type { CredentialVerifier } from '../../access/keys/identify.ts';
import type { SubscriptionProvider } from '../../access/tiers/provider.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Metrics } from '../../lib/metrics.ts';
import type { Database } from '../../postgres/client/database.ts';
import { isRevokedClient } from '../clients/client-registry.ts';
import type { RevocationNote } from '../consents/revocation-store.ts';
import { createAudit } from '../protocol/audit.ts';
import type { GrantLimits } from '../protocol/lifetimes.ts';
import { createOAuthMetrics } from '../protocol/metrics.ts';
import { Throttle } from '../protocol/throttle.ts';
import { AccessTokens } from './access-tokens.ts';
import { startSweeper } from './sweep.ts';
import { createTokenBatches } from './token-batches.ts';
import type { TokenContext } from './token-context.ts';

/** Requests of one grant at the token endpoint in any minute. */
const REQUESTS_PER_GRANT = 120;

export interface Tokens {
  /** Judges access tokens. */
  readonly verifier: CredentialVerifier;
  /** To be told what this process revokes. */
  readonly revoked: (note: RevocationNote) => void;
  /** Stops listening and sweeping: after the server has drained. */
  close(): Promise<void>;
}

/** Starts to listen for revocations, and to sweep. */
export function startTokens(options: {
  readonly database: Database;
  readonly clock: Clock;
  readonly publicUrl: string;
  /** Told of failures that no client hears of. */
  readonly report: (error: unknown) => void;
}): Tokens {
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
  readonly onRevoked: (note: RevocationNote) => void;
}): TokenContext {
  const { log, metrics, ...context } = options;
  return {
    ...context,
    tokens: createTokenBatches(context.database),
    audit: createAudit(log),
    metrics: createOAuthMetrics(metrics),
    grantThrottle: new Throttle(context.clock, REQUESTS_PER_GRANT),
    isRevokedClient: (clientId) => isRevokedClient(context, clientId),
  };
}
