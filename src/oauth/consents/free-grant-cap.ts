// Cap on grants without a key, per address and in all: anybody can make them, so those unused for longest make room.

import { announceRevocation, type OAuthContext } from '../protocol/context.ts';
import { countFreeGrants, endSurplusFreeGrants } from './grant-store.ts';

/** Active grants. */
export interface FreeGrantLimits {
  readonly perAddress: number;
  readonly total: number;
}

const LIMITS: FreeGrantLimits = { perAddress: 100, total: 100_000 };
/** The share that grants which were used on a later day can have. */
const PROVEN_SHARE = 0.9;
/** How far the number in all may grow beyond, as a share: counting grants costs more than adding one. */
const SLACK = 0.001;

export class FreeGrantCap {
  readonly #context: OAuthContext;
  readonly #limits: FreeGrantLimits;
  #untilCount = 0;

  constructor(context: OAuthContext, limits = LIMITS) {
    this.#context = context;
    this.#limits = limits;
  }

  /** Makes room after a new grant of this address. Never throws: after a failure, a later grant makes room. */
  async enforce(addressHash: Buffer): Promise<void> {
    const { perAddress, total } = this.#limits;
    const { database, clock, report } = this.#context;
    try {
      await this.#endSurplus(addressHash, perAddress);
      if (--this.#untilCount > 0) return;
      this.#untilCount = Math.max(1, Math.floor(total * SLACK));
      const count = await database.read((sql) => countFreeGrants(sql, new Date(clock.now())));
      if (count > total) await this.#endSurplus(null, total);
    } catch (error) {
      report(error);
    }
  }

  async #endSurplus(addressHash: Buffer | null, max: number): Promise<void> {
    const { database, clock } = this.#context;
    const limit = { addressHash, max, maxProven: Math.floor(max * PROVEN_SHARE) };
    const now = new Date(clock.now());
    const ended = await database.write((sql) => endSurplusFreeGrants(sql, { ...limit, now }));
    for (const grant of ended) announceRevocation(this.#context, { grant, reason: 'crowded_out' });
  }
}
