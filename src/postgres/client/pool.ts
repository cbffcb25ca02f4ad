// Connection pool: a fixed number, lent one at a time, with a bounded wait in order of arrival.
import type { Clock } from '../../lib/clock.ts';

export interface PoolOptions<C> {
  readonly size: number;
  readonly clock: Clock;
  readonly open: () => C;
  /** False for a connection that was lost while nobody used it. */
  readonly isUsable: (connection: C) => boolean;
  readonly destroy: (connection: C) => void;
}

export interface Lease<C> {
  readonly connection: C;
  /** Gives the connection back. */
  release(): void;
  /** Throws the connection away; the next user gets a new one. */
  discard(): void;
}

export interface PoolStatus {
  readonly size: number;
  readonly busy: number;
  readonly waiting: number;
}

export interface Pool<C> {
  /**
   * Lends a connection, or undefined when none became free within `timeout` milliseconds. Of those that are idle one that
   * suits is lent before others.
   */
  take(timeout: number, suits?: (connection: C) => boolean): Promise<Lease<C> | undefined>;
  status(): PoolStatus;
  /** Every connection made so far, for closing them. Nothing is lent any more; who waits goes without. */
  close(): C[];
}

/** A longer queue would only grow: further callers get undefined at once. */
const MAX_QUEUED = 2_000;

/** Connections are made when first needed, and the one used last is lent first: its statements are prepared. */
export function createPool<C>(options: PoolOptions<C>): Pool<C> {
  const idle: C[] = [];
  const all = new Set<C>();
  const queue = new Set<(lease: Lease<C> | undefined) => void>();
  let busy = 0;
  let closed = false;

  return {
    take(timeout, suits) {
      if (closed || queue.size >= MAX_QUEUED) return Promise.resolve(undefined);
      if (busy < options.size) return Promise.resolve(lend(suits));
      return new Promise((resolve) => {
        const answer = (lease: Lease<C> | undefined) => {
          cancel();
          queue.delete(answer);
          resolve(lease);
        };
        const cancel = options.clock.after(timeout, () => answer(undefined));
        queue.add(answer);
      });
    },
    status: () => ({ size: options.size, busy, waiting: queue.size }),
    close() {
      closed = true;
      for (const answer of [...queue]) answer(undefined);
      return [...all];
    },
  };

  function lend(suits?: (connection: C) => boolean): Lease<C> {
    busy++;
    if (suits !== undefined) bringForward(suits);
    const connection = usable() ?? make();
    let returned = false;
    const giveBack = (after: () => void) => {
      if (returned) return;
      returned = true;
      busy--;
      after();
      const [next] = queue;
      if (next !== undefined && !closed) next(lend());
    };
    return {
      connection,
      release: () => giveBack(() => idle.push(connection)),
      discard: () => giveBack(() => drop(connection)),
    };
  }

  /** Makes the one that suits, and was used last of those that do, the next that is lent. */
  function bringForward(suits: (connection: C) => boolean): void {
    const at = idle.findLastIndex(suits);
    if (at >= 0 && at < idle.length - 1) idle.push(...idle.splice(at, 1));
  }

  function usable(): C | undefined {
    for (let connection = idle.pop(); connection !== undefined; connection = idle.pop()) {
      if (options.isUsable(connection)) return connection;
      drop(connection);
    }
    return undefined;
  }

  function drop(connection: C): void {
    all.delete(connection);
    options.destroy(connection);
  }

  function make(): C {
    const connection = options.open();
    all.add(connection);
    return connection;
  }
}
