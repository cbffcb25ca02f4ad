// Requests of a case to one of the compared authorization servers, and a summary of the response.

import { challengeOf, type JsonResponse, newVerifier } from './oauth.ts';
import type { ComparedServer } from './oracle.ts';

export const REDIRECT = 'http://127.0.0.1:4321/callback';
export const WEB = 'https://app.example/callback';
export const FORM = 'application/x-www-form-urlencoded';

/** What a server answered: `ok`, `asks` (a person), `refused` (and nobody is redirected), or an error. */
export type Verdict = string;
export type Case = readonly [name: string, ask: (server: ComparedServer) => Promise<Verdict>];
export type Changes = Readonly<Record<string, string | undefined>>;
export type Pairs = readonly (readonly [string, string])[];

export async function register(
  server: ComparedServer,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<JsonResponse> {
  const metadata = { redirect_uris: [REDIRECT], application_type: 'native', ...changes };
  return post(server, '/oauth/register', JSON.stringify(metadata), 'application/json');
}

export async function post(
  server: ComparedServer,
  path: string,
  body: string,
  type: string,
): Promise<JsonResponse> {
  const answer = await fetch(`${server.url}${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': type },
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? {} : JSON.parse(text) };
}

export async function newClient(server: ComparedServer): Promise<string> {
  const { body } = await register(server);
  if (typeof body.client_id !== 'string') throw new Error(`Not registered: ${JSON.stringify(body)}`);
  return body.client_id;
}

export function verdict({ status, body }: JsonResponse): Verdict {
  return status < 300 ? 'ok' : `${status} ${body.error}`;
}

export interface Prepared {
  readonly clientId: string;
  readonly verifier: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export async function prepare(server: ComparedServer): Promise<Prepared> {
  const [clientId, verifier] = [await newClient(server), newVerifier()];
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    state: 'st',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    scope: 'listings:read',
    resource: server.resource,
  };
  return { clientId, verifier, parameters };
}

export function address(server: ComparedServer, parameters: Changes, more: Pairs = []): string {
  const sent = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return `${server.url}/oauth/authorize?${new URLSearchParams([...sent, ...more.map((pair) => [...pair])])}`;
}
