// Pools of kept-alive connections, one for each origin: those of the origins used last are kept, the others closed.

import { Pool } from 'undici';

export type PoolOptions = Omit<Pool.Options, 'factory'>;

export class OriginPools {
  readonly #options: PoolOptions;
  readonly #max: number;
  /** The one used last is at the end. */
  readonly #pools = new Map<string, Pool>();

  /** @param max origins whose connections are kept */
  constructor(max: number, options: PoolOptions) {
    this.#max = max;
    this.#options = options;
  }

  get size(): number {
    return this.#pools.size;
  }

  of(origin: string): Pool {
    const pool = this.#pools.get(origin) ?? new Pool(origin, this.#options);
    this.#pools.delete(origin);
    this.#pools.set(origin, pool);
    if (this.#pools.size > this.#max) this.#closeOldest();
    return pool;
  }

  async destroy(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  /** Running requests are finished before the connections are closed. */
  #closeOldest(): void {
    const [oldest] = this.#pools;
    if (oldest === undefined) return;
    const [origin, pool] = oldest;
    this.#pools.delete(origin);
    void pool.close();
  }
}
