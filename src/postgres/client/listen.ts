// Listener of notifications: rejoins its channel after every loss, and says when it may have missed something.
import { pause } from '../../lib/clock.ts';
import type { Database, DedicatedConnection, Sql } from './database.ts';

export interface Listener {
  close(): Promise<void>;
}

export interface ListenOptions {
  /** Told once for each loss of the connection and each failure of a handler, for the log. */
  readonly onTrouble?: (error: unknown) => void;
}

/** Milliseconds. A connection that hangs looks like one on which nothing happens, so it is asked now and then. */
const BEAT = 20_000;
const BEAT_LIMIT = 5_000;
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 3_000;

/**
 * Listens on a channel, over a connection of its own, until `close`. A message is only a hint that something changed:
 * what it says may be old, and it may never come. `onGap` is called whenever messages may have been missed, which is
 * each time the channel was joined, the first time included: the owner then reads what it needs from the tables.
 */
export function listen(
  database: Database,
  channel: string,
  onMessage: (payload: string) => void,
  onGap: () => void,
  options: ListenOptions = {},
): Listener {
  const closing = new AbortController();
  const trouble = options.onTrouble ?? (() => {});
  const running = run();
  return {
    async close() {
      closing.abort();
      await running;
    },
  };

  async function run(): Promise<void> {
    let delay = FIRST_PAUSE;
    while (!closing.signal.aborted) {
      try {
        await session(() => {
          delay = FIRST_PAUSE;
        });
      } catch (error) {
        if (!closing.signal.aborted) trouble(error);
      }
      await pause(database.clock, delay, closing.signal);
      delay = Math.min(delay * 2, LONGEST_PAUSE);
    }
  }

  /** One connection's life; throws when it is lost. */
  async function session(onJoined: () => void): Promise<void> {
    const lost = new AbortController();
    const connection = database.dedicated({
      onNotification: (_channel, payload) => guarded(() => onMessage(payload)),
      onClose: () => lost.abort(),
    });
    try {
      await limited(connection, connection.sql.unsafe(`listen ${quoted(channel)}`));
      onJoined();
      guarded(onGap);
      const ended = AbortSignal.any([lost.signal, closing.signal]);
      while (!ended.aborted) {
        await pause(database.clock, BEAT, ended);
        if (!ended.aborted) await limited(connection, connection.sql`select 1`);
      }
      if (!closing.signal.aborted) throw new Error(`The connection that listens on "${channel}" was lost`);
    } finally {
      connection.destroy();
    }
  }

  async function limited(connection: DedicatedConnection, answer: Promise<unknown>): Promise<void> {
    // Cutting the connection makes the statement fail.
    const cancel = database.clock.after(BEAT_LIMIT, () => connection.destroy());
    const abandon = () => connection.destroy();
    closing.signal.addEventListener('abort', abandon, { once: true });
    try {
      await answer;
    } finally {
      cancel();
      closing.signal.removeEventListener('abort', abandon);
    }
  }

  /** A handler's fault must not end the listening, nor look like a fault of the connection. */
  function guarded(handler: () => void): void {
    try {
      handler();
    } catch (error) {
      trouble(error);
    }
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Sends a message to all listeners of the channel once the transaction is committed. At most 7999 bytes. */
export async function notify(tx: Sql, channel: string, payload: string): Promise<void> {
  await tx`select pg_notify(${channel}, ${payload})`;
}
