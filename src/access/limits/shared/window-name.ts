// What is known of one name in a window that several processes count: who waits, what was admitted here, what was taken in advance.

import { SlidingWindowLog, WINDOW } from '../sliding-window-log.ts';
import type { Place } from './counting-server.ts';

/** A request that was counted. */
export interface Slot {
  /** Counts it no more. */
  giveBack(): void;
  /** Counts it from now on, as if it had come only now. */
  renew(): void;
}

/** Milliseconds for which a refusal counts without asking again. */
export const MAX_BLOCK = 1_000;
/** From this quota on slots are leased in advance: at most this share of it, over all other processes. */
const LEASED_FROM = 300;
const LEASED_SHARE = 0.03;

/**
 * Slots to take in advance: as many as were used of the last ones, if those were taken just now.
 * @param others processes that may do the same  @param now monotonic
 */
export function slotsInAdvance(quota: number, others: number, lease: Lease | null, now: number): number {
  if (quota < LEASED_FROM) return 0;
  const used = lease === null || now >= lease.until ? 1 : lease.next - lease.from;
  return Math.min(Math.floor((LEASED_SHARE * quota) / Math.max(1, others)), used);
}

/** Null: there is no slot. Remaining slots, and milliseconds until one more is free. */
export interface Taken {
  readonly slot: Slot | null;
  readonly remaining: number;
  readonly reset: number;
}

export interface Waiter {
  readonly resolve: (taken: Taken) => void;
  readonly reject: (error: unknown) => void;
  readonly quota: number;
}

/** One name. */
export class WindowName {
  /** What was admitted here, whoever decided. */
  readonly log = new SlidingWindowLog();
  queue: Waiter[] = [];
  isAsking = false;
  /** Monotonic time until which there is no slot. */
  blockedUntil = Number.NEGATIVE_INFINITY;
  lease: Lease | null = null;
  /** Slots that were free when the server answered last, less what was admitted here since without an answer; and when that was. */
  #free = 0;
  #answeredAt = Number.NEGATIVE_INFINITY;

  /** Slots of the lease that are left. */
  get leased(): number {
    return this.lease === null ? 0 : this.lease.end - this.lease.next;
  }

  /** Takes in an answer of the server. */
  learn(free: number, now: number): void {
    this.#free = free;
    this.#answeredAt = now;
  }

  /** Counts a request that was admitted without an answer of the server. */
  admitUnanswered(now: number): void {
    this.log.add(now);
    this.#free--;
  }

  /**
   * What this process may admit where the server was only slow: nobody else divides, so it is its share, but no more than was free when
   * the server answered last, if that was within a minute.
   */
  statusUnanswered(now: number, share: number): Omit<Taken, 'slot'> {
    const own = this.status(now, share);
    if (now - this.#answeredAt >= WINDOW || this.#free >= own.remaining) return own;
    return { remaining: Math.max(0, this.#free), reset: Math.min(own.reset, MAX_BLOCK) };
  }

  /** What this process has left of its share. @param now monotonic */
  status(now: number, share: number): Omit<Taken, 'slot'> {
    const remaining = Math.max(0, share - this.log.count(now));
    return { remaining, reset: this.log.timeUntilFree(share, now) };
  }
}

/** Slots that were taken in advance: numbers from `next` to `end`. */
export interface Lease {
  readonly place: Place;
  readonly from: number;
  next: number;
  readonly end: number;
  readonly until: number;
  /** Free slots of the server when it was taken. */
  readonly free: number;
  readonly reset: number;
  readonly cancel: () => void;
}
