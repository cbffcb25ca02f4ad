// Receiver of webhooks: records what arrives, with every signature verified by the reference library.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { atEnd, type Closing } from '../database/database.ts';

/** One request that arrived whole. */
export interface Arrival {
  readonly path: string;
  /** `webhook-id`. */
  readonly id: string;
  /** Seconds. */
  readonly timestamp: number;
  readonly headers: IncomingMessage['headers'];
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly sequence: number;
    readonly watcherId: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

/** Answers a request; the default is 200. */
export type Answer = (arrival: Arrival, response: ServerResponse) => void;

export interface Receiver {
  /** Without a path. */
  readonly url: string;
  readonly port: number;
  readonly arrivals: Arrival[];
  /** Requests whose signature was refused. */
  readonly forged: string[];
  answer: Answer;
  /** Secrets that are accepted, `whsec_…`, by path; a path that is not there accepts those of ''. */
  readonly secrets: Map<string, string>;
  /** Connections that were opened. */
  readonly connections: () => number;
  close(): void;
}

export const ok: Answer = (_, response) => void response.end('thanks');

/** Listens at an address of this machine, on any port or the given one. */
export async function startReceiver(t: Closing, address = '127.0.0.1', port = 0): Promise<Receiver> {
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => receive(request, Buffer.concat(chunks).toString(), response));
    response.on('error', () => {});
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  const bound = (server.address() as AddressInfo).port;
  const receiver: Receiver = {
    url: `http://${address}:${bound}`,
    port: bound,
    arrivals: [],
    forged: [],
    answer: ok,
    secrets: new Map<string, string>(),
    connections: () => connections,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  atEnd(t, async () => receiver.close());
  function receive(request: IncomingMessage, body: string, response: ServerResponse): void {
    const path = request.url ?? '';
    const id = String(request.headers['webhook-id']);
    const secret = receiver.secrets.get(path) ?? receiver.secrets.get('') ?? '';
    if (!isVerified(secret, request, body)) {
      receiver.forged.push(`${path} ${id}`);
      response.writeHead(401).end('wrong signature');
      return;
    }
    const timestamp = Number(request.headers['webhook-timestamp']);
    const arrival = { path, id, timestamp, headers: request.headers, event: JSON.parse(body) };
    receiver.arrivals.push(arrival);
    receiver.answer(arrival, response);
  }
  return receiver;
}

/** The library compares the time of the attempt with the system's clock, so that clock is set to it. */
function isVerified(secret: string, { headers }: IncomingMessage, body: string): boolean {
  const now = Date.now;
  Date.now = () => Number(headers['webhook-timestamp']) * 1000;
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  } finally {
    Date.now = now;
  }
}
