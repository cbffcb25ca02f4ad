// Owns the way to tokens as a client goes it: consent, code, tokens, refresh, revocation, and calls with what it got.

import { createHash, randomBytes } from 'node:crypto';
import type { Scope } from '../../src/access/principal.ts';
import type { SubscriptionProvider } from '../../src/access/provider.ts';
import { localSubscriptions } from '../../src/access/providers/local.ts';
import { issueCode } from '../../src/oauth/codes.ts';
import type { TestService } from './service.ts';

/** Where a service is, and what is needed to consent there. */
export type Place = Pick<TestService, 'url' | 'database' | 'clock'>;

export interface ConsentOptions {
  /** Without one: the Free tier. */
  readonly key?: string;
  /** Who knows the key, where that is not the service itself. */
  readonly provider?: SubscriptionProvider;
  readonly clientId?: string;
  readonly redirectUri?: string;
  readonly scope?: string;
  readonly resources?: readonly string[];
}

/** A code, and what its client has to show with it. */
export interface Consented {
  readonly code: string;
  readonly verifier: string;
  readonly clientId: string;
  readonly redirectUri: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON document; empty where there is none. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a client keeps. */
export interface Session {
  readonly clientId: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

type Fields = Readonly<Record<string, string | undefined>> | readonly (readonly [string, string])[];

export function newVerifier(): string {
  return randomBytes(32).toString('base64url');
}

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** Somebody consents; gives the code that their client is redirected with. */
export async function consent(place: Place, options: ConsentOptions = {}): Promise<Consented> {
  const { clientId = 'desktop-app', redirectUri = 'http://127.0.0.1:4321/callback' } = options;
  const verifier = newVerifier();
  const { provider = localSubscriptions(place.database, place.clock).provider } = options;
  const verdict = options.key && (await provider.validate(options.key, AbortSignal.timeout(5_000)));
  if (verdict && verdict.state !== 'active') throw new Error(`The key is ${verdict.state}`);
  const { code } = await issueCode(place, {
    ...{ clientId, redirectUri, codeChallenge: challengeOf(verifier) },
    scope: (options.scope ?? 'listings:read listings:live watchers').split(' ') as Scope[],
    resources: options.resources ?? [place.url, `${place.url}/mcp`],
    tier: verdict ? verdict.tier : 'free',
    subscription: verdict ? verdict.subscription : null,
    addressHash: createHash('sha256').update('127.0.0.1').digest(),
  });
  return { code, verifier, clientId, redirectUri };
}

/** POST of a form to an address of the service. */
export async function postForm(
  place: Pick<Place, 'url'>,
  path: string,
  fields: Fields,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const pairs = Array.isArray(fields)
    ? fields
    : Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const body = new URLSearchParams(pairs.map(([name, value]) => [String(name), String(value)]));
  const answer = await fetch(`${place.url}${path}`, { method: 'POST', body, headers });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? {} : JSON.parse(text) };
}

/** The fields that exchange a code. */
export function codeFields({ code, verifier, clientId, redirectUri }: Consented) {
  return {
    grant_type: 'authorization_code',
    ...{ code, client_id: clientId, code_verifier: verifier, redirect_uri: redirectUri },
  };
}

/** Exchanges a code; `changes` replace fields, undefined leaves them out. */
export function redeem(
  place: Pick<Place, 'url'>,
  consented: Consented,
  changes: Readonly<Record<string, string | undefined>> = {},
): Promise<Answer> {
  return postForm(place, '/oauth/token', { ...codeFields(consented), ...changes });
}

/** The whole way: consents and exchanges the code. */
export async function signIn(place: Place, options: ConsentOptions = {}): Promise<Session> {
  const consented = await consent(place, options);
  return sessionOf(await redeem(place, consented), consented.clientId);
}

/** Exchanges the refresh token; `changes` replace fields, undefined leaves them out. */
export function refresh(
  place: Pick<Place, 'url'>,
  session: Pick<Session, 'clientId' | 'refreshToken'>,
  changes: Readonly<Record<string, string | undefined>> = {},
): Promise<Answer> {
  return postForm(place, '/oauth/token', {
    grant_type: 'refresh_token',
    ...{ refresh_token: session.refreshToken, client_id: session.clientId },
    ...changes,
  });
}

/** Refreshes, which has to succeed. */
export async function refreshed(place: Pick<Place, 'url'>, session: Session): Promise<Session> {
  return sessionOf(await refresh(place, session), session.clientId);
}

/** What a client keeps of a successful answer; throws where it is none. */
export function sessionOf({ status, body }: Answer, clientId: string): Session {
  const { access_token: accessToken, refresh_token: refreshToken } = body;
  if (status !== 200 || typeof accessToken !== 'string' || typeof refreshToken !== 'string') {
    throw new Error(`No tokens: ${status} ${JSON.stringify(body)}`);
  }
  return { clientId, accessToken, refreshToken };
}

/** Gives a token back. */
export function revoke(
  place: Pick<Place, 'url'>,
  token: string,
  clientId: string | undefined,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return postForm(place, '/oauth/revoke', { token, client_id: clientId, ...more });
}

/** GET with a credential: the status and, of a problem, its code. */
export async function call(
  place: Pick<Place, 'url'>,
  token: string,
  path = '/v1/usage',
): Promise<Answer & { readonly code: string | null }> {
  const answer = await fetch(`${place.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const body = JSON.parse(await answer.text()) as Record<string, unknown>;
  const code = typeof body.code === 'string' ? body.code : null;
  return { status: answer.status, headers: answer.headers, body, code };
}

/** Whether an access token is let in: 200, or the code that it is refused with. */
export async function standing(place: Pick<Place, 'url'>, token: string): Promise<number | string> {
  const { status, code } = await call(place, token);
  return code ?? status;
}
