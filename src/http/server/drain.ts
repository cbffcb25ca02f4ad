// Owns stopping without losing anything: new requests are turned away while those under way run to their end.

import type { Server } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';

/** How long requests and streams under way may take once stopping has begun. */
const LONGEST_MS = 14_000;

export class Drain {
  #active = 0;
  #draining = false;
  #wake: () => void = () => undefined;

  /** Requests under way, streams included. */
  get active(): number {
    return this.#active;
  }

  get draining(): boolean {
    return this.#draining;
  }

  enter(): void {
    this.#active += 1;
  }

  leave(): void {
    this.#active -= 1;
    if (this.#active === 0) this.#wake();
  }

  /** Throws SHUTTING_DOWN once draining has begun. */
  refuse(): void {
    if (!this.#draining) return;
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
    this.#draining = true;
    // A request that is on its way while its connection is closed is lost: first let clients hear that they must leave.
    await Promise.all([this.#idle(clock), linger(server, clock, lingerMs)]);
    await closed(server, clock);
  }

  #idle(clock: Clock): Promise<void> {
    if (this.#active === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = clock.after(LONGEST_MS, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
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
