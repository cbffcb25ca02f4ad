// Context of a request at the token and revocation endpoints: what it is given, who calls, and how a grant ends.

import type { SubscriptionProvider } from '../../access/tiers/provider.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Problem } from '../../lib/problem.ts';
import type { Database } from '../../postgres/client/database.ts';
import { type Revocation, revokeGrant } from '../consents/revocation-store.ts';
import type { Audit, RevocationReason } from '../protocol/audit.ts';
import { oauthError } from '../protocol/errors.ts';
import type { GrantLimits } from '../protocol/lifetimes.ts';
import type { OAuthMetrics } from '../protocol/metrics.ts';
import type { RequestThrottle } from '../protocol/throttle.ts';
import type { TokenBatches } from './token-batches.ts';
import type { TokenGrant } from './token-store.ts';

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

/**
 * The id of the client that calls: from the body, or from HTTP Basic, which some send with an empty secret. Every client
 * is a public one, so secrets are not looked at. Throws invalid_request where there is neither, invalid_client where Basic
 * is malformed or names another client than the body.
 */
export function getClientId(
  sent: string | undefined,
  authorization: string | undefined,
  publicUrl: string,
): string {
  const basic = /^basic +(\S+) *$/i.exec(authorization ?? '')?.[1];
  const claimed = basic === undefined ? sent : parseBasicName(basic);
  if (claimed === null || (sent !== undefined && claimed !== sent)) throw invalidClient(publicUrl);
  if (claimed === undefined) throw invalidRequest('The field client_id is missing.');
  return claimed;
}

/** The name in Basic credentials, which OAuth escapes like a form (OAuth 2.1, section 2.4.1); null where there is none. */
function parseBasicName(credentials: string): string | null {
  const text = Buffer.from(credentials, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon <= 0) return null;
  try {
    const name = decodeURIComponent(text.slice(0, colon).replaceAll('+', ' '));
    return name.includes('\0') ? null : name;
  } catch {
    return null;
  }
}

/** The Bearer challenge comes first: clients read the first one, and theirs is the way through discovery. */
function invalidClient(publicUrl: string): Problem {
  const bearer = `Bearer resource_metadata="${publicUrl}/.well-known/oauth-protected-resource"`;
  return oauthError('invalid_client', 'The Authorization header names another client than the body.', {
    headers: { 'www-authenticate': `${bearer}, Basic realm="Freehold"` },
  });
}

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
