// Graceful shutdown: new requests are refused while active ones finish.

import type { Server } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { Connections } from './connections.ts';

/** Milliseconds that active requests and streams may take once shutdown has begun. */
const MAX_MS = 14_000;

export class Drain {
  readonly #connections: Pick<Connections, 'idle'>;
  #isDraining = false;

  constructor(connections: Pick<Connections, 'idle'>) {
    this.#connections = connections;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Throws SHUTTING_DOWN once draining has begun. */
  refuse(): void {
    if (!this.#isDraining) return;
    throw new Problem('SHUTTING_DOWN', 'This process is shutting down. Try again.', {
      headers: { connection: 'close', 'retry-after': '1' },
    });
  }

  /**
   * Resolves when no request is active and all connections are closed, after 15 s at most. Until then, and for at least
   * `lingerMs` while connections are open, the listener stays open so that health checks and new requests get a 503.
   */
  async run(server: Server, clock: Clock, lingerMs: number): Promise<void> {
    this.#isDraining = true;
    // Closing a connection loses a request in flight, so clients are first told to leave.
    await Promise.all([this.#idle(clock), linger(server, clock, lingerMs)]);
    await closed(server, clock);
  }

  #idle(clock: Clock): Promise<void> {
    const { promise: isOver, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(MAX_MS, resolve);
    return Promise.race([this.#connections.idle(), isOver]).finally(cancel);
  }
}

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
