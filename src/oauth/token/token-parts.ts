// Owns what every exchange at the token endpoint is given, and what the endings of a family have in common.

import type { SubscriptionProvider } from '../../access/tiers/provider.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Problem } from '../../lib/problem.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { Audit, RevocationReason } from '../protocol/audit.ts';
import { oauthError } from '../protocol/errors.ts';
import type { GrantRules } from '../protocol/lifetimes.ts';
import type { OAuthMetrics } from '../protocol/metrics.ts';
import type { Throttle } from '../protocol/throttle.ts';
import type { Exchanges } from './exchanges.ts';
import type { KnownGrants } from './known-grants.ts';
import { type RevocationNote, revokeGrant } from './revocation-store.ts';

export interface TokenParts {
  readonly database: Database;
  readonly exchanges: Exchanges;
  readonly clock: Clock;
  readonly provider: SubscriptionProvider;
  readonly rules: GrantRules;
  readonly audit: Audit;
  readonly metrics: OAuthMetrics;
  /** Told what this process has revoked: others hear of it from the database. */
  readonly revoked: (note: RevocationNote) => void;
  /** Whose refresh tokens are that this process issued. */
  readonly known: KnownGrants;
  /** Requests of one grant. */
  readonly perGrant: Throttle;
}

/** The fields of a request to the token endpoint, none of them judged yet. */
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

/** What a successful exchange answers (OAuth 2.1, section 3.2.3). */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

/** One way to get tokens. */
export type GrantType = (parts: TokenParts, clientId: string, fields: TokenFields) => Promise<TokenAnswer>;

/** Ends a grant with all that was issued from it, in every process, and notes why. */
export async function endFamily(
  parts: Omit<TokenParts, 'provider' | 'rules' | 'exchanges' | 'known' | 'perGrant'>,
  { grant, clientId }: { readonly grant: number; readonly clientId: string },
  reason: RevocationReason,
): Promise<void> {
  const { database, clock, audit, metrics } = parts;
  const ended = await database.write((sql) => revokeGrant(sql, grant, new Date(clock.now()), reason));
  if (!ended) return;
  parts.revoked(`grant:${grant}`);
  audit('family_revoked', { grant, client: clientId, reason });
  metrics.revoked(reason);
}

export function invalidRequest(description: string): Problem {
  return oauthError('invalid_request', description);
}

/** What is shown is of no use any more, or never was: the client has to ask its user again. */
export function invalidGrant(description: string): Problem {
  return oauthError('invalid_grant', description);
}
