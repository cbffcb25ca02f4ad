// Graceful stop: new requests are turned away while those under way run to their end.

import type { Server } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { Connections } from './connections.ts';

/** How long requests and streams under way may take once stopping has begun. */
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
   * Resolves when nothing is under way and every connection is closed, at the latest after 15 s. The listener and kept
   * connections stay open until then, and where there are any for `lingerMs` at least, so that health checks and new
   * requests are told rather than left without an answer.
   */
  async run(server: Server, clock: Clock, lingerMs: number): Promise<void> {
    this.#isDraining = true;
    // A request that is on its way while its connection is closed is lost: first let clients hear that they must leave.
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

/** Closes the listener and its connections; what is still being written gets one more second. */
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
