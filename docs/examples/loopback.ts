// Owns what the two example clients share: waiting on this computer for the browser to come back.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How long a person may take, in milliseconds. */
const PATIENCE = 10 * 60_000;

export interface Loopback {
  readonly redirectUri: string;
  /** The address that the browser came back with. Rejects when nobody comes within ten minutes. */
  readonly arrival: Promise<URL>;
}

/** Listens on a free port of this computer until the browser has come back. */
export async function listen(): Promise<Loopback> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  const arrival = new Promise<URL>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Nobody came back in time.')), PATIENCE);
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', redirectUri);
      const here = url.pathname === '/callback';
      response.writeHead(here ? 200 : 404, { 'content-type': 'text/plain', connection: 'close' });
      response.end(here ? 'Thank you. You can close this page and go back to the program.' : 'Not here.');
      if (!here) return;
      clearTimeout(timer);
      server.close();
      resolve(url);
    });
  });
  return { redirectUri, arrival };
}
