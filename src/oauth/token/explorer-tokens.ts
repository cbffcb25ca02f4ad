// Tokens of the explorer: exchanged, refreshed and ended inside the service, so that its refresh token never meets a script.

import type { Plan, Scope } from '../../access/tiers/tiers.ts';
import { Problem } from '../../lib/problem.ts';
import { hashSecret } from '../../lib/secrets.ts';
import { EXPLORER_CLIENT_ID, explorerRedirect } from '../protocol/explorer-client.ts';
import { isSecret } from '../protocol/tokens.ts';
import { exchangeCode } from './grant-types/authorization-code.ts';
import { exchangeRefreshToken } from './grant-types/refresh-token.ts';
import { endGrant, type TokenContext, type TokenResponse } from './token-context.ts';
import { findAccessToken } from './token-store.ts';

/** What a person who signed in to the explorer has. */
export interface ExplorerGrant {
  readonly accessToken: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly refreshToken: string;
  readonly tier: Plan;
  readonly scopes: readonly Scope[];
  /** Whether a key stands behind it; false: the Free tier without one. */
  readonly hasKey: boolean;
}

/** All throw DATABASE_UNAVAILABLE, SUBSCRIPTIONS_UNAVAILABLE and RATE_LIMITED, and then have ended nothing. */
export interface ExplorerTokens {
  /** Exchanges a code; null where the code or its verifier is not valid, or no longer. */
  exchange(code: string, verifier: string): Promise<ExplorerGrant | null>;
  /** Exchanges a refresh token of the explorer; null where it is not valid, or no longer. */
  refresh(refreshToken: string): Promise<ExplorerGrant | null>;
  /** Ends the grant behind a refresh or access token of the explorer with all its tokens; other tokens change nothing. */
  end(token: string): Promise<void>;
}

export function createExplorerTokens(context: TokenContext): ExplorerTokens {
  const findRow = (token: string) =>
    context.database.read((sql) => findAccessToken(sql, hashSecret(token)), { planned: 'once' });

  async function describe(tokens: TokenResponse): Promise<ExplorerGrant | null> {
    const row = await findRow(tokens.access_token);
    // A pair that was issued before, and whose access token was revoked since.
    if (row === undefined || row.revokedAt !== null) return null;
    return {
      accessToken: tokens.access_token,
      expiresIn: tokens.expires_in,
      refreshToken: tokens.refresh_token,
      tier: row.tier,
      scopes: tokens.scope.split(' ') as Scope[],
      hasKey: row.subscription !== null,
    };
  }

  const attempt = async (exchange: Promise<TokenResponse>): Promise<ExplorerGrant | null> => {
    try {
      return await describe(await exchange);
    } catch (error) {
      if (error instanceof Problem && error.members.error === 'invalid_grant') return null;
      throw error;
    }
  };

  return {
    exchange: (code, verifier) =>
      attempt(
        exchangeCode(context, EXPLORER_CLIENT_ID, {
          code,
          code_verifier: verifier,
          redirect_uri: explorerRedirect(context.publicUrl),
        }),
      ),
    refresh: (token) => attempt(exchangeRefreshToken(context, EXPLORER_CLIENT_ID, { refresh_token: token })),
    async end(token) {
      const row = isSecret('rt', token)
        ? await context.tokens.findRefreshToken(hashSecret(token))
        : isSecret('at', token)
          ? await findRow(token)
          : undefined;
      if (row?.clientId === EXPLORER_CLIENT_ID) await endGrant(context, row, 'client_request');
    },
  };
}
