// Owns the wiring of grants and tokens: from a database and a provider to a judge of tokens, its upkeep, and what routes need.

import type { CredentialVerifier } from '../../access/keys/identify.ts';
import type { SubscriptionProvider } from '../../access/tiers/provider.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Metrics } from '../../lib/metrics.ts';
import type { Database } from '../../postgres/client/database.ts';
import { isRevokedClient } from '../clients/clients.ts';
import { createAudit } from '../protocol/audit.ts';
import type { GrantRules } from '../protocol/lifetimes.ts';
import { createOAuthMetrics } from '../protocol/metrics.ts';
import { AccessTokens } from './access-tokens.ts';
import { exchangesWith } from './exchanges.ts';
import type { RevocationNote } from './revocation-store.ts';
import { startSweeper } from './sweep.ts';
import type { TokenRoutesOptions } from './token-routes.ts';

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

/** What the routes of tokens are given. Starts nothing. */
export function tokenParts(options: {
  readonly database: Database;
  readonly clock: Clock;
  readonly provider: SubscriptionProvider;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly publicUrl: string;
  readonly rules: GrantRules;
  readonly revoked: (note: RevocationNote) => void;
}): TokenRoutesOptions {
  const { log, metrics, ...parts } = options;
  return {
    ...parts,
    exchanges: exchangesWith(parts.database),
    audit: createAudit(log),
    metrics: createOAuthMetrics(metrics),
    isRevoked: (clientId) => isRevokedClient(parts, clientId),
  };
}
