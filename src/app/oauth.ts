// Wiring of the authorization server.

import type { KeyVerifier } from '../access/keys/key-verifier.ts';
import type { SubscriptionProvider } from '../access/tiers/provider.ts';
import type { Tiers } from '../access/tiers/tiers.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import { createInternet, type Internet } from '../lib/internet.ts';
import type { Log } from '../lib/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import { createAuthorizationOptions } from '../oauth/authorization-service.ts';
import { createClientDocuments } from '../oauth/clients/client-document-cache.ts';
import type { FreeGrantLimits } from '../oauth/consents/free-grant-cap.ts';
import { createGrantLimits } from '../oauth/protocol/tokens.ts';
import { createTokenContext, startTokenService } from '../oauth/token/token-service.ts';
import type { Database } from '../postgres/client/database.ts';

export interface OAuthOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly config: Config;
  readonly provider: SubscriptionProvider;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tiers: Tiers;
  readonly publicUrl: string;
  readonly report: (error: unknown) => void;
  readonly internet?: Internet | undefined;
  readonly mostClients?: number | undefined;
  readonly freeGrantNumbers?: FreeGrantLimits | undefined;
}

/** Starts to listen for revocations and to clear away what is over. */
export function startOAuth(options: OAuthOptions) {
  const { clock, config } = options;
  const tokens = startTokenService(options);
  const outbound = createInternet(clock, options.internet);
  const documents = createClientDocuments({ ...options, outbound });
  return {
    verifier: tokens.verifier,
    /** What the routes are given, once there is somebody who judges keys. */
    parts(keys: Pick<KeyVerifier, 'verifyFresh'>) {
      const { revoked } = tokens;
      const exchange = createTokenContext({
        ...options,
        limits: createGrantLimits(config.oauth),
        onRevoked: revoked,
      });
      const { metrics } = exchange;
      return {
        oauth: createAuthorizationOptions({ ...options, keys, documents, metrics, onRevoked: revoked }),
        tokens: exchange,
      };
    },
    async close(): Promise<void> {
      await documents.close();
      await tokens.close();
      await outbound.close();
    },
  };
}
