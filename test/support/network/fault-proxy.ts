// Stretch of network before a server of any protocol, which tests slow down, cut or black-hole.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { parseDatabaseUrl } from '../../../src/postgres/client/connection-url.ts';
import { atEnd, type Closing } from '../database/database.ts';

/**
 * `pass`: everything goes through. `delay`: so many milliseconds later, each way. `cut`: open connections end at once, and new ones
 * are closed. `blackhole`: nothing goes through, neither way, not even that a connection has ended: as in a network that is
 * partitioned, nobody is told. `unanswered`: what clients send goes through, and no answer does.
 *
 * What is sent into a black hole is held, as a network sends lost packets again: it arrives once the mode lets it through. `cut`
 * loses it.
 */
export type FaultMode = 'pass' | 'cut' | 'blackhole' | 'unanswered' | { readonly delay: number };

/** Where the server is: at a port, or at a Unix socket. */
export type FaultTarget = { readonly host: string; readonly port: number } | { readonly path: string };

export interface FaultProxy {
  readonly host: string;
  readonly port: number;
  readonly mode: FaultMode;
  set(mode: FaultMode): void;
  /** Bytes that wait in the proxy: those of clients, and those of the server. */
  readonly held: { readonly requests: number; readonly answers: number };
  /** Connections of clients that are open here, whatever their clients think. */
  readonly connections: number;
}

/** Bytes held for one direction of a connection, after which its sender is not read. */
const MAX_HELD = 4_000_000;

/** Puts a proxy before a server, at a port of this machine; it ends with the test. */
export async function startFaultProxy(t: Closing, target: FaultTarget): Promise<FaultProxy> {
  const network = new Network();
  const open = new Set<Socket>();
  let connections = 0;
  const end = (): void => {
    for (const socket of open) socket.destroy();
  };
  const track = (socket: Socket): Socket => {
    open.add(socket.on('error', () => {}).on('close', () => open.delete(socket)));
    return socket;
  };
  // A proxy that collected small packets would add delays that no network has.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, async (client) => {
    track(client);
    if (network.mode === 'cut') return client.destroy();
    connections += 1;
    client.on('close', () => {
      connections -= 1;
    });
    // Until its first packet gets through, the server knows nothing of a connection.
    await network.passage('requests');
    if (client.destroyed) return;
    const upstream = track(connect({ ...target, allowHalfOpen: true, noDelay: true }));
    relay(network, 'requests', client, upstream);
    relay(network, 'answers', upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(t, async () => {
    network.set('cut');
    end();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    get mode() {
      return network.mode;
    },
    set(mode) {
      network.set(mode);
      if (mode === 'cut') end();
    },
    held: network.held,
    get connections() {
      return connections;
    },
  };
}

/** A proxy before the database of this URL, with the URL that leads through it. */
export async function startDatabaseFaultProxy(
  t: Closing,
  url: string,
): Promise<FaultProxy & { readonly url: string }> {
  const { host, port, database, user, password = '' } = parseDatabaseUrl(url);
  const target = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  const proxy = await startFaultProxy(t, target);
  const account = [user, password].map(encodeURIComponent).join(':');
  const through = `postgres://${account}@${proxy.host}:${proxy.port}/${encodeURIComponent(database)}?sslmode=disable`;
  return Object.defineProperty(proxy, 'url', { value: through }) as FaultProxy & { readonly url: string };
}

type Direction = 'requests' | 'answers';

/** The mode that all connections have in common. */
class Network {
  readonly held = { requests: 0, answers: 0 };
  mode: FaultMode = 'pass';
  #changed = Promise.withResolvers<void>();

  set(mode: FaultMode): void {
    this.mode = mode;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Resolves when what arrived just now may go on. */
  async passage(direction: Direction): Promise<void> {
    if (typeof this.mode === 'object') await pause(this.mode.delay);
    while (this.mode === 'blackhole' || (this.mode === 'unanswered' && direction === 'answers'))
      await this.#changed.promise;
  }
}

/** Hands on what one end sends, in its order, and that it has come to an end. */
function relay(network: Network, direction: Direction, from: Socket, to: Socket): void {
  let last = Promise.resolve();
  let held = 0;
  const hand = (bytes: number, deliver: () => void): void => {
    const passage = network.passage(direction);
    const count = (change: number): void => {
      held += change;
      network.held[direction] += change;
    };
    count(bytes);
    if (held > MAX_HELD) from.pause();
    last = last.then(async () => {
      await passage;
      count(-bytes);
      if (held <= MAX_HELD) from.resume();
      deliver();
    });
  };
  from.on('data', (chunk: Buffer) => hand(chunk.length, () => to.write(chunk)));
  from.on('end', () => hand(0, () => to.end()));
  from.on('close', (hadError) => hadError && hand(0, () => to.destroy()));
}
