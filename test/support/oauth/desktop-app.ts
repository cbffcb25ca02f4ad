// Native app on its user's computer: opens a consent page, and receives the redirect.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd, type Closing } from '../database/database.ts';
import { challengeOf, newVerifier } from './oauth.ts';

/** The browser's return: where to, and with which headers. */
export interface RedirectRequest {
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
}

export interface App {
  readonly origin: string;
  readonly redirectUri: string;
  readonly clientId: string;
  readonly state: string;
  readonly verifier: string;
  /** Everyone who came back so far. */
  readonly returns: readonly RedirectRequest[];
  /** The address to send the browser to; `changes` replace parameters. */
  consentAddress(service: string, changes?: Readonly<Record<string, string>>): string;
}

/** Starts the app on a free port. It shows `html` at / and waits at /callback?from=here. */
export async function startApp(t: Closing, html = ''): Promise<App> {
  const returns: RedirectRequest[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', origin);
    if (url.pathname === '/callback') returns.push({ url, headers: request.headers });
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<!doctype html><link rel="icon" href="data:,"><title>App</title><h1>The app</h1>${html}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(t, async () => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const app = {
    origin,
    returns,
    redirectUri: `${origin}/callback?from=here`,
    clientId: 'browser-test',
    state: 'st/&=%é',
    verifier: newVerifier(),
  };
  const consentAddress: App['consentAddress'] = (service, changes = {}) => {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: app.clientId,
      redirect_uri: app.redirectUri,
      code_challenge: challengeOf(app.verifier),
      code_challenge_method: 'S256',
      state: app.state,
      ...changes,
    });
    return `${service}/oauth/authorize?${query}`;
  };
  return { ...app, consentAddress };
}
