// Cases of token requests and revocations for both authorization servers.

import { type AuthorizationCode, codeFields, postForm } from './oauth.ts';
import type { ComparedServer } from './oracle.ts';
import {
  address,
  type Case,
  type Changes,
  FORM,
  newClient,
  post,
  prepare,
  REDIRECT,
  verdict,
  WEB,
} from './oracle-requests.ts';

async function newCode(server: ComparedServer): Promise<AuthorizationCode> {
  const { clientId, verifier, parameters } = await prepare(server);
  const back = await server.consent(address(server, parameters));
  const code = back.searchParams.get('code');
  if (code === null) throw new Error(`No code: ${back}`);
  return { code, verifier, clientId, redirectUri: REDIRECT };
}

/** An exchange of a code, with changes: undefined leaves a field out. */
function exchange(name: string, changes: Changes, headers: Readonly<Record<string, string>> = {}): Case {
  const run = async (server: ComparedServer) => {
    const fields = { ...codeFields(await newCode(server)), ...changes };
    return verdict(await postForm(server, '/oauth/token', fields, headers));
  };
  return [`token: ${name}`, run];
}

async function exchanged(server: ComparedServer, scope?: string) {
  const authorizationCode = await newCode(server);
  const fields = { ...codeFields(authorizationCode), scope };
  const { body } = await postForm(server, '/oauth/token', fields);
  if (typeof body.refresh_token !== 'string') throw new Error(`No tokens: ${JSON.stringify(body)}`);
  return {
    clientId: authorizationCode.clientId,
    refreshToken: body.refresh_token,
    accessToken: String(body.access_token),
  };
}

function refreshFields({ clientId, refreshToken }: { clientId: string; refreshToken: string }) {
  return { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken };
}

function refresh(name: string, changes: Changes): Case {
  const run = async (server: ComparedServer) => {
    const fields = { ...refreshFields(await exchanged(server)), ...changes };
    return verdict(await postForm(server, '/oauth/token', fields));
  };
  return [`refresh: ${name}`, run];
}

export const TOKEN: readonly Case[] = [
  exchange('a good code', {}),
  exchange('another verifier', { code_verifier: 'a'.repeat(43) }),
  exchange('a verifier of 42 characters', { code_verifier: 'a'.repeat(42) }),
  exchange('a verifier of 129 characters', { code_verifier: 'a'.repeat(129) }),
  exchange('a verifier with a plus', { code_verifier: `${'a'.repeat(42)}+` }),
  exchange('no verifier', { code_verifier: undefined }),
  exchange('another redirect_uri', { redirect_uri: WEB }),
  exchange('no redirect_uri', { redirect_uri: undefined }),
  exchange('no code', { code: undefined }),
  exchange('a code that was never issued', { code: 'nonsense' }),
  exchange('no client_id', { client_id: undefined }),
  exchange('a client that nobody knows', { client_id: 'client_unknown' }),
  exchange('no grant_type', { grant_type: undefined }),
  exchange('grant_type unheard of', { grant_type: 'nonsense' }),
  exchange('grant_type password', { grant_type: 'password' }),
  exchange('grant_type client_credentials', { grant_type: 'client_credentials' }),
  exchange('grant_type implicit', { grant_type: 'implicit' }),
  exchange('a resource elsewhere', { resource: 'https://elsewhere.example' }),
  exchange('a field that nobody knows', { nonsense: 'a' }),
  exchange('HTTP Basic for another client', {}, { authorization: `Basic ${btoa('another:')}` }),
  exchange('HTTP Basic that is none', {}, { authorization: 'Basic %' }),
  [
    'token: the code of another client',
    async (server) => {
      const fields = { ...codeFields(await newCode(server)), client_id: await newClient(server) };
      return verdict(await postForm(server, '/oauth/token', fields));
    },
  ],
  [
    'token: a code twice, and then its refresh token',
    async (server) => {
      const fields = codeFields(await newCode(server));
      const { body } = await postForm(server, '/oauth/token', fields);
      const again = verdict(await postForm(server, '/oauth/token', fields));
      const session = { clientId: fields.client_id, refreshToken: String(body.refresh_token) };
      return `${again}, ${verdict(await postForm(server, '/oauth/token', refreshFields(session)))}`;
    },
  ],
  [
    'token: a code after its five minutes',
    async (server) => {
      const fields = codeFields(await newCode(server));
      server.pass(301_000);
      return verdict(await postForm(server, '/oauth/token', fields));
    },
  ],
  [
    'token: a code after another verifier',
    async (server) => {
      const fields = codeFields(await newCode(server));
      await postForm(server, '/oauth/token', { ...fields, code_verifier: 'a'.repeat(43) });
      return verdict(await postForm(server, '/oauth/token', fields));
    },
  ],
  ...['code', 'code_verifier', 'redirect_uri', 'client_id', 'grant_type'].map(
    (name): Case => [
      `token: ${name} twice`,
      async (server) => {
        const fields = Object.entries(codeFields(await newCode(server)));
        const repeated = fields.filter(([known]) => known === name);
        return verdict(await postForm(server, '/oauth/token', [...fields, ...repeated]));
      },
    ],
  ),
  ...['application/json', 'text/plain', 'multipart/form-data; boundary=a'].map(
    (type): Case => [
      `token: a body of ${type}`,
      async (server) => {
        const fields = codeFields(await newCode(server));
        const body = type.endsWith('json') ? JSON.stringify(fields) : `${new URLSearchParams(fields)}`;
        return verdict(await post(server, '/oauth/token', body, type));
      },
    ],
  ),
  ['token: an empty form', async (server) => verdict(await post(server, '/oauth/token', '', FORM))],
];

