// Windows of one kind, such as the minutes of all accounts, counted together with other processes.

import type { Clock } from '../../../lib/clock.ts';
import { tooManyCallers } from '../rate-limit-status.ts';
import { RecentCallers, WINDOW } from '../sliding-window-log.ts';
import type { Counted, CountedSlot, Place } from './counting-server.ts';
import { shareOf } from './phases.ts';
import type { SharedLimiter } from './shared-limiter.ts';
import { type Lease, MAX_BLOCK, type Slot, slotsInAdvance, type Taken, WindowName } from './window-name.ts';

export interface SharedWindowOptions {
  readonly limiter: SharedLimiter;
  readonly clock: Clock;
  readonly kind: string;
  /** Begins the names of slots: of this process alone. */
  readonly node: string;
  /** Names that can be active within a minute. */
  readonly capacity: number;
}

/** Milliseconds for which slots may be used that were leased in advance; they count as used at the end of it. */
const LEASE = 500;
/**
 * Milliseconds for which a slot is kept beyond its window: an answer of the server may be on its way for so long, and what counts is when
 * this process admits.
 */
const ON_ITS_WAY = 20;
/** Requests of one name that one call asks for. */
const ASKED_AT_ONCE = 500;

export class SharedWindow implements Counted {
  readonly kind: string;
  readonly #options: SharedWindowOptions;
  readonly #names: RecentCallers<WindowName>;
  #number = 0;

