// Sign-in for programs on somebody's own computer: OAuth 2.1 with PKCE, back to a port of this computer. Needs `node:http`.

import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Freehold } from './freehold.ts';
import type { Operations } from './generated/sdk.gen.ts';

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
  readonly scope?: string | undefined;
  /** Shows the address that the person opens in a browser. */
  readonly open: (url: string) => unknown;
  /** That of an earlier run; then nobody is asked. */
  readonly login?: Login | undefined;
  /** Called with each new login, since a refresh token is good once. */
  readonly save?: ((login: Login) => unknown) | undefined;
  /** Ends the waiting for the person. */
  readonly signal?: AbortSignal | undefined;
}

type Grant = Readonly<Record<string, string>>;

/** Milliseconds before its end from which an access token is replaced. */
const EARLY = 30_000;

/**
 * Resolves with what `new Freehold({ baseUrl, token })` takes: access tokens, refreshed as they end, once for all calls that wait.
 * Rejects with an Error where the person refuses, and with a FreeholdError for what the service refuses.
 */
export async function loginByLoopback(options: LoginOptions): Promise<() => Promise<string>> {
  const { operations } = new Freehold({ baseUrl: options.baseUrl });
  let { clientId, refreshToken } = options.login ?? { clientId: '', refreshToken: '' };
  let access = { token: '', until: 0 };
  let refreshing: Promise<string> | null = null;
  const exchange = async (grant: Grant): Promise<string> => {
    const tokens = (await operations.exchangeToken({ body: { ...grant, client_id: clientId } as never })) as {
      readonly access_token: string;
      readonly refresh_token?: string;
      readonly expires_in?: number;
    };
    const { access_token: token, refresh_token: next, expires_in: seconds = 3_600 } = tokens;
    access = { token, until: Date.now() + seconds * 1_000 - EARLY };
    refreshToken = next ?? refreshToken;
    if (next !== undefined) await options.save?.({ clientId, refreshToken });
    return token;
  };
  if (options.login === undefined) {
    const asked = await ask(operations, options);
    clientId = asked.clientId;
    await exchange(asked.grant);
  }
  return async () => {
    if (Date.now() < access.until) return access.token;
    refreshing ??= exchange({ grant_type: 'refresh_token', refresh_token: refreshToken }).finally(() => {
      refreshing = null;
    });
    return refreshing;
  };
}

/** Registers this installation, lets the person decide, and gives what the tokens are exchanged for. */
async function ask(
  operations: Operations,
  { name, scope = 'listings:read', open, signal }: LoginOptions,
): Promise<{ readonly clientId: string; readonly grant: Grant }> {
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const server = createServer().listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
    const registration = {
      client_name: name,
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
    };
    const { client_id: clientId } = (await operations.registerClient({ body: registration as never })) as {
      readonly client_id: string;
    };
    const { authorization_endpoint: endpoint, issuer } = (await operations.getAuthorizationServer()) as {
      readonly authorization_endpoint: string;
      readonly issuer: string;
    };
    const address = new URL(endpoint);
    address.search = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state,
      scope,
      resource: issuer,
    }).toString();
    const arrival = arrivalAt(server, redirectUri, state, signal);
    await open(address.href);
    const answer = await arrival;
    if (answer.get('iss') !== issuer) throw new Error('The answer is of another authorization server');
    const code = answer.get('code');
    if (code === null)
      throw new Error(`You were not signed in: ${answer.get('error') ?? 'no code came back'}`);
    const proof = { redirect_uri: redirectUri, code_verifier: verifier };
    return { clientId, grant: { grant_type: 'authorization_code', code, ...proof } };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** What the browser brings back. Other pages may knock here too: they do not know the state. */
function arrivalAt(
  server: Server,
  redirectUri: string,
  state: string,
  signal: AbortSignal | undefined,
): Promise<URLSearchParams> {
  const arrival = new Promise<URLSearchParams>((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    server.on('request', (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', redirectUri);
      const isOurs = pathname === '/callback' && searchParams.get('state') === state;
      response.writeHead(isOurs ? 200 : 404, { 'content-type': 'text/plain', connection: 'close' });
      response.end(isOurs ? 'You are signed in. Go back to the program.' : 'Nothing is here.');
      if (isOurs) resolve(searchParams);
    });
  });
  // It may be refused while `open` still runs.
  arrival.catch(() => {});
  return arrival;
}
