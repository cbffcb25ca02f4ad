// Listeners of notifications: one connection for all of a database, which rejoins their channels after every loss.

import { pause } from '../../lib/clock.ts';
import type { Database, DedicatedConnection, Sql } from './database.ts';

export interface Listener {
  close(): Promise<void>;
}

export interface ListenOptions {
  /** Called for each loss of the connection and each error of a handler, for the log. */
  readonly onError?: (error: unknown) => void;
}

interface Handlers {
  readonly channel: string;
  readonly onMessage: (payload: string) => void;
  readonly onGap: () => void;
  readonly report: (error: unknown) => void;
}

/** Milliseconds. A connection that hangs looks like an idle one, so it is checked now and then. */
const HEARTBEAT_INTERVAL = 20_000;
const HEARTBEAT_TIMEOUT = 5_000;
const MIN_RETRY_PAUSE = 100;
const MAX_RETRY_PAUSE = 3_000;

const shared = new WeakMap<Database, Channels>();

/**
 * Listens on a channel until `close`. A message is only a hint that something changed: it may be stale, or lost. `onGap` is called
 * each time the channel was joined, the first time included, since messages may have been missed: the caller then reads what it needs
 * from the tables.
 */
export function listen(
  database: Database,
  channel: string,
  onMessage: (payload: string) => void,
  onGap: () => void,
  options: ListenOptions = {},
): Listener {
  const channels = shared.get(database) ?? new Channels(database);
  shared.set(database, channels);
  const handlers = { channel, onMessage, onGap, report: options.onError ?? (() => {}) };
  channels.add(handlers);
  return { close: () => channels.remove(handlers) };
}

/** The channels of one database that somebody listens on. */
class Channels {
  readonly #database: Database;
  /** Each with whether it has joined its channel on the present connection. */
  readonly #listeners = new Map<Handlers, { hasJoined: boolean }>();
  #session: Session | null = null;
  #closing = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(database: Database) {
    this.#database = database;
  }

  add(handlers: Handlers): void {
    this.#listeners.set(handlers, { hasJoined: false });
    if (this.#listeners.size > 1) this.#session?.join().catch(() => {});
    else {
      this.#closing = new AbortController();
      const { signal } = this.#closing;
      this.#running = this.#running.then(() => this.#run(signal));
    }
  }

  async remove(handlers: Handlers): Promise<void> {
    if (!this.#listeners.delete(handlers) || this.#listeners.size > 0) return;
    this.#closing.abort();
    await this.#running;
  }

  async #run(closing: AbortSignal): Promise<void> {
    let delay = MIN_RETRY_PAUSE;
    while (!closing.aborted) {
      for (const state of this.#listeners.values()) state.hasJoined = false;
      const session = new Session(this.#database, {
        listeners: this.#listeners,
        closing,
        onJoined: () => {
          delay = MIN_RETRY_PAUSE;
        },
      });
      this.#session = session;
      try {
        await session.run();
      } catch (error) {
        const reports = new Set([...this.#listeners.keys()].map(({ report }) => report));
        if (!closing.aborted) for (const report of reports) report(error);
      }
      this.#session = null;
      await pause(this.#database.clock, delay, closing);
      delay = Math.min(delay * 2, MAX_RETRY_PAUSE);
    }
  }
}

interface SessionOptions {
  readonly listeners: ReadonlyMap<Handlers, { hasJoined: boolean }>;
  readonly closing: AbortSignal;
  readonly onJoined: () => void;
}

/** One connection, until it is lost. */
class Session {
  readonly #database: Database;
  readonly #options: SessionOptions;
  readonly #lost = new AbortController();
  readonly #connection: DedicatedConnection;
  readonly #channels = new Set<string>();
  #joining: Promise<void> = Promise.resolve();

  constructor(database: Database, options: SessionOptions) {
    this.#database = database;
    this.#options = options;
    this.#connection = database.dedicated({
      onNotification: (channel, payload) => {
        for (const handlers of options.listeners.keys())
          if (handlers.channel === channel) runHandler(handlers, () => handlers.onMessage(payload));
      },
      onClose: () => this.#lost.abort(),
    });
  }

  /** Runs until the connection is lost, and then throws. */
  async run(): Promise<void> {
    const { closing } = this.#options;
    const ended = AbortSignal.any([this.#lost.signal, closing]);
    try {
      await this.join();
      this.#options.onJoined();
      while (!ended.aborted) {
        await pause(this.#database.clock, HEARTBEAT_INTERVAL, ended);
        if (!ended.aborted) await this.#withTimeout(this.#connection.sql`select 1`);
      }
      if (!closing.aborted) throw new Error('The connection that listens was lost');
    } finally {
      this.#connection.destroy();
    }
  }

  /** Joins the channels of listeners that came meanwhile. The session ends where it rejects. */
  join(): Promise<void> {
    this.#joining = this.#joining
      .then(() => this.#join())
      .catch((error: unknown) => {
        this.#lost.abort();
        throw error;
      });
    return this.#joining;
  }

  async #join(): Promise<void> {
    const { sql } = this.#connection;
    for (const [handlers, state] of this.#options.listeners) {
      const { channel } = handlers;
      if (state.hasJoined) continue;
      if (!this.#channels.has(channel)) await this.#withTimeout(sql`listen ${sql(channel)}`);
      this.#channels.add(channel);
      state.hasJoined = true;
      if (this.#options.listeners.has(handlers)) runHandler(handlers, handlers.onGap);
    }
  }

  async #withTimeout(statement: Promise<unknown>): Promise<void> {
    const { closing } = this.#options;
    // Closing the connection makes the statement fail.
    const destroy = () => this.#connection.destroy();
    const cancel = this.#database.clock.after(HEARTBEAT_TIMEOUT, destroy);
    closing.addEventListener('abort', destroy, { once: true });
    try {
      await statement;
    } finally {
      cancel();
      closing.removeEventListener('abort', destroy);
    }
  }
}

/** A handler's error must not look like a lost connection. */
function runHandler({ report }: Handlers, handler: () => void): void {
  try {
    handler();
  } catch (error) {
    report(error);
  }
}

/** Sends a message to all listeners of the channel once the transaction is committed. At most 7999 bytes. */
export async function notify(tx: Sql, channel: string, payload: string): Promise<void> {
  await tx`select pg_notify(${channel}, ${payload})`;
}