  constructor(options: SharedWindowOptions) {
    this.kind = options.kind;
    this.#options = options;
    this.#names = new RecentCallers({
      capacity: options.capacity,
      now: options.clock.monotonic(),
      create: () => new WindowName(),
    });
    options.limiter.add(this);
  }

  /** Takes a slot. Throws OVERLOADED where nothing may be admitted, or too many names are active. */
  take(name: string, quota: number): Promise<Taken> {
    return new Promise((resolve, reject) => {
      const state = this.#name(name);
      state.queue.push({ resolve, reject, quota });
      if (!state.isAsking) void this.#serve(name, state);
    });
  }

  /** Whether there is room for one more name. */
  hasRoom(name: string): boolean {
    return this.#names.hasRoom(name, this.#now());
  }

  /** The same without taking one. */
  async look(name: string, quota: number): Promise<Omit<Taken, 'slot'>> {
    const { limiter } = this.#options;
    const state = this.#name(name);
    const rule = limiter.requireRule();
    const own = state.status(this.#now(), rule.by === 'server' ? quota : shareOf(quota, rule.nodes));
    const place = limiter.place(this.kind, name);
    if (rule.by === 'share' || place === null) return own;
    const request = { quota, wanted: 0, window: WINDOW, prefix: '', first: 0 };
    const reply = await limiter.call(place, (server) => server.take(place, request));
    if (reply === null) return own;
    const free = reply.free + state.leased;
    return rule.by === 'both' && own.remaining < free ? own : { remaining: free, reset: reply.reset };
  }

  /** Milliseconds until a slot may be free, where it is known without asking that there is none; null: there may be one. */
  blockedFor(name: string, quota: number): number | null {
    const state = this.#names.peek(name);
    if (state === undefined) return null;
    const now = this.#now();
    if (state.blockedUntil > now) return state.blockedUntil - now;
    const rule = this.#options.limiter.requireRule();
    if (rule.by === 'server') return null;
    const { remaining, reset } = state.status(this.#now(), shareOf(quota, rule.nodes));
    return remaining === 0 ? reset : null;
  }

  *slots(): Iterable<{ readonly name: string; readonly slots: readonly CountedSlot[] }> {
    const now = this.#now();
    for (const [name, { log }] of this.#names.entries()) {
      const slots = log
        .times(now)
        .map((time) => ({ name: this.#slotName(this.#number++), left: time + WINDOW - now }));
      yield { name, slots };
    }
  }

  /** Answers all that wait for slots of one name, with as few calls as there are turns. */
  async #serve(name: string, state: WindowName): Promise<void> {
    state.isAsking = true;
    while (state.queue.length > 0) {
      try {
        if (!this.#serveHere(name, state)) await this.#ask(name, state);
      } catch (error) {
        for (const { reject } of state.queue.splice(0)) reject(error);
      }
    }
    state.isAsking = false;
  }

  /** Answers the first of the queue without the server, where that is possible. */
  #serveHere(name: string, state: WindowName): boolean {
    const [first] = state.queue;
    if (first === undefined) return true;
    const rule = this.#options.limiter.requireRule();
    const now = this.#now();
    const isShared = rule.by === 'server' || rule.by === 'both';
    if (isShared && state.blockedUntil > now) {
      this.#answer(state, { slot: null, remaining: 0, reset: state.blockedUntil - now });
      return true;
    }
    if (rule.by === 'server') return this.#spendLease(name, state, now);
    const share = shareOf(first.quota, rule.nodes);
    if (rule.by === 'share' || state.log.count(now) >= share)
      this.#decideByShare(name, state, share, { number: this.#number++, isSlow: false });
    return rule.by === 'share' || state.queue[0] !== first;
  }

  #answer(state: WindowName, taken: Taken): void {
    state.queue.shift()?.resolve(taken);
  }

  #spendLease(name: string, state: WindowName, now: number): boolean {
    const { lease } = state;
    if (lease === null || lease.next === lease.end || now >= lease.until) return false;
    // A server that was lost meanwhile does not have its slots any more.
    if (!this.#options.limiter.isCurrent(lease.place)) return false;
    const number = lease.next++;
    if (lease.next === lease.end) lease.cancel();
    state.log.add(now);
    const slot = this.#slot(name, state, lease.place, number);
    this.#answer(state, { slot, remaining: lease.free + state.leased, reset: lease.reset });
    return true;
  }

  /** @param number of the slot, where there is one  @param isSlow whether nobody else divides */
  #decideByShare(
    name: string,
    state: WindowName,
    share: number,
    { number, isSlow }: { readonly number: number; readonly isSlow: boolean },
  ): void {
    const { limiter } = this.#options;
    const now = this.#now();
    const own = isSlow ? state.statusUnanswered(now, share) : state.status(now, share);
    if (own.remaining === 0) {
      this.#answer(state, { slot: null, remaining: 0, reset: own.reset });
      return;
    }
    state.admitUnanswered(now);
    const place = limiter.isSending ? limiter.place(this.kind, name) : null;
    if (place !== null)
      void limiter.call(place, (server) =>
        server.put(place, [{ name: this.#slotName(number), left: WINDOW }]),
      );
    const { reset } = state.status(now, share);
    const slot = this.#slot(name, state, place, number);
    this.#answer(state, { slot, remaining: own.remaining - 1, reset });
  }

  /** Asks the server for all that wait, and for more where many came of late. */
  async #ask(name: string, state: WindowName): Promise<void> {
    const { limiter } = this.#options;
    const quota = state.queue[0]?.quota ?? 1;
    const rule = limiter.requireRule();
    const place = limiter.place(this.kind, name);
    const asked = state.queue.slice(0, this.#allowed(state, quota)).length;
    const more = rule.by === 'server' ? this.#inAdvance(state, quota) : 0;
    const first = this.#number;
    this.#number += asked + more;
    const window = WINDOW + ON_ITS_WAY + (more > 0 ? LEASE : 0);
    const askedAt = this.#now();
    const request = { quota, wanted: asked + more, window, prefix: this.#slotName(''), first };
    const reply = place === null ? null : await limiter.call(place, (server) => server.take(place, request));
    if (reply === null || place === null) return this.#decideUnanswered(name, state, first, asked);
    const now = this.#now();
    state.learn(reply.free, now);
    const granted = Math.min(asked, reply.granted);
    const spare = reply.granted - granted;
    for (let at = 0; at < granted; at++) {
      state.log.add(now);
      const slot = this.#slot(name, state, place, first + at);
      this.#answer(state, { slot, remaining: reply.free + spare, reset: reply.reset });
    }
    if (granted < asked) state.blockedUntil = now + Math.min(reply.reset, MAX_BLOCK);
    for (let at = granted; at < asked; at++)
      this.#answer(state, { slot: null, remaining: 0, reset: reply.reset });
    if (reply.granted > 0 && more > 0)
      this.#keep(state, {
        place,
        from: first,
        next: first + granted,
        end: first + reply.granted,
        until: askedAt + LEASE,
        free: reply.free,
        reset: reply.reset,
      });
  }

  /** How many of those who wait may be asked for: where both decide, no more than this process has left of its share. */
  #allowed(state: WindowName, quota: number): number {
    const rule = this.#options.limiter.requireRule();
    if (rule.by !== 'both') return ASKED_AT_ONCE;
    return Math.min(ASKED_AT_ONCE, Math.max(1, shareOf(quota, rule.nodes) - state.log.count(this.#now())));
  }

  /**
   * All that wait are decided on without the server when there is no answer. Those that were asked for keep their slots: the server may
   * have taken them nevertheless, and must not count them twice.
   */
  #decideUnanswered(name: string, state: WindowName, firstAsked: number, asked: number): void {
    const { limiter } = this.#options;
    const isSlow = limiter.requireRule().by !== 'share';
    for (let at = 0; state.queue[0] !== undefined; at++) {
      const share = shareOf(state.queue[0].quota, limiter.nodes);
      const number = at < asked ? firstAsked + at : this.#number++;
      this.#decideByShare(name, state, share, { number, isSlow });
    }
  }

  #inAdvance(state: WindowName, quota: number): number {
    const { lease } = state;
    this.#endLease(state);
    return slotsInAdvance(quota, this.#options.limiter.nodes - 1, lease, this.#now());
  }

  #keep(state: WindowName, lease: Omit<Lease, 'cancel'>): void {
    const cancel =
      lease.next === lease.end
        ? () => {}
        : this.#options.clock.after(LEASE, () => {
            if (state.lease === kept) this.#endLease(state);
          });
    const kept: Lease = { ...lease, cancel };
    state.lease = kept;
  }

  /** What was not used is free for others again. */
  #endLease(state: WindowName): void {
    const { lease } = state;
    state.lease = null;
    if (lease === null || lease.next === lease.end) return;
    lease.cancel();
    const names = Array.from({ length: lease.end - lease.next }, (_, at) => this.#slotName(lease.next + at));
    void this.#options.limiter.call(lease.place, (server) => server.release(lease.place, names));
  }

  #slot(name: string, state: WindowName, place: Place | null, number: number): Slot {
    const { limiter } = this.#options;
    let isCounted = true;
    return {
      giveBack: () => {
        if (!isCounted) return;
        isCounted = false;
        state.log.removeLatest();
        state.blockedUntil = Number.NEGATIVE_INFINITY;
        if (place !== null)
          void limiter.call(place, (server) => server.release(place, [this.#slotName(number)]));
      },
      renew: () => {
        if (!isCounted) return;
        const kept = this.#name(name);
        kept.log.removeLatest();
        kept.log.add(this.#now());
        if (place !== null)
          void limiter.call(place, (server) =>
            server.put(place, [{ name: this.#slotName(number), left: WINDOW }]),
          );
      },
    };
  }

  #name(name: string): WindowName {
    const now = this.#now();
    const state = this.#names.getOrCreate(name, now);
    if (state === undefined) throw tooManyCallers(this.#names.timeUntilRotation(now));
    return state;
  }

  #slotName(number: number | ''): string {
    return `${this.#options.node}/${number}`;
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }
}
