// The compared authorization servers: Freehold, and oidc-provider set up as similarly as possible.

import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { errors, Provider } from 'oidc-provider/lib/index.js';
import { atEnd, type Closing } from '../database/database.ts';
import { startService } from '../service/service.ts';
import { decideAt } from './person.ts';

/** One of the two: both have their endpoints at the same paths. */
export interface ComparedServer {
  readonly url: string;
  /** A resource that it serves. */
  readonly resource: string;
  /** Somebody opens the address and consents; gives where they are sent. */
  consent(address: string): Promise<URL>;
  /** Lets time pass, in milliseconds. */
  pass(time: number): void;
}

export async function startFreehold(t: Closing): Promise<ComparedServer> {
  const service = await startService(t);
  return {
    url: service.url,
    resource: service.url,
    consent: (address) => decideAt(address, { decision: 'free' }),
    pass: (time) => service.clock.advance(time),
  };
}

/** oidc-provider in this process: it reads the time from Date, which this takes over. */
export async function startOracle(t: Closing): Promise<ComparedServer> {
  const now = Date.now.bind(Date);
  let passed = 0;
  const time = mock.method(Date, 'now', () => now() + passed);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = createProvider(url);
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/')) void decide(provider, request, response);
    else void answer(request, response);
  });
  atEnd(t, async () => {
    time.mock.restore();
    server.closeAllConnections();
    server.close();
  });
  return {
    url,
    resource: url,
    consent: (address) => followHome(address, url),
    pass: (more) => {
      passed += more;
    },
  };
}

const SCOPES = 'listings:read listings:live watchers';

function createProvider(url: string): Provider {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return new Provider(url, {
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig' }] },
    cookies: { keys: ['of no interest here'] },
    pkce: { required: () => true },
    responseTypes: ['code'],
    clientAuthMethods: ['none'],
    rotateRefreshToken: true,
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'ES256',
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    issueRefreshToken: async () => true,
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    ttl: {
      AuthorizationCode: 300,
      AccessToken: 3_600,
      RefreshToken: 30 * 86_400,
      Grant: 90 * 86_400,
      Interaction: 600,
      Session: 600,
    },
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      registration: '/oauth/register',
      revocation: '/oauth/revoke',
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    renderError: (ctx, { error }) => {
      ctx.body = { error };
    },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      revocation: {
        enabled: true,
        allowedPolicy: async (_, client, token) => token.clientId === client.clientId,
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => url,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => {
          if (resource !== url) throw new errors.InvalidTarget();
          return { scope: SCOPES, audience: url, accessTokenFormat: 'opaque' };
        },
      },
    },
  });
}

/** Consents to whatever is requested. */
async function decide(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { params } = await provider.interactionDetails(request, response);
  const accountId = 'somebody';
  const grant = new provider.Grant({ accountId, clientId: String(params.client_id) });
  grant.addResourceScope(provider.issuer, typeof params.scope === 'string' ? params.scope : SCOPES);
  const result = { login: { accountId }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result);
}

/** Follows redirects within the server with its cookies, until one leads out. */
async function followHome(address: string, home: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let next = address;
  for (let step = 0; step < 5 && next.startsWith(home); step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(next, { redirect: 'manual', headers: { cookie } });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`It leads nowhere: ${answer.status} ${await answer.text()}`);
    next = new URL(location, next).href;
  }
  return new URL(next);
}
