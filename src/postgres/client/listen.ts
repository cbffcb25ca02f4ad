// Listener of notifications: rejoins its channel after every loss, and reports when it may have missed messages.

import { pause } from '../../lib/clock.ts';
import type { Database, DedicatedConnection, Sql } from './database.ts';

export interface Listener {
  close(): Promise<void>;
}

export interface ListenOptions {
  /** Called for each loss of the connection and each error of a handler, for the log. */
  readonly onError?: (error: unknown) => void;
}

/** Milliseconds. A connection that hangs looks like an idle one, so it is checked now and then. */
const HEARTBEAT_INTERVAL = 20_000;
const HEARTBEAT_TIMEOUT = 5_000;
const MIN_RETRY_PAUSE = 100;
const MAX_RETRY_PAUSE = 3_000;

/**
 * Listens on a channel, over a connection of its own, until `close`. A message is only a hint that something changed: it may
 * be stale, or lost. `onGap` is called each time the channel was joined, the first time included, since messages may have been
 * missed: the caller then reads what it needs from the tables.
 */
export function listen(
  database: Database,
  channel: string,
  onMessage: (payload: string) => void,
  onGap: () => void,
  options: ListenOptions = {},
): Listener {
  const closing = new AbortController();
  const report = options.onError ?? (() => {});
  const running = run();
  return {
    async close() {
      closing.abort();
      await running;
    },
  };

  async function run(): Promise<void> {
    let delay = MIN_RETRY_PAUSE;
    while (!closing.signal.aborted) {
      try {
        await session(() => {
          delay = MIN_RETRY_PAUSE;
        });
      } catch (error) {
        if (!closing.signal.aborted) report(error);
      }
      await pause(database.clock, delay, closing.signal);
      delay = Math.min(delay * 2, MAX_RETRY_PAUSE);
    }
  }

  /** Runs until the connection is lost, and then throws. */
  async function session(onJoined: () => void): Promise<void> {
    const lost = new AbortController();
    const connection = database.dedicated({
      onNotification: (_channel, payload) => runHandler(() => onMessage(payload)),
      onClose: () => lost.abort(),
    });
    try {
      await withTimeout(connection, connection.sql`listen ${connection.sql(channel)}`);
      onJoined();
      runHandler(onGap);
      const ended = AbortSignal.any([lost.signal, closing.signal]);
      while (!ended.aborted) {
        await pause(database.clock, HEARTBEAT_INTERVAL, ended);
        if (!ended.aborted) await withTimeout(connection, connection.sql`select 1`);
      }
      if (!closing.signal.aborted) throw new Error(`The connection that listens on "${channel}" was lost`);
    } finally {
      connection.destroy();
    }
  }

  async function withTimeout(connection: DedicatedConnection, statement: Promise<unknown>): Promise<void> {
    // Closing the connection makes the statement fail.
    const destroy = () => connection.destroy();
    const cancel = database.clock.after(HEARTBEAT_TIMEOUT, destroy);
    closing.signal.addEventListener('abort', destroy, { once: true });
    try {
      await statement;
    } finally {
      cancel();
      closing.signal.removeEventListener('abort', destroy);
    }
  }

  /** A handler's error must not look like a lost connection. */
  function runHandler(handler: () => void): void {
    try {
      handler();
    } catch (error) {
      report(error);
    }
  }
}

/** Sends a message to all listeners of the channel once the transaction is committed. At most 7999 bytes. */
export async function notify(tx: Sql, channel: string, payload: string): Promise<void> {
  await tx`select pg_notify(${channel}, ${payload})`;
}
