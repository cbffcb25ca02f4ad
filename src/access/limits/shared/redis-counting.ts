// Counting server over @redis/client: Valkey or Redis, one server or a cluster.

import { randomBytes } from 'node:crypto';
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
import { type Connection, connect } from './redis-connection.ts';
import { SCRIPTS, type Script, type ScriptName } from './scripts.ts';
import { SteadyClock } from './steady-clock.ts';

export interface RedisCountingOptions {
  /** redis:// or rediss://, with user and password where the server wants them. */
  readonly url: string;
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
  /** Milliseconds for one call that a request waits for; default 20. */
  readonly callLimit?: number | undefined;
  /** Called after each call, answered or not, with the milliseconds that this process waited for it. */
  readonly onCall?: ((name: ScriptName, milliseconds: number) => void) | undefined;
}

/** Milliseconds for one call that a request waits for. */
const CALL_LIMIT = 20;
/** Milliseconds for work that no request waits for. */
const WORK_LIMIT = 250;
const PUT_AT_ONCE = 500;

export class RedisCounting implements CountingServer {
  readonly #options: RedisCountingOptions;
  #connection: Connection | null = null;
  /** Servers that a connection may begin with, in turn: that of the URL, then those of its cluster as they were known last. */
  #entries: readonly string[];
  #attempts = 0;
  /** Keys that the server of each part had evicted when it was opened. */
  #evicted: number[] = [];
  readonly #clock = new SteadyClock();
  readonly #callLimit: number;
  readonly #workLimit: number;

  constructor(options: RedisCountingOptions) {
    this.#options = options;
    this.#entries = [options.url];
    this.#callLimit = options.callLimit ?? CALL_LIMIT;
    this.#workLimit = Math.max(WORK_LIMIT, this.#callLimit);
  }

  async open(namespace: string, create: boolean): Promise<Marks> {
    await this.#connect();
    this.#clock.forget();
    const random = randomBytes(6).toString('hex');
    return Promise.all(
      Array.from({ length: PARTS }, async (_, part) => {
        const keys = [markKey(namespace, part)];
        const [, mark, evicted] = await this.#run(
          'open',
          part,
          keys,
          [namespace, random, create ? '1' : '0'],
          this.#workLimit,
        );
        this.#evicted[part] = Number(evicted);
        return String(mark);
      }),
    );
  }

  async check(namespace: string, marks: Marks): Promise<void> {
    await Promise.all(
      marks.map(async (mark, part) => {
        const keys = [markKey(namespace, part)];
        const [, evicted] = await this.#run('check', part, keys, [mark], this.#workLimit);
        if (Number(evicted) !== this.#evicted[part])
          throw new CountsLost('The counting server has evicted keys');
      }),
    );
  }

  async take(place: Place, { quota, wanted, window, prefix, first }: TakeRequest): Promise<TakeReply> {
    const texts = [quota, wanted, micros(window)].map(String);
    const args = [place.mark, ...texts, prefix, String(first)];
    const [, granted, free, reset] = await this.#run(
      'take',
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
      await this.#run('put', place.part, keysOf(place), [place.mark, ...pairs], this.#workLimit);
    }
  }

  async release(place: Place, names: readonly string[]): Promise<void> {
    await this.#run('release', place.part, keysOf(place), [place.mark, ...names], this.#workLimit);
  }

  close(): void {
    this.#connection?.destroy();
    this.#connection = null;
  }

  /** By a new connection, since the server is looked at again: it may be another one now, or have other settings. */
  async #connect(): Promise<void> {
    this.close();
    const entry = this.#entries[this.#attempts % this.#entries.length] ?? this.#options.url;
    // Counted before it succeeds: after a failure another server is tried.
    this.#attempts += 1;
    const connection = await connect(entry);
    this.#attempts -= 1;
    this.#entries = [...new Set([this.#options.url, ...connection.masters])];
    this.#connection = connection;
  }

  /** The reply of a script without its first member, the server's time. */
  async #run(
    name: ScriptName,
    part: number,
    keys: string[],
    args: string[],
    limit: number,
  ): Promise<unknown[]> {
    const connection = this.#connection;
    if (connection === null) throw new Error('There is no connection');
    const { monotonic, onCall } = this.#options;
    const sentAt = monotonic();
    const [key = ''] = keys;
    const call = evaluate(connection, SCRIPTS[name], key, [String(keys.length), ...keys, ...args]);
    const late = () => new CountingTooSlow(`The counting server did not answer within ${limit} ms`);
    const reply = await limitedTo(limit, call, late).finally(() => onCall?.(name, monotonic() - sentAt));
    if (!Array.isArray(reply) || Number(reply[0]) < 0)
      throw new CountsLost('The counting server has lost what it had counted, or is another one now');
    this.#clock.observe(part, Number(reply[0]) / 1_000, sentAt, monotonic());
    return reply;
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
