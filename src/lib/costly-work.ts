// Costly work: a fair queue for it, a deadline that counts the waiting too, and short turns of the event loop.

import type { Clock } from './clock.ts';
import { FairQueue, type FairQueueOptions } from './fair-queue.ts';

export interface CostlyWorkOptions extends FairQueueOptions {
  readonly clock: Clock;
}

/** Who wants a place, and how long. */
export interface PlaceRequest {
  /** Whose turn it is told by. */
  readonly caller: string;
  /** What the work is a part of: its further parts go first. */
  readonly request?: object | undefined;
  /** Milliseconds for waiting and work together. */
  readonly deadline: number;
  /** Milliseconds for waiting alone; default: as long as the deadline. */
  readonly maxWait?: number | undefined;
  /** The error of a missed deadline, or of waiting for too long. */
  readonly onLate: () => Error;
  /** Aborts when the client leaves. */
  readonly parent?: AbortSignal | undefined;
}

export interface Place {
  /** Aborts at the deadline, or when the client leaves. */
  readonly signal: AbortSignal;
  /** Resolves at this work's next turn of the event loop: one at a time has one, and what came meanwhile goes first. */
  turn(): Promise<void>;
  leave(): void;
}

export class CostlyWork {
  readonly #clock: Clock;
  readonly #queue: FairQueue;
  readonly #turns = new Turns();

  constructor({ clock, ...options }: CostlyWorkOptions) {
    this.#clock = clock;
    this.#queue = new FairQueue(options);
  }

  get busy(): number {
    return this.#queue.busy;
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Rejects with QueueFull, the error of `onLate`, or the reason of the parent's signal. */
  async enter({
    caller,
    request,
    deadline,
    maxWait = deadline,
    onLate,
    parent,
  }: PlaceRequest): Promise<Place> {
    const [late, bored] = [new AbortController(), new AbortController()];
    const cancel = this.#clock.after(deadline, () => late.abort(onLate()));
    const cancelWait = maxWait < deadline ? this.#clock.after(maxWait, () => bored.abort(onLate())) : cancel;
    const signal = parent ? AbortSignal.any([late.signal, parent]) : late.signal;
    try {
      const waiting = maxWait < deadline ? AbortSignal.any([signal, bored.signal]) : signal;
      const leave = await this.#queue.enter(caller, waiting, request);
      if (maxWait < deadline) cancelWait();
      return {
        signal,
        turn: () => this.#turns.next(),
        leave() {
          cancel();
          leave();
        },
      };
    } catch (error) {
      cancel();
      cancelWait();
      throw error;
    }
  }
}

/** Turns of the event loop, one a round, in the order in which they were asked for. */
class Turns {
  readonly #waiting: (() => void)[] = [];

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(this.#give);
    });
  }

  readonly #give = (): void => {
    // It works before the next round begins: what it resolves runs at once.
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(this.#give);
  };
}
