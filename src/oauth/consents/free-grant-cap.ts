// Cap on grants without a key, for each address and in all: anybody can make them, so the longest unused make room.

import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { Audit, OAuthMetrics } from '../protocol/audit.ts';
import { countFreeGrants, endSurplusFreeGrants, type FreeGrantLimit } from './grant-store.ts';
import type { Revocation } from './revocation-store.ts';

/** Grants in force that are kept. */
export interface FreeGrantLimits {
  readonly perAddress: number;
  readonly inAll: number;
}

const USUAL: FreeGrantLimits = { perAddress: 100, inAll: 100_000 };
/** The share of places that grants which were used on a later day can have. */
const PROVEN_SHARE = 0.9;
/** How many may be too many in all before room is made, as a share: counting them costs more than adding one. */
const SLACK = 0.001;

export interface FreeGrantCapOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly metrics: Pick<OAuthMetrics, 'revoked'>;
  /** Told what this process has revoked: others hear of it from the database. */
  readonly onRevoked: (note: Revocation) => void;
  /** Told of failures to make room, which no client hears of. */
  readonly report: (error: unknown) => void;
  readonly numbers?: FreeGrantLimits;
}

export class FreeGrantCap {
  readonly #options: FreeGrantCapOptions;
  readonly #numbers: FreeGrantLimits;
  #untilCount = 0;

  constructor(options: FreeGrantCapOptions) {
    this.#options = options;
    this.#numbers = options.numbers ?? USUAL;
  }

  /** Makes room after a grant to this address. Never throws: what cannot be ended now is so after a later grant. */
  async enforce(addressHash: Buffer): Promise<void> {
    const { perAddress, inAll } = this.#numbers;
    const { database, clock, report } = this.#options;
    try {
      await this.#endSurplus(addressHash, perAddress);
      if (--this.#untilCount > 0) return;
      this.#untilCount = Math.max(1, Math.floor(inAll * SLACK));
      const count = await database.read((sql) => countFreeGrants(sql, new Date(clock.now())));
      if (count > inAll) await this.#endSurplus(null, inAll);
    } catch (error) {
      report(error);
    }
  }

  async #endSurplus(addressHash: Buffer | null, max: number): Promise<void> {
    const { database, clock, audit, metrics, onRevoked } = this.#options;
    const bound: FreeGrantLimit = { addressHash, max, maxProven: Math.floor(max * PROVEN_SHARE) };
    const now = new Date(clock.now());
    for (const grant of await database.write((sql) => endSurplusFreeGrants(sql, { ...bound, now }))) {
      onRevoked(`grant:${grant}`);
      audit('family_revoked', { grant, reason: 'crowded_out' });
      metrics.revoked('crowded_out');
    }
  }
}
