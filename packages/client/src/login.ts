// Sign-in for programs on somebody's own computer: OAuth 2.1 with PKCE, back to a port of this computer. Node.js only.

import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Freehold } from './freehold.ts';

/** What stays valid between runs: keep it where only its owner can read it. */
export interface Login {
  readonly clientId: string;
  readonly refreshToken: string;
}

export interface LoginOptions {
  readonly baseUrl: string;
  /** Shown to the person who is asked. */
  readonly name: string;
  /** Default: `listings:read`. */
  readonly scope?: string;
  /** Shows the address that the person opens in a browser. */
  readonly open: (url: string) => unknown;
  /** That of an earlier run; then nobody is asked. */
  readonly login?: Login;
  /** Called with each new login, since a refresh token is good once. */
  readonly save?: (login: Login) => unknown;
  /** Ends the waiting for the person. */
  readonly signal?: AbortSignal;
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_in?: number;
}

/** Milliseconds before its end from which an access token is replaced. */
const EARLY = 30_000;

/**
 * Resolves with what `new Freehold({ baseUrl, token })` takes: access tokens, refreshed as they end, once for all calls that wait.
 * Rejects with an Error where the person refuses, and with a FreeholdError for what the service refuses.
 */
export async function loginByLoopback(options: LoginOptions): Promise<() => Promise<string>> {
  const { operations } = new Freehold({ baseUrl: options.baseUrl });
  const exchange = async (clientId: string, grant: Readonly<Record<string, string>>): Promise<Tokens> => {
    const tokens = (await operations.exchangeToken({
      body: { ...grant, client_id: clientId } as never,
    })) as Tokens;
    if (tokens.refresh_token !== undefined)
      await options.save?.({ clientId, refreshToken: tokens.refresh_token });
    return tokens;
  };
  let { clientId, refreshToken } = options.login ?? { clientId: '', refreshToken: '' };
  let access: { readonly token: string; readonly until: number } | null = null;
  let refreshing: Promise<string> | null = null;
  const take = ({
    access_token: token,
    refresh_token: next,
    expires_in: seconds = 3_600,
  }: Tokens): string => {
    access = { token, until: Date.now() + seconds * 1_000 - EARLY };
    refreshToken = next ?? refreshToken;
    return token;
  };
  if (options.login === undefined) {
    const granted = await ask(options, exchange);
    clientId = granted.clientId;
    take(granted.tokens);
  }
  const refresh = () =>
    exchange(clientId, { grant_type: 'refresh_token', refresh_token: refreshToken }).then(take);
  return async () => {
    if (access !== null && Date.now() < access.until) return access.token;
    refreshing ??= refresh().finally(() => {
      refreshing = null;
    });
    return refreshing;
  };
}

/** Registers this installation, and lets the person decide. */
async function ask(
  { baseUrl, name, scope = 'listings:read', open, signal }: LoginOptions,
  exchange: (clientId: string, grant: Readonly<Record<string, string>>) => Promise<Tokens>,
): Promise<{ readonly clientId: string; readonly tokens: Tokens }> {
  const { operations } = new Freehold({ baseUrl });
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const server = createServer();
  try {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
    const registration = {
      client_name: name,
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
    };
    const client = (await operations.registerClient({ body: registration as never })) as {
      client_id: string;
    };
    const { authorization_endpoint: endpoint, issuer } = (await operations.getAuthorizationServer()) as {
      authorization_endpoint: string;
      issuer: string;
    };
    const address = new URL(endpoint);
    address.search = new URLSearchParams({
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: redirectUri,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state,
      scope,
      resource: issuer,
    }).toString();
    const arrival = new Promise<URLSearchParams>((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      server.on('request', (request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? '/', redirectUri);
        // Other pages may knock here too: they do not know the state.
        const isOurs = pathname === '/callback' && searchParams.get('state') === state;
        response.writeHead(isOurs ? 200 : 404, { 'content-type': 'text/plain', connection: 'close' });
        response.end(isOurs ? 'You are signed in. Go back to the program.' : 'Nothing is here.');
        if (isOurs) resolve(searchParams);
      });
    });
    await open(address.href);
    const answer = await arrival;
    if (answer.get('iss') !== issuer) throw new Error('The answer is of another authorization server');
    const code = answer.get('code');
    if (code === null)
      throw new Error(`You were not signed in: ${answer.get('error') ?? 'no code came back'}`);
    const grant = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    };
    return { clientId: client.client_id, tokens: await exchange(client.client_id, grant) };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
