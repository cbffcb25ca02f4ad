// Open connections: bounded per address and in all, with the requests under way on each. The longest idle make room for others.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../lib/clock.ts';
import { addressGroup, type ReadAddress } from '../../lib/ip-address.ts';
import type { Metrics } from '../../lib/metrics.ts';
import { Problem } from '../../lib/problem.ts';

/** Milliseconds that a connection without room may take to send the request that is refused. */
const REFUSAL_MS = 3_000;
/** Milliseconds for which nobody is taken for idle: a request may be on its way, or stand unread behind others that came at once. */
const IDLE_MS = 100;
/** Connections without room that are kept open to be told so. */
const MOST_REFUSED = 32;

export interface ConnectionBounds {
  readonly connections: number;
  /** Of one IPv4 address, or of one /64 of IPv6. */
  readonly connectionsPerAddress: number;
}

interface ConnectionsOptions {
  readonly bounds: ConnectionBounds;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly readAddress: ReadAddress;
  /** Whether an address is a proxy's, behind which there are many: bounded in all only, and the last to make room. */
  readonly isProxy: (address: string) => boolean;
}

/** Connections of one address. */
interface Peers {
  open: number;
  /** Those without a request under way, the longest idle first. */
  readonly idle: Set<Socket>;
}

interface Connection {
  readonly address: string;
  /** Null: a proxy's. */
  readonly peers: Peers | null;
  /** Requests under way, by their responses, in the order in which they came. */
  readonly responses: ServerResponse[];
  /** To be called once all requests that came whole are answered. */
  onAnswered: (() => void) | null;
  /** When it had no request under way from, by the monotonic clock. */
  idleSince: number;
}

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Map<Socket, Connection>();
  readonly #byAddress = new Map<string, Peers>();
  readonly #idle = { clients: new Set<Socket>(), proxies: new Set<Socket>() };
  readonly #refused = new Set<Socket>();
  #active = 0;
  #onIdle: () => void = () => undefined;
  readonly #counts;

  constructor(options: ConnectionsOptions) {
    const { metrics } = options;
    this.#options = options;
    metrics.gauge('freehold_http_connections', 'Open connections.', () => this.#open.size);
    this.#counts = {
      evicted: metrics.counter(
        'freehold_http_connections_evicted_total',
        'Idle connections that were closed to make room for others.',
        [],
      ),
      refused: metrics.counter(
        'freehold_http_connections_refused_total',
        'Connections refused for want of room.',
        [],
      ),
    };
  }

  /** Takes in a new connection: in the place of an idle one where that is needed, or to be refused. */
  add(socket: Socket): void {
    const { bounds, readAddress, isProxy } = this.#options;
    const address = readAddress(socket.remoteAddress, undefined);
    const group = isProxy(address) ? null : addressGroup(address);
    const peers = group === null ? null : (this.#byAddress.get(group) ?? { open: 0, idle: new Set() });
    if (
      (peers !== null && peers.open >= bounds.connectionsPerAddress && !this.#evict(peers.idle)) ||
      (this.#open.size >= bounds.connections && !this.#evict(this.#idle.clients, this.#idle.proxies))
    ) {
      this.#hold(socket);
      return;
    }
    if (peers !== null) {
      peers.open++;
      this.#byAddress.set(group ?? '', peers);
    }
    const connection: Connection = {
      ...{ address: group ?? '', peers, responses: [], onAnswered: null, idleSince: 0 },
    };
    this.#open.set(socket, connection);
    this.#rest(socket, connection);
    socket.once('close', () => this.#remove(socket));
  }

  /** Requests under way, streams included. */
  get active(): number {
    return this.#active;
  }

  /** A request began: its connection is not idle until `end` was called for all of its requests. */
  begin(response: ServerResponse): void {
    this.#active += 1;
    const { socket } = response.req;
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    if (connection.responses.length === 0) this.#wake(socket, connection.peers);
    connection.responses.push(response);
  }

  end(response: ServerResponse): void {
    this.#active -= 1;
    if (this.#active === 0) this.#onIdle();
    const { socket } = response.req;
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.responses.splice(connection.responses.indexOf(response), 1);
    if (connection.responses.length === 0) this.#rest(socket, connection);
    if (connection.onAnswered !== null && isAnswered(connection)) connection.onAnswered();
  }

  /** Resolves when no request is under way. */
  async idle(): Promise<void> {
    while (this.#active > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onIdle = resolve;
      await promise;
    }
  }

  /**
   * Calls back once every request that came whole on this connection is answered, given those that did not; at once where there is
   * none. Only the first callback for a connection is kept.
   */
  afterAnswers(socket: Socket, callback: (unanswered: readonly ServerResponse[]) => void): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) callback([]);
    if (connection === undefined || connection.onAnswered !== null) return;
    connection.onAnswered = () => callback([...connection.responses]);
    if (isAnswered(connection)) connection.onAnswered();
  }

  /** Throws OVERLOADED where there was no room for the connection. */
  refuse(socket: Socket): void {
    if (!this.#refused.has(socket)) return;
    const detail = 'Too many connections are open, from your address or in total. Close or reuse some.';
    throw new Problem('OVERLOADED', detail, { headers: { connection: 'close', 'retry-after': '1' } });
  }

  #rest(socket: Socket, connection: Connection): void {
    const { peers } = connection;
    connection.idleSince = this.#options.clock.monotonic();
    if (peers === null) this.#idle.proxies.add(socket);
    else {
      this.#idle.clients.add(socket);
      peers.idle.add(socket);
    }
  }

  #wake(socket: Socket, peers: Peers | null): void {
    this.#idle.proxies.delete(socket);
    this.#idle.clients.delete(socket);
    peers?.idle.delete(socket);
  }

  /** Closes the longest idle connection of the first set that has one; false where none has. */
  #evict(...sets: readonly ReadonlySet<Socket>[]): boolean {
    for (const [socket] of sets) {
      if (socket === undefined || !this.#isIdle(socket)) continue;
      this.#remove(socket);
      socket.destroy();
      this.#counts.evicted.inc();
      return true;
    }
    return false;
  }

  #isIdle(socket: Socket): boolean {
    const since = this.#open.get(socket)?.idleSince ?? 0;
    return this.#options.clock.monotonic() - since >= IDLE_MS;
  }

  #remove(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    const { address, peers } = connection;
    this.#open.delete(socket);
    this.#wake(socket, peers);
    if (peers !== null && --peers.open === 0) this.#byAddress.delete(address);
  }

  /** Keeps a connection for as long as it takes to tell it that there is no room. */
  #hold(socket: Socket): void {
    this.#counts.refused.inc();
    const [oldest] = this.#refused;
    if (oldest !== undefined && this.#refused.size >= MOST_REFUSED) {
      this.#refused.delete(oldest);
      oldest.destroy();
    }
    this.#refused.add(socket);
    const cancel = this.#options.clock.after(REFUSAL_MS, () => socket.destroy());
    socket.once('close', () => {
      cancel();
      this.#refused.delete(socket);
    });
  }
}

const isAnswered = ({ responses }: Connection): boolean => responses.every(({ req }) => !req.complete);

/** Most connections, where neither the operator nor the system bounds them further. */
const MOST_CONNECTIONS = 10_000;
/** Descriptors that are left to all else: the database, sources, files, connections that are being refused. */
const RESERVE = 96;

/**
 * The bounds in force. What is not set follows from the descriptors that the process may have open: a quarter of them, and
 * RESERVE at least, is left to all else, and of the rest one address may have half.
 * @param descriptors null where the system does not tell
 */
export function connectionBounds(
  set: { readonly [name in keyof ConnectionBounds]: number | null },
  descriptors: number | null,
): ConnectionBounds {
  const free = descriptors === null ? MOST_CONNECTIONS : descriptors - Math.max(RESERVE, descriptors / 4);
  const connections = set.connections ?? Math.max(16, Math.min(MOST_CONNECTIONS, Math.floor(free)));
  return {
    connections,
    connectionsPerAddress: set.connectionsPerAddress ?? Math.ceil(connections / 2),
  };
}
