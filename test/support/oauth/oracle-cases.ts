// Cases of authorization requests and registrations for both authorization servers.

import type { ComparedServer } from './oracle.ts';
import {
  address,
  type Case,
  type Changes,
  FORM,
  type Pairs,
  post,
  prepare,
  REDIRECT,
  register,
  verdict,
  WEB,
} from './oracle-requests.ts';

/** A request for authorization: what becomes of it before a person decides. */
function authorize(name: string, changes: Changes, more: Pairs = []): Case {
  const run = async (server: ComparedServer) => {
    const { parameters } = await prepare(server);
    const answer = await fetch(address(server, { ...parameters, ...changes }, more), { redirect: 'manual' });
    const location = answer.headers.get('location');
    if (location === null) return answer.status === 200 ? 'asks' : `${answer.status} refused`;
    const to = new URL(location, server.url);
    if (to.pathname.startsWith('/interaction/')) return 'asks';
    // Errors of other response types come in the fragment.
    const { error = null } = Object.fromEntries(new URLSearchParams(to.hash.slice(1)));
    return to.searchParams.get('error') ?? error ?? `redirected to ${location}`;
  };
  return [`authorize: ${name}`, run];
}

function registration(name: string, changes: Readonly<Record<string, unknown>>): Case {
  return [`register: ${name}`, async (server) => verdict(await register(server, changes))];
}

export const AUTHORIZE: readonly Case[] = [
  authorize('a good request', {}),
  authorize('no response_type', { response_type: undefined }),
  authorize('response_type token', { response_type: 'token' }),
  authorize('response_type unheard of', { response_type: 'nonsense' }),
  authorize('no code_challenge', { code_challenge: undefined }),
  authorize('code_challenge without its method', { code_challenge_method: undefined }),
  authorize('code_challenge_method plain', { code_challenge_method: 'plain' }),
  authorize('code_challenge_method unheard of', { code_challenge_method: 'S512' }),
  authorize('a code_challenge of 42 characters', { code_challenge: 'a'.repeat(42) }),
  authorize('a code_challenge of 129 characters', { code_challenge: 'a'.repeat(129) }),
  authorize('a code_challenge with a plus', { code_challenge: `${'a'.repeat(42)}+` }),
  authorize('a scope that nobody knows', { scope: 'nothing:known' }),
  authorize('a known scope and another', { scope: 'listings:read nothing:known' }),
  authorize('no scope', { scope: undefined }),
  authorize('prompt none', { prompt: 'none' }),
  authorize('prompt login', { prompt: 'login' }),
  authorize('a request object', { request: 'e30.e30.' }),
  authorize('the URL of a request object', { request_uri: 'https://app.example/request' }),
  authorize('a resource elsewhere', { resource: 'https://elsewhere.example/' }),
  authorize('a resource with a fragment', { resource: 'https://elsewhere.example/#a' }),
  authorize('a relative resource', { resource: '/mcp' }),
  authorize('response_mode fragment', { response_mode: 'fragment' }),
  authorize('response_mode unheard of', { response_mode: 'nonsense' }),
  authorize('no state', { state: undefined }),
  authorize('state twice', {}, [['state', 'another']]),
  authorize('scope twice', {}, [['scope', 'watchers']]),
  authorize('code_challenge twice', {}, [['code_challenge', 'a'.repeat(43)]]),
  authorize('a parameter that nobody knows', { nonsense: 'a' }),
  authorize('no client_id', { client_id: undefined }),
  authorize('client_id twice', {}, [['client_id', 'another']]),
  authorize('a client that nobody knows', { client_id: 'client_unknown', redirect_uri: WEB }),
  authorize('no redirect_uri', { redirect_uri: undefined }),
  authorize('redirect_uri twice', {}, [['redirect_uri', WEB]]),
  authorize('a redirect_uri of somebody else', { redirect_uri: WEB }),
  authorize('a redirect_uri with more path', { redirect_uri: `${REDIRECT}/more` }),
  authorize('a redirect_uri with a query', { redirect_uri: `${REDIRECT}?more` }),
  authorize('a redirect_uri with a fragment', { redirect_uri: `${REDIRECT}#more` }),
  authorize('a redirect_uri with a user', { redirect_uri: REDIRECT.replace('//', '//evil@') }),
  authorize('a redirect_uri of another loopback name', {
    redirect_uri: REDIRECT.replace('127.0.0.1', 'localhost'),
  }),
  authorize('a redirect_uri of another port of this computer', {
    redirect_uri: REDIRECT.replace('4321', '9'),
  }),
];

export const REGISTER: readonly Case[] = [
  registration('a good client', {}),
  registration('no redirect_uris', { redirect_uris: undefined }),
  registration('an empty list of redirect_uris', { redirect_uris: [] }),
  registration('redirect_uris that are no list', { redirect_uris: REDIRECT }),
  registration('redirect_uris that are no texts', { redirect_uris: [1] }),
  registration('a redirect with a fragment', { redirect_uris: [`${REDIRECT}#a`] }),
  registration('a relative redirect', { redirect_uris: ['/callback'] }),
  registration('a redirect that is script', { redirect_uris: ['javascript:alert(1)'] }),
  registration('a redirect that is data', { redirect_uris: ['data:text/html,a'] }),
  registration('a redirect to http elsewhere', { redirect_uris: ['http://app.example/callback'] }),
  registration('a redirect of a scheme with a dot', { redirect_uris: ['com.example.app:/callback'] }),
  registration('a redirect with a wildcard', { redirect_uris: ['https://*.example/callback'] }),
  registration('a redirect with a user', { redirect_uris: ['https://user@app.example/callback'] }),
  registration('a client with a secret', { token_endpoint_auth_method: 'client_secret_basic' }),
  registration('a grant type that is not served', { grant_types: ['authorization_code', 'password'] }),
  registration('a response type that is not served', { response_types: ['token'] }),
  registration('a scope that nobody knows', { scope: 'nothing:known' }),
  registration('a name that is no text', { client_name: 5 }),
  registration('a member that nobody knows', { nonsense: true }),
  ...[
    ['text that is no JSON', '{', 'application/json'],
    ['a list', '[]', 'application/json'],
    ['nothing', '', 'application/json'],
    ['a form', 'redirect_uris=https://app.example/', FORM],
  ].map(
    ([name, body = '', type = '']): Case => [
      `register: a body that is ${name}`,
      async (server) => verdict(await post(server, '/oauth/register', body, type)),
    ],
  ),
];
