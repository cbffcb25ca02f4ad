// Wiring of the authorization server: its endpoints, and the verifier of its access tokens.

import type { KeyForm } from '../access/key-form/key-form.ts';
import type { CredentialVerifier } from '../access/keys/key-verifier.ts';
import { createServiceThrottle } from '../access/limits/request-throttle.ts';
import type { SubscriptionProvider } from '../access/tiers/provider.ts';
import type { Principal, Tiers } from '../access/tiers/tiers.ts';
import type { Route } from '../http/frame/route.ts';
import type { Log } from '../lib/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import { createInternet, type Internet } from '../lib/network/internet.ts';
import { authorizeRoutes } from './authorize/authorize-routes.ts';
import { createDocumentFinder, type FindDocument } from './clients/client-document-cache.ts';
import { isRevokedClient } from './clients/find-client.ts';
import { registrationRoute } from './clients/registration-endpoint.ts';
import { FreeGrantCap, type FreeGrantLimits } from './consents/free-grant-cap.ts';
import { revokeGrantOf } from './consents/grant-store.ts';
import { createAudit, createOAuthMetrics } from './protocol/audit.ts';
import { announceRevocation, type OAuthContext, type Revocation } from './protocol/context.ts';
import { metadataRoutes } from './protocol/metadata-routes.ts';
import { createSharedKeys, type SharedKeys } from './protocol/shared-key-store.ts';
import type { GrantLimits } from './protocol/tokens.ts';
import { AccessTokens } from './token/access-tokens.ts';
import { createExplorerTokens, type ExplorerTokens } from './token/explorer-tokens.ts';
import { revocationRoute } from './token/revocation-endpoint.ts';
import { startSweeper } from './token/sweep.ts';
import { tokenRoute } from './token/token-endpoint.ts';
import { createTokenStore } from './token/token-store.ts';

/** Grants without a key that one address may make in any minute: many people share some addresses. */
const FREE_GRANTS_PER_MINUTE = 300;
/** Requests of one grant at the token endpoint in any minute. */
const REQUESTS_PER_GRANT = 120;

export interface AuthorizationServerOptions extends Omit<OAuthContext, 'audit' | 'metrics' | 'onRevoked'> {
  readonly provider: SubscriptionProvider;
  readonly tiers: Tiers;
  readonly limits: GrantLimits;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Registered clients kept. */
  readonly maxClients?: number | undefined;
  readonly freeGrantLimits?: FreeGrantLimits | undefined;
}

export interface AuthorizationServer {
  /** Verifies access tokens. */
  readonly verifier: CredentialVerifier;
  /** Signs what pages with a key form keep; the same in all processes. Throws DATABASE_UNAVAILABLE. */
  proofKey(): Promise<Buffer>;
  /** The endpoints; `keyForm` checks the API keys that people type. */
  endpoints(keyForm: KeyForm): OAuthEndpoints;
  /** Calls back with every revocation, of any process. */
  onRevoked(listener: (revocation: Revocation) => void): void;
  /** Stops listening and sweeping: call it after the server has drained. */
  close(): Promise<void>;
}

/** Starts to listen for revocations, and to delete what has expired. */
export function startAuthorizationServer(
  options: AuthorizationServerOptions & { readonly internet?: Internet | undefined },
): AuthorizationServer {
  const { clock } = options;
  const verifier = new AccessTokens(options);
  const sweeper = startSweeper(options);
  const outbound = createInternet(clock, options.internet);
  const findDocument = createDocumentFinder({ ...options, outbound });
  const sharedKeys = createSharedKeys(options.database);
  return {
    verifier,
    proofKey: async () => (await sharedKeys()).proof,
    endpoints: (keyForm) =>
      oauthEndpoints({
        ...options,
        keyForm,
        sharedKeys,
        findDocument,
        onRevoked: (revocation) => verifier.revoked(revocation),
      }),
    onRevoked: (listener) => verifier.onRevoked(listener),
    async close() {
      await verifier.close();
      await sweeper.stop();
      await outbound.close();
    },
  };
}

export interface OAuthRoutesOptions extends AuthorizationServerOptions, Pick<OAuthContext, 'onRevoked'> {
  readonly keyForm: KeyForm;
  readonly sharedKeys: () => Promise<SharedKeys>;
  readonly findDocument: FindDocument;
}

export interface OAuthEndpoints {
  readonly routes: readonly Route<Principal>[];
  /** Sign-in of the explorer. */
  readonly explorer: ExplorerTokens;
  /** Seals cursors of the explorer; the same in all processes. Throws DATABASE_UNAVAILABLE. */
  cursorKey(): Promise<Buffer>;
  /** Ends a grant of this subscription with its tokens; false if it has no such active grant. */
  endGrant(subscription: string, grant: number): Promise<boolean>;
}

/** The endpoints. Starts nothing. */
export function oauthEndpoints(options: OAuthRoutesOptions): OAuthEndpoints {
  const { database, clock } = options;
  const shared = {
    ...options,
    audit: createAudit(options.log),
    metrics: createOAuthMetrics(options.metrics),
  };
  const context = {
    ...shared,
    tokens: createTokenStore(database, clock),
    grantThrottle: createServiceThrottle(options, 'oauth-grant', REQUESTS_PER_GRANT),
    isRevokedClient: (clientId: string) => isRevokedClient(options, clientId),
    freeGrantThrottle: createServiceThrottle(options, 'oauth-free', FREE_GRANTS_PER_MINUTE),
    freeGrantCap: new FreeGrantCap(shared, options.freeGrantLimits),
  };
  return {
    routes: [
      ...metadataRoutes(options.publicUrl),
      registrationRoute(context),
      ...authorizeRoutes(context),
      tokenRoute(context),
      revocationRoute(context),
    ],
    explorer: createExplorerTokens(context),
    cursorKey: async () => (await options.sharedKeys()).cursor,
    async endGrant(subscription, grant) {
      const now = new Date(clock.now());
      const ended = await database.write((sql) => revokeGrantOf(sql, subscription, grant, now));
      if (ended) announceRevocation(context, { grant, reason: 'owner_request' });
      return ended;
    },
  };
}
