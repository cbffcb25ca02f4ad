// Session endpoint (POST /explore/session): a code or the cookie for an access token, and the end of both.

import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import { createServiceThrottle } from '../../access/limits/request-throttle.ts';
import type { SharedCounting } from '../../access/limits/shared/shared-counting.ts';
import { type Principal, tierName } from '../../access/tiers/tiers.ts';
import { type Route, route } from '../../http/frame/route.ts';
import type { Reply } from '../../http/output/reply.ts';
import type { Clock } from '../../lib/clock.ts';
import { addressGroup } from '../../lib/ip-address.ts';
import { Problem } from '../../lib/problem.ts';
import type { ExplorerGrant, ExplorerTokens } from '../../oauth/token/explorer-tokens.ts';
import type { Session, SessionAnswer, SessionRequest } from './session-answer.ts';
import { SessionCookie } from './session-cookie.ts';

/** In any minute: each page that a signed-in person opens asks once, and many people share some addresses. */
const REQUESTS_PER_ADDRESS = 600;
const BODY_BYTES = 4_096;

const text = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }));

const SessionBody = Type.Object(
  {
    action: Type.Enum(['challenge', 'exchange', 'refresh', 'end'], {
      description:
        'The `challenge` of a verifier, `exchange` a code, `refresh` what the cookie keeps, or `end` it.',
    }),
    code: text('With `exchange`: the code.'),
    codeVerifier: text('With `exchange`: the verifier of its challenge.'),
    accessToken: text('With `end`, where no cookie is kept: what to end.'),
  },
  { additionalProperties: false },
);

export interface SessionOptions {
  readonly explorer: ExplorerTokens;
  readonly clock: Clock;
  /** Counts with other processes; null or absent: this one counts alone. */
  readonly counting?: SharedCounting | null | undefined;
  /** Where the service is reached from outside, without a slash at the end. */
  readonly publicUrl: string;
}

export function sessionRoute({ explorer, publicUrl, ...parts }: SessionOptions): Route<Principal> {
  const cookie = new SessionCookie(publicUrl);
  const throttle = createServiceThrottle(parts, 'explore-session', REQUESTS_PER_ADDRESS);

  async function answer(request: SessionRequest, headers: IncomingHttpHeaders): Promise<Reply> {
    const kept = cookie.read(headers);
    switch (request.action) {
      case 'challenge':
        return reply(
          { session: null, wasRefused: false, challenge: hash('sha256', request.codeVerifier, 'base64url') },
          {},
        );
      case 'exchange': {
        const grant = await explorer.exchange(request.code, request.codeVerifier);
        // A browser has one sign-in: the former one would live on without anybody who could end it.
        if (grant !== null && kept !== null) await explorer.end(kept);
        return grant === null ? refused({}) : signedIn(grant);
      }
      case 'refresh': {
        if (kept === null) return reply({ session: null, wasRefused: false }, {});
        const grant = await explorer.refresh(kept);
        return grant === null ? refused(cookie.forget()) : signedIn(grant);
      }
      case 'end': {
        for (const token of [kept, request.accessToken ?? null])
          if (token !== null) await explorer.end(token);
        return reply({ session: null, wasRefused: false }, cookie.forget());
      }
    }
  }

  const signedIn = (grant: ExplorerGrant): Reply =>
    reply({ session: sessionOf(grant, cookie.isUsed), wasRefused: false }, cookie.keep(grant.refreshToken));

  return route<Principal>()({
    method: 'POST',
    path: '/explore/session',
    page: true,
    operation: 'exploreSession',
    tag: 'Site',
    summary: 'Sign in to the explorer, stay signed in, or sign out',
    access: { credentials: 'none', counts: 'nothing' },
    bodyBytes: BODY_BYTES,
    body: SessionBody,
    answer: { description: 'Who is signed in' },
    guard: (headers) => requireOwnScript(headers, publicUrl),
    async handle({ body, headers, address }) {
      const wait = await throttle.take(addressGroup(address));
      if (wait > 0)
        throw new Problem('RATE_LIMITED', 'Too many requests; try again later.', {
          headers: { 'retry-after': String(wait) },
        });
      return answer(parseRequest(body), headers);
    },
  });
}

/**
 * The cookie counts only in a request that a page of this service has sent, in the word of the browser: Sec-Fetch-Site, or
 * Origin from a browser that does not send it. A request with neither is refused.
 */
function requireOwnScript(headers: IncomingHttpHeaders, publicUrl: string): void {
  const { origin, 'sec-fetch-site': site } = headers;
  const isOwnOrigin = origin === new URL(publicUrl).origin;
  if (site === undefined ? isOwnOrigin : site === 'same-origin' && (origin === undefined || isOwnOrigin))
    return;
  throw new Problem(
    'ORIGIN_NOT_ALLOWED',
    `Sign-in works from pages of ${publicUrl} only. Open the explorer there.`,
  );
}

function parseRequest(body: {
  readonly action: SessionRequest['action'];
  readonly code?: string;
  readonly codeVerifier?: string;
  readonly accessToken?: string;
}): SessionRequest {
  const { action, code, codeVerifier, accessToken } = body;
  if (action === 'refresh') return { action };
  if (action === 'end') return accessToken === undefined ? { action } : { action, accessToken };
  if (action === 'challenge' && codeVerifier !== undefined) return { action, codeVerifier };
  if (action === 'challenge' || code === undefined || codeVerifier === undefined)
    throw new Problem(
      'INVALID_REQUEST',
      'To exchange a code, code and codeVerifier are needed; for a challenge, codeVerifier.',
    );
  return { action, code, codeVerifier };
}

function sessionOf(grant: ExplorerGrant, isKept: boolean): Session {
  const { accessToken, expiresIn, tier, scopes, hasKey } = grant;
  return { accessToken, expiresIn, tier, plan: tierName(tier), hasKey, scopes, isKept };
}

function refused(headers: NonNullable<Reply['headers']>): Reply {
  return reply({ session: null, wasRefused: true }, headers);
}

function reply(json: SessionAnswer, headers: NonNullable<Reply['headers']>): Reply {
  return { json, headers: { 'cache-control': 'no-store', vary: 'Cookie', ...headers } };
}
