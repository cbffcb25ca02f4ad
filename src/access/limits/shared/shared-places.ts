// Places of one kind, such as the open streams of all accounts, counted together with other processes while they are held.

import type { Clock } from '../../../lib/clock.ts';
import { type PeriodicWork, startPeriodicWork } from '../../../lib/periodic-work.ts';
import type { Counted, CountedSlot, Place } from './counting-server.ts';
import { shareOf } from './phases.ts';
import type { SharedLimiter } from './shared-limiter.ts';

export interface SharedPlacesOptions {
  readonly limiter: SharedLimiter;
  readonly clock: Clock;
  readonly kind: string;
  /** Begins the names of places: of this process alone. */
  readonly node: string;
  readonly report: (error: unknown) => void;
}

/** Milliseconds after which the server counts a place no more whose holder is dead, and between two signs of its life. */
const LIFETIME = 10_000;
const RENEW_EVERY = 3_000;
const RENEWED_AT_ONCE = 100;

export class SharedPlaces implements Counted {
  readonly kind: string;
  readonly #options: SharedPlacesOptions;
  /** Names of the places that this process holds, by whom. */
  readonly #held = new Map<string, Set<string>>();
  readonly #renewing: PeriodicWork;
  #number = 0;

  constructor(options: SharedPlacesOptions) {
    this.kind = options.kind;
    this.#options = options;
    options.limiter.add(this);
    const { clock, report } = options;
    this.#renewing = startPeriodicWork({ clock, pause: RENEW_EVERY, work: () => this.#renew(), report });
  }

  /** Takes a place, and returns the function that frees it, which may be called twice; null: there is none. Throws OVERLOADED. */
  async open(name: string, quota: number): Promise<(() => void) | null> {
    const { limiter } = this.#options;
    const rule = limiter.requireRule();
    const mayBeTaken = (nodes: number): boolean => this.#countHere(name) < shareOf(quota, nodes);
    if (quota === 0 || (rule.by !== 'server' && !mayBeTaken(rule.nodes))) return null;
    const place = limiter.place(this.kind, name);
    const own = `${this.#options.node}/${this.#number++}`;
    // Held from now on, so that others who ask meanwhile see it.
    this.#hold(name, own);
    if (rule.by === 'share' || place === null) {
      if (place !== null && limiter.isSending) this.#send(place, own);
      return this.#release(name, own);
    }
    const request = { quota, wanted: 1, window: LIFETIME, prefix: own, first: 0 };
    const reply = await limiter.call(place, (server) => server.take(place, request));
    const isGranted =
      reply === null ? this.#countHere(name) <= shareOf(quota, limiter.nodes) : reply.granted > 0;
    if (isGranted) return this.#release(name, own);
    this.#drop(name, own);
    return null;
  }

  /** Places that are taken, of `quota`. */
  async count(name: string, quota: number): Promise<number> {
    const { limiter } = this.#options;
    const rule = limiter.requireRule();
    const place = limiter.place(this.kind, name);
    if (rule.by === 'share' || place === null || quota === 0) return this.#countHere(name);
    const request = { quota, wanted: 0, window: LIFETIME, prefix: '', first: 0 };
    const reply = await limiter.call(place, (server) => server.take(place, request));
    return reply === null ? this.#countHere(name) : quota - reply.free;
  }

  /** Whether one more may be taken. */
  async isFull(name: string, quota: number): Promise<boolean> {
    const rule = this.#options.limiter.requireRule();
    if (rule.by !== 'server' && this.#countHere(name) >= shareOf(quota, rule.nodes)) return true;
    return (await this.count(name, quota)) >= quota;
  }

  *slots(): Iterable<{ readonly name: string; readonly slots: readonly CountedSlot[] }> {
    for (const [name, held] of [...this.#held])
      yield { name, slots: [...held].map((own) => ({ name: slotName(own), left: LIFETIME })) };
  }

  async stop(): Promise<void> {
    await this.#renewing.stop();
  }

  /** Shows the server that the holders still live. */
  async #renew(): Promise<void> {
    const { limiter } = this.#options;
    let batch: Promise<unknown>[] = [];
    for (const { name, slots } of this.slots()) {
      const place = limiter.isSending ? limiter.place(this.kind, name) : null;
      if (place !== null) batch.push(limiter.call(place, (server) => server.put(place, slots)));
      if (batch.length < RENEWED_AT_ONCE) continue;
      await Promise.all(batch);
      batch = [];
    }
    await Promise.all(batch);
  }

  #countHere(name: string): number {
    return this.#held.get(name)?.size ?? 0;
  }

  #hold(name: string, own: string): void {
    const held = this.#held.get(name) ?? new Set();
    this.#held.set(name, held.add(own));
  }

  #drop(name: string, own: string): boolean {
    const held = this.#held.get(name);
    if (held?.delete(own) !== true) return false;
    if (held.size === 0) this.#held.delete(name);
    return true;
  }

  #send(place: Place, own: string): void {
    const slots = [{ name: slotName(own), left: LIFETIME }];
    void this.#options.limiter.call(place, (server) => server.put(place, slots));
  }

  #release(name: string, own: string): () => void {
    return () => {
      if (!this.#drop(name, own)) return;
      const { limiter } = this.#options;
      const place = limiter.place(this.kind, name);
      if (place !== null) void limiter.call(place, (server) => server.release(place, [slotName(own)]));
    };
  }
}

/** The server numbers the slots of one call. */
const slotName = (own: string): string => `${own}0`;
