// Slots of deliveries: how many run at once, in all and to one host, failing webhooks counted apart.

export interface HostUse {
  readonly host: string;
  readonly isFailing: boolean;
  readonly used: number;
}

export interface SlotLimits {
  /** In all. */
  readonly max: number;
  /** Of failing webhooks among them. */
  readonly maxFailing: number;
  /** To one host. */
  readonly perHost: number;
  readonly perFailingHost: number;
}

export interface Slot {
  /** True if somebody may have waited for it. */
  giveBack(): boolean;
}

/** Whoever fails has slots of its own, so that endpoints that hang take none from those that answer. */
export class HostSlots {
  readonly #limits: SlotLimits;
  readonly #uses = new Map<string, { host: string; isFailing: boolean; used: number }>();
  #failing = 0;
  #all = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get used(): number {
    return this.#all;
  }

  get usedByFailing(): number {
    return this.#failing;
  }

  /** The hosts that have slots now. */
  hosts(): readonly HostUse[] {
    return [...this.#uses.values()];
  }

  /** Takes a slot. Nothing is refused here: claims are made within the limits. */
  take(host: string, isFailing: boolean): Slot {
    const { max, maxFailing, perHost, perFailingHost } = this.#limits;
    const key = `${isFailing} ${host}`;
    const use = this.#uses.get(key) ?? { host, isFailing, used: 0 };
    this.#uses.set(key, use);
    use.used++;
    this.#all++;
    if (isFailing) this.#failing++;
    return {
      giveBack: () => {
        const wasFull =
          this.#all >= max ||
          (isFailing ? this.#failing >= maxFailing || use.used >= perFailingHost : use.used >= perHost);
        use.used--;
        this.#all--;
        if (isFailing) this.#failing--;
        if (use.used === 0) this.#uses.delete(key);
        return wasFull;
      },
    };
  }
}
