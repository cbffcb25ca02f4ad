// OAuth client: registration, consent, tokens, refresh, revocation, and calls with a token.

import { createHash, randomBytes } from 'node:crypto';
import type { TestService } from '../service/service.ts';

/** Where a service is. */
export type ServiceAddress = Pick<TestService, 'url'>;

export interface ConsentOptions {
  /** Without one: the Free tier. */
  readonly key?: string;
  readonly clientId?: string;
  readonly redirectUri?: string;
  readonly scope?: string;
  readonly resources?: readonly string[];
}

/** A code, and what its client has to show with it. */
export interface AuthorizationCode {
  readonly code: string;
  readonly verifier: string;
  readonly clientId: string;
  readonly redirectUri: string;
}

export interface JsonResponse {
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

/** Somebody consents, as a program would; gives the code that their client is redirected with. */
export async function consent(
  place: ServiceAddress,
  options: ConsentOptions = {},
): Promise<AuthorizationCode> {
  const { clientId = 'desktop-app', redirectUri = 'http://127.0.0.1:4321/callback', key } = options;
  const verifier = newVerifier();
  const decision = key === undefined ? { decision: 'free' } : { api_key: key };
  const answer = await fetch(`${place.url}/oauth/authorize`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      state: newVerifier(),
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
      ...decision,
      ...(options.scope !== undefined && { scope: options.scope }),
      ...(options.resources !== undefined && { resource: options.resources }),
    }),
  });
  const body = (await answer.json()) as Readonly<Record<string, unknown>>;
  if (typeof body.code !== 'string') throw new Error(`No code: ${answer.status} ${JSON.stringify(body)}`);
  return { code: body.code, verifier, clientId, redirectUri };
}

/** Registers a client, and gives its id. */
export async function register(
  place: ServiceAddress,
  metadata: Readonly<Record<string, unknown>> = {
    client_name: 'App',
    redirect_uris: ['https://app.example/'],
  },
): Promise<string> {
  const answer = await fetch(`${place.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  const body = (await answer.json()) as Readonly<Record<string, unknown>>;
  if (typeof body.client_id !== 'string')
    throw new Error(`Not registered: ${answer.status} ${JSON.stringify(body)}`);
  return body.client_id;
}

/** POST of a form to an address of the service. */
export async function postForm(
  place: ServiceAddress,
  path: string,
  fields: Fields,
  headers: Readonly<Record<string, string>> = {},
): Promise<JsonResponse> {
  const pairs = Array.isArray(fields)
    ? fields
    : Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const body = new URLSearchParams(pairs.map(([name, value]) => [String(name), String(value)]));
  const answer = await fetch(`${place.url}${path}`, { method: 'POST', body, headers });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? {} : JSON.parse(text) };
}

/** The fields that exchange a code. */
export function codeFields({ code, verifier, clientId, redirectUri }: AuthorizationCode) {
  return {
    grant_type: 'authorization_code',
    code,
    client_id: clientId,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  };
}

/** Exchanges a code; `changes` replace fields, undefined leaves them out. */
export function redeem(
  place: ServiceAddress,
  authorizationCode: AuthorizationCode,
  changes: Readonly<Record<string, string | undefined>> = {},
): Promise<JsonResponse> {
  return postForm(place, '/oauth/token', { ...codeFields(authorizationCode), ...changes });
}

/** The whole way: consents and exchanges the code. */
export async function signIn(place: ServiceAddress, options: ConsentOptions = {}): Promise<Session> {
  const authorizationCode = await consent(place, options);
  return parseSession(await redeem(place, authorizationCode), authorizationCode.clientId);
}

/** Exchanges the refresh token; `changes` replace fields, undefined leaves them out. */
export function refresh(
  place: ServiceAddress,
  session: Pick<Session, 'clientId' | 'refreshToken'>,
  changes: Readonly<Record<string, string | undefined>> = {},
): Promise<JsonResponse> {
  return postForm(place, '/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: session.refreshToken,
    client_id: session.clientId,
    ...changes,
  });
}

/** Refreshes, which has to succeed. */
export async function refreshSession(place: ServiceAddress, session: Session): Promise<Session> {
  return parseSession(await refresh(place, session), session.clientId);
}

/** What a client keeps of a successful answer; throws where it is none. */
export function parseSession({ status, body }: JsonResponse, clientId: string): Session {
  const { access_token: accessToken, refresh_token: refreshToken } = body;
  if (status !== 200 || typeof accessToken !== 'string' || typeof refreshToken !== 'string') {
    throw new Error(`No tokens: ${status} ${JSON.stringify(body)}`);
  }
  return { clientId, accessToken, refreshToken };
}

/** Gives a token back. */
export function revoke(
  place: ServiceAddress,
  token: string,
  clientId: string | undefined,
  more: Readonly<Record<string, string>> = {},
): Promise<JsonResponse> {
  return postForm(place, '/oauth/revoke', { token, client_id: clientId, ...more });
}

/** GET with a credential: the status and, of a problem, its code. */
export async function call(
  place: ServiceAddress,
  token: string,
  path = '/v1/usage',
): Promise<JsonResponse & { readonly code: string | null }> {
  const answer = await fetch(`${place.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const body = JSON.parse(await answer.text()) as Record<string, unknown>;
  const code = typeof body.code === 'string' ? body.code : null;
  return { status: answer.status, headers: answer.headers, body, code };
}

/** Whether an access token is let in: 200, or the code that it is refused with. */
export async function statusOf(place: ServiceAddress, token: string): Promise<number | string> {
  const { status, code } = await call(place, token);
  return code ?? status;
}
