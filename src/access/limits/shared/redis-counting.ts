// Counting server over @redis/client: Valkey or Redis, one server or a cluster.

import { randomBytes } from 'node:crypto';
import { createClient, createCluster } from '@redis/client';
import {
  type CountedSlot,
  type CountingServer,
  CountingTooSlow,
  CountsLost,
  type Marks,
  PARTS,
  type Place,
  type TakeReply,
  type TakeRequest,
} from './counting-server.ts';
import { limitedTo } from './limited-to.ts';
import { SCRIPTS, type Script } from './scripts.ts';
import { SteadyClock } from './steady-clock.ts';
import { requireSuitable, type ServerFacts } from './suitable-server.ts';

export interface RedisCountingOptions {
  /** redis:// or rediss://, with user and password where the server wants them. */
  readonly url: string;
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
  /** Milliseconds for one call that a request waits for; default 20. */
  readonly callLimit?: number | undefined;
}

/** One server, or a cluster; `key` says which part of it is meant. */
interface Connection {
  readonly facts: ServerFacts;
  send(key: string, command: string[]): Promise<unknown>;
  destroy(): void;
}

/** Milliseconds for one call that a request waits for. */
const CALL_LIMIT = 20;
/** Milliseconds for work that no request waits for, and for a connection. */
const WORK_LIMIT = 250;
export const CONNECT_LIMIT = 1_000;
/** Calls that wait for an answer; more than that in 20 ms are answered by nobody. */
const MAX_WAITING = 20_000;
const PUT_AT_ONCE = 500;

export class RedisCounting implements CountingServer {
  readonly #options: RedisCountingOptions;
  #connection: Connection | null = null;
  readonly #clock = new SteadyClock();
  #isSuspect = false;
  readonly #callLimit: number;
  readonly #workLimit: number;

  constructor(options: RedisCountingOptions) {
    this.#options = options;
    this.#callLimit = options.callLimit ?? CALL_LIMIT;
    this.#workLimit = Math.max(WORK_LIMIT, this.#callLimit);
  }

  async open(namespace: string, create: boolean): Promise<Marks> {
    if (this.#connection === null || this.#isSuspect) await this.#connect();
    this.#clock.forget();
    const random = randomBytes(6).toString('hex');
    return Promise.all(
      Array.from({ length: PARTS }, async (_, part) => {
        const keys = [markKey(namespace, part)];
        const [, mark] = await this.#run(
          SCRIPTS.open,
          part,
          keys,
          [namespace, random, create ? '1' : '0'],
          this.#workLimit,
        );
        return String(mark);
      }),
    );
  }

  async check(namespace: string, marks: Marks): Promise<void> {
    await Promise.all(
      marks.map((mark, part) =>
        this.#run(SCRIPTS.check, part, [markKey(namespace, part)], [mark], this.#workLimit),
      ),
    );
  }

