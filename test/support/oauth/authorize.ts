// Requests to the authorization endpoint as browsers and programs send them.

import type { TestService } from '../service/service.ts';
import { challengeOf, newVerifier } from './oauth.ts';

export const LOOPBACK = 'http://127.0.0.1:4321/callback';

export interface AuthorizationRequest {
  readonly verifier: string;
  readonly parameters: Readonly<Record<string, string>>;
}

type Changes = Readonly<Record<string, string | undefined>>;

/** A good request of an unregistered app; `changes` replace parameters, undefined leaves them out. */
export function authorizationRequest(changes: Changes = {}): AuthorizationRequest {
  const verifier = newVerifier();
  const parameters = {
    response_type: 'code',
    client_id: 'desktop-app',
    redirect_uri: LOOPBACK,
    state: 'st-1',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    ...changes,
  };
  const entries = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return { verifier, parameters: Object.fromEntries(entries) };
}

/** GET of the endpoint; nothing is followed. `extra` is put behind the parameters as it is. */
export function open(
  { url }: Pick<TestService, 'url'>,
  { parameters }: Pick<AuthorizationRequest, 'parameters'>,
  extra = '',
  init: RequestInit = {},
): Promise<Response> {
  return fetch(`${url}/oauth/authorize?${new URLSearchParams(parameters)}${extra}`, {
    redirect: 'manual',
    ...init,
  });
}

/** The signed request out of a consent page. */
export function transactionOf(page: string): string {
  const [, transaction] = /name="transaction" value="([^"]+)"/.exec(page) ?? [];
  if (transaction === undefined) throw new Error(`There is no form in ${page.slice(0, 600)}`);
  return transaction;
}

/** POST as a form sends it. */
export function send(
  { url }: Pick<TestService, 'url'>,
  fields: Changes | readonly (readonly [string, string])[],
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const pairs = Array.isArray(fields)
    ? fields
    : Object.entries(fields).filter((pair) => pair[1] !== undefined);
  const body = new URLSearchParams(pairs.map(([name, value]) => [String(name), String(value)]));
  return fetch(`${url}/oauth/authorize`, { method: 'POST', body, headers, redirect: 'manual' });
}

/** POST as a program sends it that wants JSON. */
export function sendJson(
  { url }: Pick<TestService, 'url'>,
  fields: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${url}/oauth/authorize`, {
    method: 'POST',
    body: JSON.stringify(fields),
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    redirect: 'manual',
  });
}

/** Opens the page and sends its form with a decision. */
export async function submit(
  place: Pick<TestService, 'url'>,
  request: Pick<AuthorizationRequest, 'parameters'>,
  decision: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const transaction = transactionOf(await (await open(place, request)).text());
  return send(place, { transaction, ...decision }, headers);
}

/** Where a 303 leads. Throws where the answer is none. */
export function locationOf(answer: Response): URL {
  const location = answer.headers.get('location');
  if (answer.status !== 303 || location === null) throw new Error(`Not a redirect: ${answer.status}`);
  return new URL(location);
}

/** Registers a client; gives the answer's status and document. */
export async function register(
  { url }: Pick<TestService, 'url'>,
  metadata: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }> {
  const answer = await fetch(`${url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
  });
  return {
    status: answer.status,
    headers: answer.headers,
    body: (await answer.json()) as Record<string, unknown>,
  };
}

/** The id of a client registered with these redirects. */
export async function registerClient(
  place: Pick<TestService, 'url'>,
  ...redirectUris: string[]
): Promise<string> {
  const { body } = await register(place, { client_name: 'Test app', redirect_uris: redirectUris });
  return String(body.client_id);
}
