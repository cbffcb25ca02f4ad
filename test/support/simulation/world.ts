// A world with a time of its own: what happens in it happens in an order that its seed decides, as often as it is repeated.

import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../src/lib/clock.ts';

interface Happening {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
  isCancelled: boolean;
}

export class World {
  /** Milliseconds since it began: the true time, which nobody in it can read. */
  now = 0;
  readonly #happenings: Happening[] = [];
  #order = 0;
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** From 0 up to 1 (mulberry32). */
  random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(low: number, high: number): number {
    return low + this.random() * (high - low);
  }

  pick<T>(from: readonly T[]): T {
    const found = from[Math.floor(this.random() * from.length)];
    if (found === undefined) throw new RangeError('There is nothing to pick from');
    return found;
  }

  /** Lets something happen after so many milliseconds; the returned function prevents it. */
  after(milliseconds: number, run: () => void): () => void {
    const happening = {
      at: this.now + Math.max(0, milliseconds),
      order: this.#order++,
      run,
      isCancelled: false,
    };
    push(this.#happenings, happening);
    return () => {
      happening.isCancelled = true;
    };
  }

  pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve));
  }

  /** Lets so much time pass. */
  async run(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds;
    await turn();
    for (;;) {
      const next = this.#happenings[0];
      if (next === undefined || next.at > end) break;
      pop(this.#happenings);
      if (next.isCancelled) continue;
      this.now = next.at;
      next.run();
      // What waits for it goes on before anything else happens.
      await turn();
    }
    this.now = end;
  }

  /** A clock that somebody in it has: off by so much, wall clock and monotonic alike, and dead with its owner. */
  clock(offset: number, isAlive: () => boolean): Clock {
    return {
      now: () => Date.UTC(2026, 0, 5) + this.now + offset,
      monotonic: () => this.now + offset,
      after: (milliseconds, callback) =>
        this.after(milliseconds, () => {
          if (isAlive()) callback();
        }),
    };
  }
}

const isBefore = (one: Happening, other: Happening): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);

/** A heap whose first is the next. */
function push(heap: Happening[], happening: Happening): void {
  let at = heap.push(happening) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || !isBefore(happening, above)) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = happening;
}

function pop(heap: Happening[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let at = 0;
  for (;;) {
    const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]];
    const isRight = left !== undefined && right !== undefined && isBefore(right, left);
    const least = isRight ? right : left;
    if (least === undefined || !isBefore(least, last)) break;
    heap[at] = least;
    at = 2 * at + (isRight ? 2 : 1);
  }
  heap[at] = last;
}
