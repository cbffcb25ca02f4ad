// Connection pool: a fixed number of connections, each leased to one user at a time, with a bounded queue.

import type { Clock } from '../../lib/clock.ts';

export interface PoolOptions<C> {
  readonly size: number;
  readonly clock: Clock;
  readonly open: () => C;
  /** False for a connection that was lost while idle. */
  readonly isUsable: (connection: C) => boolean;
  readonly destroy: (connection: C) => void;
}

export interface Lease<C> {
  readonly connection: C;
  release(): void;
  /** Destroys the connection; the next user gets a new one. */
  discard(): void;
}

export interface PoolStatus {
  readonly size: number;
  readonly busy: number;
  readonly waiting: number;
}

export interface Pool<C> {
  /** A connection, or undefined if none became free within `timeout` milliseconds. Idle ones that suit are preferred. */
  take(timeout: number, suits?: (connection: C) => boolean): Promise<Lease<C> | undefined>;
  status(): PoolStatus;
  /** Returns every open connection, for closing them. Nothing is leased any more; waiting users get undefined. */
  close(): C[];
}

/** Further callers get undefined at once. */
const MAX_QUEUE = 2_000;

/** Connections are opened when first needed, and the one used last is leased first: its statements are prepared. */
export function createPool<C>(options: PoolOptions<C>): Pool<C> {
  const idle: C[] = [];
  const all = new Set<C>();
  const queue = new Set<(lease: Lease<C> | undefined) => void>();
  let busy = 0;
  let closed = false;

  return {
    take(timeout, suits) {
      if (closed || queue.size >= MAX_QUEUE) return Promise.resolve(undefined);
      if (busy < options.size) return Promise.resolve(lease(suits));
      return new Promise((resolve) => {
        const settle = (lease: Lease<C> | undefined) => {
          cancel();
          queue.delete(settle);
          resolve(lease);
        };
        const cancel = options.clock.after(timeout, () => settle(undefined));
        queue.add(settle);
      });
    },
    status: () => ({ size: options.size, busy, waiting: queue.size }),
    close() {
      closed = true;
      for (const settle of [...queue]) settle(undefined);
      return [...all];
    },
  };

  function lease(suits?: (connection: C) => boolean): Lease<C> {
    busy++;
    if (suits !== undefined) bringForward(suits);
    const connection = takeIdle() ?? open();
    let returned = false;
    const giveBack = (dispose: (connection: C) => void) => {
      if (returned) return;
      returned = true;
      busy--;
      dispose(connection);
      const [next] = queue;
      if (next !== undefined && !closed) next(lease());
    };
    return {
      connection,
      release: () => giveBack(() => idle.push(connection)),
      discard: () => giveBack(drop),
    };
  }

  /** Makes the last used connection that suits the next to be leased. */
  function bringForward(suits: (connection: C) => boolean): void {
    const at = idle.findLastIndex(suits);
    if (at >= 0 && at < idle.length - 1) idle.push(...idle.splice(at, 1));
  }

  function takeIdle(): C | undefined {
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

  function open(): C {
    const connection = options.open();
    all.add(connection);
    return connection;
  }
}