  async take(place: Place, { quota, wanted, window, prefix, first }: TakeRequest): Promise<TakeReply> {
    const texts = [quota, wanted, micros(window)].map(String);
    const args = [place.mark, ...texts, prefix, String(first)];
    const [, granted, free, reset] = await this.#run(
      SCRIPTS.take,
      place.part,
      keysOf(place),
      args,
      this.#callLimit,
    );
    return { granted: Number(granted), free: Number(free), reset: Number(reset) / 1_000 };
  }

  async put(place: Place, slots: readonly CountedSlot[]): Promise<void> {
    for (let at = 0; at < slots.length; at += PUT_AT_ONCE) {
      const pairs = slots
        .slice(at, at + PUT_AT_ONCE)
        .flatMap(({ name, left }) => [name, String(micros(left))]);
      await this.#run(SCRIPTS.put, place.part, keysOf(place), [place.mark, ...pairs], this.#workLimit);
    }
  }

  async release(place: Place, names: readonly string[]): Promise<void> {
    await this.#run(SCRIPTS.release, place.part, keysOf(place), [place.mark, ...names], this.#workLimit);
  }

  close(): void {
    this.#connection?.destroy();
    this.#connection = null;
  }

  async #connect(): Promise<void> {
    this.close();
    const connection = await connect(this.#options.url);
    this.#connection = connection;
    this.#isSuspect = false;
  }

  /** The reply of a script without its first member, the server's time. */
  async #run(
    script: Script,
    part: number,
    keys: string[],
    args: string[],
    limit: number,
  ): Promise<unknown[]> {
    const connection = this.#connection;
    if (connection === null) throw new Error('There is no connection');
    const sentAt = this.#options.monotonic();
    const [key = ''] = keys;
    const call = evaluate(connection, script, key, [String(keys.length), ...keys, ...args]);
    const reply = await limitedTo(limit, call, () => {
      this.#isSuspect = true;
      return new CountingTooSlow(`The counting server did not answer within ${limit} ms`);
    }).catch((error: unknown) => {
      this.#isSuspect = true;
      throw error;
    });
    if (!Array.isArray(reply) || Number(reply[0]) < 0)
      throw new CountsLost('The counting server has lost what it had counted, or is another one now');
    this.#clock.observe(part, Number(reply[0]) / 1_000, sentAt, this.#options.monotonic());
    return reply;
  }
}

/** Connects, and reads what kind of server it is. Throws a sentence where it does not suit. */
export async function connect(url: string): Promise<Connection> {
  const socket = { connectTimeout: CONNECT_LIMIT, reconnectStrategy: false as const };
  const client = createClient({
    url,
    socket,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_WAITING,
  });
  // Each call says for itself that the connection is lost.
  client.on('error', () => {});
  let facts: ServerFacts;
  try {
    await limitedTo(
      CONNECT_LIMIT,
      client.connect(),
      () => new CountingTooSlow('The counting server took no connection'),
    );
    const info = await limitedTo(
      CONNECT_LIMIT,
      client.sendCommand(['INFO']),
      () => new CountingTooSlow('The counting server did not say what it is'),
    );
    facts = requireSuitable(String(info));
    if (!facts.isCluster)
      return { facts, send: (_, command) => client.sendCommand(command), destroy: () => destroy(client) };
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
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      socket:
        protocol === 'rediss:'
          ? { tls: true, connectTimeout: CONNECT_LIMIT }
          : { connectTimeout: CONNECT_LIMIT },
      disableOfflineQueue: true,
      commandsQueueMaxLength: MAX_WAITING,
    },
  });
  cluster.on('error', () => {});
  try {
    await limitedTo(
      CONNECT_LIMIT,
      cluster.connect(),
      () => new CountingTooSlow('The cluster took no connection'),
    );
  } catch (error) {
    destroy(cluster);
    throw error;
  }
  return {
    facts,
    send: (key, command) => cluster.sendCommand(key, false, command),
    destroy: () => destroy(cluster),
  };
}

/** Of one that may have ended already. */
function destroy(client: { destroy(): void }): void {
  try {
    client.destroy();
  } catch {
    // It was closed by the other side.
  }
}

async function evaluate(
  connection: Connection,
  script: Script,
  key: string,
  rest: string[],
): Promise<unknown> {
  try {
    return await connection.send(key, ['EVALSHA', script.sha, ...rest]);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return connection.send(key, ['EVAL', script.text, ...rest]);
  }
}

const micros = (milliseconds: number): number => Math.max(0, Math.round(milliseconds * 1_000));

/** Keys of one part have the same hash tag, so that a cluster keeps them together. */
const markKey = (namespace: string, part: number): string => `{${installationOf(namespace)}:${part}}:mark`;

const keysOf = ({ mark, part, key }: Place): string[] => {
  const tag = `{${installationOf(mark)}:${part}}`;
  return [`${tag}:mark`, `${tag}:${mark.split(':')[1]}:${key}`];
};

const installationOf = (namespace: string): string => namespace.split(':')[0] ?? '';
