// Three small servers in place of nodes: they say who they are, and may be gone.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd, type Closing } from '../database/database.ts';
import type { NodePorts } from './balancer.ts';

/** What a node does with a request instead of naming itself. */
export type Treatment = (incoming: IncomingMessage, response: ServerResponse) => void;

export interface StubNodes {
  readonly ports: NodePorts;
  /** Requests that reached a node, health checks aside, as `node METHOD path`. */
  readonly received: string[];
  /** By path. */
  readonly treatments: Map<string, Treatment>;
  /** Closes a node's port and connections, as a killed process does. */
  kill(node: number): Promise<void>;
  /** Opens its port again. */
  restart(node: number): Promise<void>;
}

/** Starts three, numbered 1 to 3; they end with the test. */
export async function startStubNodes(t: Closing): Promise<StubNodes> {
  const received: string[] = [];
  const treatments = new Map<string, Treatment>();
  const servers = [1, 2, 3].map((node) =>
    createServer((incoming, response) => {
      const { url = '', method, headers } = incoming;
      if (url === '/readyz') return void response.end('{"status":"ok"}');
      received.push(`${node} ${method} ${url}`);
      const treatment = treatments.get(url);
      if (treatment !== undefined) return treatment(incoming, response);
      response.end(JSON.stringify({ node, forwardedFor: headers['x-forwarded-for'] ?? null }));
    }),
  );
  const serverOf = (node: number): Server => servers[node - 1] ?? createServer();
  const listen = (server: Server, port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = async (server: Server) => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  for (const server of servers) await listen(server, 0);
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  atEnd(t, async () => {
    await Promise.all(servers.map(close));
  });
  return {
    ports: [ports[0] ?? 0, ports[1] ?? 0, ports[2] ?? 0],
    received,
    treatments,
    kill: (node) => close(serverOf(node)),
    restart: (node) => listen(serverOf(node), ports[node - 1] ?? 0),
  };
}
