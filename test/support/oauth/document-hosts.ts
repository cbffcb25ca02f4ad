// Hosts of client documents: an https server under any name, and a stub of the Internet that leads to it.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import { createSecureContext, type TLSSocket } from 'node:tls';
import type { Internet } from '../../../src/lib/network/internet.ts';
import { atEnd, type Closing } from '../database/database.ts';
import { newAuthority } from './certificates.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface DocumentHosts {
  /** The address of a document: `https://<host>:<port><path>`. */
  url(path: string, host?: string): string;
  /** Answers at an address, which it gives. */
  put(path: string, document: Handler, host?: string): string;
  /** `host/path` of every request, in their order. */
  readonly hits: string[];
  /** What the service is given in the place of the Internet. */
  readonly internet: Required<Internet>;
  /** What names are said to resolve to; else a public address. */
  readonly answers: Map<string, readonly string[]>;
  /** Names that were looked up. */
  readonly lookups: string[];
}

/** A public address, to which nothing is ever sent. */
export const PUBLIC_ADDRESS = '93.184.216.34';

/**
 * The names are resolved by a stub, and the answers are judged by the service's own guard, so they have to be public
 * addresses. Behind the guard, the very end of the way is bent: what goes to PUBLIC_ADDRESS arrives at a server of this
 * process. All else is left as it is, so that whatever the guard lets through by mistake arrives where it leads.
 *
 * @param address where that server listens
 */
export async function documentHosts(t: Closing, address = '127.0.0.1'): Promise<DocumentHosts> {
  const authority = newAuthority();
  const contexts = new Map<string, ReturnType<typeof createSecureContext>>();
  const contextFor = (name: string) => {
    const context = contexts.get(name) ?? createSecureContext(authority.leaf(name));
    contexts.set(name, context);
    return context;
  };
  const handlers = new Map<string, Handler>();
  const hits: string[] = [];
  const server = createServer(
    { SNICallback: (name, done) => done(null, contextFor(name)) },
    (request, response) => {
      const hit = `${(request.socket as TLSSocket).servername}${request.url}`;
      hits.push(hit);
      const handler = handlers.get(hit);
      if (handler !== undefined) handler(request, response);
      else response.writeHead(404).end();
    },
  );
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  atEnd(t, async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const answers = new Map<string, readonly string[]>();
  const lookups: string[] = [];
  const lookup: LookupFunction = (name, _options, callback) => {
    lookups.push(name);
    const addresses = answers.get(name) ?? [PUBLIC_ADDRESS];
    callback(
      null,
      addresses.map((each) => ({ address: each, family: each.includes(':') ? 6 : 4 })),
    );
  };
  const url = (path: string, host = 'client.example') => `https://${host}:${port}${path}`;
  return {
    url,
    hits,
    answers,
    lookups,
    internet: {
      lookup,
      certificateAuthorities: [authority.cert],
      connectTo: (checked) => (checked === PUBLIC_ADDRESS ? address : checked),
    },
    put(path, document, host = 'client.example') {
      handlers.set(`${host}${path}`, document);
      return url(path, host);
    },
  };
}

/** Answers with JSON. */
export function json(document: unknown, headers: Readonly<Record<string, string>> = {}): Handler {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(document));
  };
}
