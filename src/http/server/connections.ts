// Open connections with their active requests: limited per address and in total, the longest idle ones make room; drained at shutdown.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../lib/clock.ts';
import { addressGroup, type ReadAddress } from '../../lib/ip-address.ts';
import type { Metrics } from '../../lib/metrics.ts';
import { Problem } from '../../lib/problem.ts';
import type { ConnectionBounds } from './connection-bounds.ts';

/** Milliseconds that an excess connection has to send its request, which is then refused. */
const REFUSAL_MS = 3_000;
/** Milliseconds before a connection counts as idle: its next request may be on its way or still unread. */
const IDLE_MS = 100;
/** Excess connections kept open to receive their refusal. */
const MAX_REFUSED = 32;
/** Milliseconds that active requests and streams may take once shutdown has started. */
const MAX_DRAIN_MS = 14_000;

interface ConnectionsOptions {
  readonly bounds: ConnectionBounds;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly readAddress: ReadAddress;
  /** Whether an address is a trusted proxy, which many clients share: limited in total only, and evicted last. */
  readonly isProxy: (address: string) => boolean;
}

/** Connections of one address. */
interface Peers {
  open: number;
  /** Those without an active request, longest idle first. */
  readonly idle: Set<Socket>;
}

interface Connection {
  readonly address: string;
  /** Null for a proxy. */
  readonly peers: Peers | null;
  /** Responses of active requests, in order of arrival. */
  readonly responses: ServerResponse[];
  /** Called once all complete requests are answered. */
  onAnswered: (() => void) | null;
  /** Monotonic time since which it has had no active request. */
  idleSince: number;
}

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Map<Socket, Connection>();
  readonly #byAddress = new Map<string, Peers>();
  readonly #idle = { clients: new Set<Socket>(), proxies: new Set<Socket>() };
  readonly #refused = new Set<Socket>();
  #active = 0;
  /** What requests are refused with from now on; null: they are answered. */
  #refusal: (() => Problem) | null = null;
  #isSuspended = false;
  #isLeaving = false;
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

  /** Adds a new connection: evicts an idle one if needed, else marks the new one as refused. */
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
      address: group ?? '',
      peers,
      responses: [],
      onAnswered: null,
      idleSince: 0,
    };
    this.#open.set(socket, connection);
    this.#rest(socket, connection);
    socket.once('close', () => this.#remove(socket));
  }

  /** Active requests, streams included. */
  get active(): number {
    return this.#active;
  }

  /** Marks a request as active; its connection is idle again after `end` for each of its requests. */
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

  /**
   * Calls back once every complete request of this connection is answered, with the responses of incomplete ones; at
   * once if there are none. Only the first callback of a connection counts.
   */
  afterAnswers(socket: Socket, callback: (unanswered: readonly ServerResponse[]) => void): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) callback([]);
    if (connection === undefined || connection.onAnswered !== null) return;
    connection.onAnswered = () => callback([...connection.responses]);
    if (isAnswered(connection)) connection.onAnswered();
  }

  /** True once the process is about to stop, or is suspended. */
  get isDraining(): boolean {
    return this.#isLeaving || this.#refusal !== null;
  }

  /** True while it refuses everything because nothing stands behind the server. */
  get isSuspended(): boolean {
    return this.#isSuspended;
  }

  /** Answers as before, and lets each answer end its connection, so that clients and load balancers go elsewhere before `drain`. */
  leave(): void {
    this.#isLeaving = true;
  }

  /**
   * Refuses requests with this problem from now on; resolves when no request is active, and cuts those that still are after
   * 14 s. The listener stays open.
   */
  async suspend(server: Server, refusal: () => Problem): Promise<void> {
    this.#refusal = refusal;
    this.#isSuspended = true;
    await this.#idleWithin(MAX_DRAIN_MS);
    if (this.#active > 0) server.closeAllConnections();
  }

  /**
   * Resolves when no request is active and all connections are closed, after 15 s at most. Until then, and for at least
   * `lingerMs` while connections are open, the listener stays open so that health checks and new requests get a 503.
   */
  async drain(server: Server, lingerMs: number): Promise<void> {
    const { clock } = this.#options;
    this.#refusal ??= shuttingDown;
    // Closing a connection loses a request in flight, so clients are first asked to leave.
    await Promise.all([this.#idleWithin(MAX_DRAIN_MS), linger(server, clock, lingerMs)]);
    await closed(server, clock);
  }

  /** Resolves when no request is active, or when the time is over. */
  #idleWithin(milliseconds: number): Promise<void> {
    const { promise: isOver, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(milliseconds, resolve);
    return Promise.race([this.#idleNow(), isOver]).finally(cancel);
  }

  async #idleNow(): Promise<void> {
    while (this.#active > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onIdle = resolve;
      await promise;
    }
  }

  /** Throws SHUTTING_DOWN once draining has started or what it was suspended with, and OVERLOADED for an excess connection. */
  refuse({ socket }: IncomingMessage): void {
    if (this.#refusal !== null) throw this.#refusal();
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

  /** Closes the longest idle connection of the first set that has one; false if none has. */
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

  /** Keeps an excess connection open just long enough to refuse its request. */
  #hold(socket: Socket): void {
    this.#counts.refused.inc();
    const [oldest] = this.#refused;
    if (oldest !== undefined && this.#refused.size >= MAX_REFUSED) {
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

const shuttingDown = (): Problem =>
  new Problem('SHUTTING_DOWN', 'This process is shutting down. Try again.', {
    headers: { connection: 'close', 'retry-after': '1' },
  });

const isAnswered = ({ responses }: Connection): boolean => responses.every(({ req }) => !req.complete);

function linger(server: Server, clock: Clock, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    server.getConnections((_, open) => {
      if (milliseconds > 0 && open > 0) clock.after(milliseconds, resolve);
      else resolve();
    });
  });
}

/** Closes the listener and its connections; pending writes get one more second. */
function closed(server: Server, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(1_000, () => server.closeAllConnections());
    server.close(() => {
      cancel();
      resolve();
    });
    server.closeIdleConnections();
  });
}
