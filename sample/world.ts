// Market and its journal: every change after the epoch is made and recorded here.
import type { Land } from './land/land.ts';
import { changeByHand, type FieldSet } from './market/hand.ts';
import { takeStep } from './market/living.ts';
import { Market } from './market/market.ts';

/** Milliseconds since the epoch. */
export type Clock = () => number;

/** Steps at even distances: the first at `firstAt`, the last at `lastAt`. */
export interface StepRun {
  readonly kind: 'steps';
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

export type Deed =
  | StepRun
  | { readonly kind: 'change'; readonly key: string; readonly set: FieldSet; readonly at: number }
  | { readonly kind: 'remove'; readonly key: string }
  | { readonly kind: 'restore'; readonly key: string; readonly at: number }
  | { readonly kind: 'rekey'; readonly key: string; readonly to: string; readonly at: number };

/** All that is needed to make the same market again. */
export interface Journal {
  readonly version: 1;
  readonly seed: string;
  readonly epoch: number;
  readonly size: number;
  readonly deeds: readonly Deed[];
}

/** Distance between steps that are taken at once, ms: more than one step has changes. */
const CROWDED = 16;

export class World {
  readonly market: Market;
  readonly #seed: string;
  readonly #deeds: Deed[] = [];
  readonly #clock: Clock;
  readonly #saved: (journal: Journal) => void;

  constructor(land: Land, start: Journal, clock: Clock, saved: (journal: Journal) => void) {
    this.market = new Market({ land, seed: start.seed, epoch: start.epoch, size: start.size });
    this.#seed = start.seed;
    this.#clock = clock;
    this.#saved = saved;
    for (const deed of start.deeds) this.#repeat(deed);
  }

  get journal(): Journal {
    const { epoch, size } = this.market;
    return { version: 1, seed: this.#seed, epoch, size, deeds: this.#deeds };
  }

  /** Takes steps that end now, or as soon after the last change as they fit. Returns the keys that changed. */
  advance(steps: number): string[] {
    const first = Math.max(this.#clock() - CROWDED * (steps - 1), this.market.lastAt + CROWDED);
    const changed = new Set<string>();
    for (let i = 0; i < steps; i += 1) for (const key of this.#step(first + i * CROWDED)) changed.add(key);
    this.#save();
    return [...changed];
  }

  /** Takes one step at a planned instant, ms. */
  stepAt(at: number): void {
    this.#step(at);
    this.#save();
  }

  /** Sets checked fields of a listing; false when there is no such listing. */
  change(key: string, set: FieldSet): boolean {
    if (!this.market.find(key)) return false;
    this.#do({ kind: 'change', key, set, at: this.#next() });
    return true;
  }

  /** Makes a listing vanish; false when there is no such listing. */
  remove(key: string): boolean {
    if (!this.market.find(key)) return false;
    this.#do({ kind: 'remove', key });
    return true;
  }

  /** Brings a vanished listing back; false when it has not vanished. */
  restore(key: string): boolean {
    if (this.market.find(key) || !this.market.isKnown(key)) return false;
    this.#do({ kind: 'restore', key, at: this.#next() });
    return true;
  }

  /** Gives a listing another key, as a change of a server's system does; false when there is no such listing, or the new key is known. */
  rekey(key: string, to: string): boolean {
    if (!this.market.find(key) || this.market.isKnown(to)) return false;
    this.#do({ kind: 'rekey', key, to, at: this.#next() });
    return true;
  }

  #next(): number {
    return Math.max(this.#clock(), this.market.lastAt + 1);
  }

  #do(deed: Deed): void {
    this.#repeat(deed);
    this.#save();
  }

  #save(): void {
    this.#saved(this.journal);
  }

  #step(at: number): string[] {
    const last = this.#deeds.at(-1);
    const distance =
      last?.kind === 'steps' && last.count > 1 ? (last.lastAt - last.firstAt) / (last.count - 1) : null;
    if (last?.kind === 'steps' && at > last.lastAt && (distance === null || at - last.lastAt === distance)) {
      this.#deeds[this.#deeds.length - 1] = { ...last, count: last.count + 1, lastAt: at };
    } else this.#deeds.push({ kind: 'steps', count: 1, firstAt: at, lastAt: at });
    return takeStep(this.market, at);
  }

  #repeat(deed: Deed): void {
    if (deed.kind === 'steps') {
      const distance = deed.count > 1 ? (deed.lastAt - deed.firstAt) / (deed.count - 1) : 0;
      for (let i = 0; i < deed.count; i += 1) this.#step(deed.firstAt + i * distance);
      return;
    }
    this.#deeds.push(deed);
    if (deed.kind === 'remove') this.market.hide(deed.key);
    else if (deed.kind === 'rekey') this.market.rekey(deed.key, deed.to, deed.at);
    else {
      if (deed.kind === 'restore') this.market.unhide(deed.key);
      const listing = this.market.find(deed.key);
      if (listing) changeByHand(this.market, listing, deed.kind === 'change' ? deed.set : {}, deed.at);
    }
  }
}
