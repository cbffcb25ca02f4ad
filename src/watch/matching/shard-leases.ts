// Leases of shards: renewed every two seconds, shared among the live processes, and given back at the end.

import { systemClock } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import { releaseLeases, renewLeases, type ShardLease } from './lease-store.ts';

export interface LeaseOptions {
  readonly database: Database;
  /** Names this process. */
  readonly holder: string;
  /** Called when leases were gained or lost. */
  readonly onChange: () => void;
  readonly report: (error: unknown) => void;
}

/** Milliseconds; by the system's clock, since the clock of the database counts. */
const RENEWAL = 2_000;

export class ShardLeases {
  readonly #options: LeaseOptions;
  #held: ReadonlyMap<number, ShardLease> = new Map();
  #renewal: Promise<void> = Promise.resolve();
  #cancel: () => void = () => {};
  #stopped = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  start(): void {
    this.#renewal = this.#renew();
  }

  /** The leases as of the last renewal. One that was lost since is told by its fence. */
  held(): ReadonlyMap<number, ShardLease> {
    return this.#held;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#renewal;
    const { database, holder, report } = this.#options;
    await database.transaction((tx) => releaseLeases(tx, holder)).catch(report);
  }

  async #renew(): Promise<void> {
    const { database, holder, onChange, report } = this.#options;
    try {
      const leases = await database.transaction((tx) => renewLeases(tx, holder));
      const held = new Map(leases.map((lease) => [lease.shard, lease]));
      const isSame =
        held.size === this.#held.size &&
        leases.every(({ shard, fence }) => this.#held.get(shard)?.fence === fence);
      this.#held = held;
      if (!isSame) onChange();
    } catch (error) {
      // Others take the shards once the leases have ended; until then nothing is lost.
      report(error);
    }
    if (this.#stopped) return;
    this.#cancel = systemClock.after(RENEWAL, () => {
      this.#renewal = this.#renew();
    });
  }
}
