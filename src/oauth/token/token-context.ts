// Context of a request at the token and revocation endpoints: what it is given, who calls, and how a grant ends.

import type { SubscriptionProvider } from '../../access/tiers/provider.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Problem } from '../../lib/problem.ts';
import type { Database } from '../../postgres/client/database.ts';
import { type Revocation, revokeGrant } from '../consents/revocation-store.ts';
import type { Audit, OAuthMetrics, RevocationReason } from '../protocol/audit.ts';
import { oauthError } from '../protocol/errors.ts';
import type { RequestThrottle } from '../protocol/throttle.ts';
import type { GrantLimits } from '../protocol/tokens.ts';
import type { TokenBatches, TokenGrant } from './token-store.ts';

export interface TokenContext {
  readonly database: Database;
  readonly tokens: TokenBatches;
  readonly clock: Clock;
  readonly provider: SubscriptionProvider;
  readonly limits: GrantLimits;
  readonly audit: Audit;
  readonly metrics: OAuthMetrics;
  readonly publicUrl: string;
  /** Called with what this process has revoked; other processes hear of it from the database. */
  readonly onRevoked: (note: Revocation) => void;
  /** Whether an operator has revoked this client. */
  readonly isRevokedClient: (clientId: string) => Promise<boolean>;
  /** Limits the requests of one grant. */
  readonly grantThrottle: RequestThrottle;
}

/** The fields of a request to the token endpoint, not yet checked. */
export interface TokenFields {
  readonly grant_type?: string;
  readonly client_id?: string;
  readonly code?: string;
  readonly code_verifier?: string;
  readonly redirect_uri?: string;
  readonly refresh_token?: string;
  readonly scope?: string;
  readonly resource?: readonly string[];
}

/** Answer to a successful exchange (OAuth 2.1, section 3.2.3). */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

/** Exchanges what a client presents for tokens, or throws an error of OAuth. */
export type GrantType = (
  context: TokenContext,
  clientId: string,
  fields: TokenFields,
) => Promise<TokenResponse>;

export function invalidRequest(description: string): Problem {
  return oauthError('invalid_request', description);
}

/** The code or token is of no use any more, or never was: the client has to ask its user again. */
export function invalidGrant(description: string): Problem {
  return oauthError('invalid_grant', description);
}

/** Ends a grant with all that was issued from it, in every process, and records why. */
export async function endGrant(
  { database, clock, audit, metrics, onRevoked }: TokenContext,
  { grant, clientId }: Pick<TokenGrant, 'grant' | 'clientId'>,
  reason: RevocationReason,
): Promise<void> {
  const ended = await database.write((sql) => revokeGrant(sql, grant, new Date(clock.now()), reason));
  if (!ended) return;
  onRevoked(`grant:${grant}`);
  audit('family_revoked', { grant, client: clientId, reason });
  metrics.revoked(reason);
}
