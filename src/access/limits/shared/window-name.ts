// What is known of one name in a window that several processes count: who waits, what was admitted here, what was taken in advance.

import { SlidingWindowLog } from '../sliding-window-log.ts';
import type { Place } from './counting-server.ts';

/** A request that was counted. */
export interface Slot {
  /** Counts it no more. */
  giveBack(): void;
  /** Counts it from now on, as if it had come only now. */
  renew(): void;
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
