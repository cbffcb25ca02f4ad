// Connection to Valkey or Redis that counts limits: one server, or a cluster.

import { createClient, createCluster } from '@redis/client';
import { CountingTooSlow } from './counting-server.ts';
import { limitedTo } from './limited-to.ts';
import { requireSuitable, type ServerFacts } from './suitable-server.ts';

export interface Connection {
  readonly facts: ServerFacts;
  /** URLs of the masters of a cluster; of a single server: none. */
  readonly masters: readonly string[];
  /** @param key says which server of a cluster is meant */
  send(key: string, command: string[]): Promise<unknown>;
  destroy(): void;
}

/** Milliseconds for a connection, and for what is asked of it at first. */
export const CONNECT_LIMIT = 1_000;
/** Calls that wait for an answer; more than that in 20 ms are answered by nobody. */
const MAX_WAITING = 20_000;

/** One for each client, which changes it. A lost connection is not restored: its user opens another one. */
const newSocket = () => ({ connectTimeout: CONNECT_LIMIT, reconnectStrategy: false as const });
const COMMON = { disableOfflineQueue: true, commandsQueueMaxLength: MAX_WAITING };

/**
 * Connects, and reads what kind of server it is. Throws UnsuitableServer, also where one master of a cluster does not suit;
 * CountingTooSlow; or what the connection says.
 * @param url of the server, or of one of a cluster
 */
export async function connect(url: string): Promise<Connection> {
  const client = createClient({ url, socket: newSocket(), ...COMMON });
  // Each call says for itself that the connection is lost.
  client.on('error', () => {});
  let facts: ServerFacts;
  try {
    await inTime(client.connect(), 'The counting server took no connection');
    facts = await readFacts(client);
    if (!facts.isCluster)
      return {
        facts,
        masters: [],
        send: (_, command) => client.sendCommand(command),
        destroy: () => destroy(client),
      };
  } catch (error) {
    destroy(client);
    throw error;
  }
  destroy(client);
  return connectCluster(url, facts);
}

async function connectCluster(url: string, facts: ServerFacts): Promise<Connection> {
  const { username, password, protocol } = new URL(url);
  const cluster = createCluster({
    rootNodes: [{ url }],
    defaults: {
      ...COMMON,
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      socket: protocol === 'rediss:' ? { ...newSocket(), tls: true } : newSocket(),
    },
  });
  cluster.on('error', () => {});
  try {
    await inTime(cluster.connect(), 'The cluster took no connection');
    for (const master of cluster.masters) await readFacts(await cluster.nodeClient(master));
  } catch (error) {
    destroy(cluster);
    throw error;
  }
  return {
    facts,
    masters: cluster.masters.map(({ host, port }) => urlOf(url, host, port)),
    send: (key, command) => cluster.sendCommand(key, false, command),
    destroy: () => destroy(cluster),
  };
}

async function readFacts(client: { sendCommand(command: string[]): Promise<unknown> }): Promise<ServerFacts> {
  return requireSuitable(
    String(await inTime(client.sendCommand(['INFO']), 'The counting server did not say what it is')),
  );
}

/** Another server, with the protocol, user and password of the first. */
function urlOf(first: string, host: string, port: number): string {
  const url = new URL(first);
  url.hostname = host.includes(':') ? `[${host}]` : host;
  url.port = String(port);
  return url.href;
}

function inTime<T>(work: Promise<T>, sentence: string): Promise<T> {
  return limitedTo(CONNECT_LIMIT, work, () => new CountingTooSlow(sentence));
}

/** Of one that may have ended already. */
function destroy(client: { destroy(): void }): void {
  try {
    client.destroy();
  } catch {
    // It was closed by the other side.
  }
}