export const REFRESH: readonly Case[] = [
  refresh('a good token', {}),
  refresh('no token', { refresh_token: undefined }),
  refresh('a token that was never issued', { refresh_token: 'nonsense' }),
  refresh('no client_id', { client_id: undefined }),
  refresh('a scope that was not granted', { scope: 'listings:read watchers' }),
  refresh('a scope that nobody knows', { scope: 'nothing:known' }),
  refresh('a resource elsewhere', { resource: 'https://elsewhere.example' }),
  [
    'refresh: a token of another client, and then of its own',
    async (server) => {
      const fields = refreshFields(await exchanged(server));
      const foreign = { ...fields, client_id: await newClient(server) };
      const first = verdict(await postForm(server, '/oauth/token', foreign));
      return `${first}, ${verdict(await postForm(server, '/oauth/token', fields))}`;
    },
  ],
  [
    'refresh: a token twice at once',
    async (server) => {
      const fields = refreshFields(await exchanged(server));
      await postForm(server, '/oauth/token', fields);
      return verdict(await postForm(server, '/oauth/token', fields));
    },
  ],
  [
    'refresh: a token a minute after it was replaced, and then its successor',
    async (server) => {
      const session = await exchanged(server);
      const { body } = await postForm(server, '/oauth/token', refreshFields(session));
      server.pass(60_000);
      const again = verdict(await postForm(server, '/oauth/token', refreshFields(session)));
      const next = { ...session, refreshToken: String(body.refresh_token) };
      return `${again}, ${verdict(await postForm(server, '/oauth/token', refreshFields(next)))}`;
    },
  ],
  [
    'refresh: an access token',
    async (server) => {
      const { clientId, accessToken } = await exchanged(server);
      const fields = refreshFields({ clientId, refreshToken: accessToken });
      return verdict(await postForm(server, '/oauth/token', fields));
    },
  ],
  [
    'refresh: a token after its thirty days',
    async (server) => {
      const fields = refreshFields(await exchanged(server));
      server.pass(30 * 86_400_000 + 1_000);
      return verdict(await postForm(server, '/oauth/token', fields));
    },
  ],
];

/** Revokes with changes, then refreshes: what both are answered. */
function revocation(name: string, changes: (server: ComparedServer) => Changes | Promise<Changes>): Case {
  const run = async (server: ComparedServer) => {
    const session = await exchanged(server);
    const fields = { token: session.refreshToken, client_id: session.clientId, ...(await changes(server)) };
    const revoked = verdict(await postForm(server, '/oauth/revoke', fields));
    return `${revoked}, ${verdict(await postForm(server, '/oauth/token', refreshFields(session)))}`;
  };
  return [`revoke: ${name}`, run];
}

export const REVOKE: readonly Case[] = [
  revocation('a good token', () => ({})),
  revocation('a token that was never issued', () => ({ token: 'nonsense' })),
  revocation('a token of another client', async (server) => ({ client_id: await newClient(server) })),
  revocation('a token with a hint that is wrong', () => ({ token_type_hint: 'access_token' })),
  revocation('a token with a hint unheard of', () => ({ token_type_hint: 'nonsense' })),
  revocation('no token', () => ({ token: undefined })),
  revocation('no client_id', () => ({ client_id: undefined })),
  revocation('a client that nobody knows', () => ({ client_id: 'client_unknown' })),
  [
    'revoke: an access token',
    async (server) => {
      const session = await exchanged(server);
      const fields = { token: session.accessToken, client_id: session.clientId };
      const revoked = verdict(await postForm(server, '/oauth/revoke', fields));
      return `${revoked}, ${verdict(await postForm(server, '/oauth/token', refreshFields(session)))}`;
    },
  ],
  [
    'revoke: token twice',
    async (server) => {
      const { clientId, refreshToken } = await exchanged(server);
      const token = ['token', refreshToken] as const;
      return verdict(await postForm(server, '/oauth/revoke', [['client_id', clientId], token, token]));
    },
  ],
  [
    'revoke: a body of JSON',
    async (server) => {
      const { clientId, refreshToken } = await exchanged(server);
      const body = JSON.stringify({ client_id: clientId, token: refreshToken });
      return verdict(await post(server, '/oauth/revoke', body, 'application/json'));
    },
  ],
];
