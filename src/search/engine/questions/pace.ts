// Pace of a question: it gives the event loop back after each short turn, and needs a place among the costly questions once it
// has turned out to be one of them.

import { systemClock } from '../../../lib/clock.ts';
import type { Place } from '../../../lib/costly-work.ts';
import { ROUNDS } from './rounds.ts';

/** Nanoseconds of estimated work. */
export interface PaceLimits {
  /** After so much the event loop is given back. */
  readonly turn: number;
  /** From so much on a question is costly. */
  readonly free: number;
}

/** A page is rarely costly, and is not to wait for itself. */
export const PAGE_PACE: PaceLimits = { turn: 1_000_000, free: 8_000_000 };
/** Of questions about all results, those of a town are free. */
export const SUMMARY_PACE: PaceLimits = { turn: 500_000, free: 500_000 };
/** What a question takes besides its scan. */
const BEGUN = 200_000;
/** Costly questions keep others from their turns no longer than this. */
const COSTLY_TURN = 500_000;
/** Milliseconds by the clock that end a turn as well: code that is not compiled yet takes many times what is estimated. */
const LONGEST_TURN = 3;

export interface PaceOptions {
  readonly limits?: PaceLimits;
  /** Absent: no place is needed. */
  readonly enter?: (() => Promise<Place>) | undefined;
  /** Ends the question; absent: nothing does but the signal of its place. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that never jump; absent: those of the process. */
  readonly monotonic?: () => number;
}

export class Pace {
  readonly #options: PaceOptions;
  readonly #monotonic: () => number;
  #place: Place | null = null;
  #turn: number;
  #begun: number;
  #work = 0;
  #spent = 0;

  constructor(options: PaceOptions = {}) {
    this.#options = options;
    this.#turn = (options.limits ?? PAGE_PACE).turn;
    this.#monotonic = options.monotonic ?? systemClock.monotonic;
    this.#begun = this.#monotonic();
  }

  /** Notes so many nanoseconds of work; whether it is time to pause. */
  spend(nanoseconds: number): boolean {
    this.#work += nanoseconds;
    return this.#work >= this.#turn || this.#monotonic() - this.#begun >= LONGEST_TURN;
  }

  /**
   * Resolves once there is a turn for a question that begins: at once, unless another one was at work in this round. Many that
   * waited for the same row of PostgreSQL go on together.
   */
  async begin(): Promise<void> {
    if (ROUNDS.isBegun) await ROUNDS.turn();
    ROUNDS.spend(BEGUN);
    this.#begun = this.#monotonic();
    this.#options.signal?.throwIfAborted();
  }

  /** Resolves at the next turn. Rejects with the reason of a signal that has aborted, or where there is no place. */
  async pause(): Promise<void> {
    this.#note();
    const { enter, signal, limits = PAGE_PACE } = this.#options;
    if (this.#place === null && enter !== undefined && this.#spent >= limits.free) {
      this.#place = await enter();
      this.#turn = COSTLY_TURN;
    }
    await (this.#place?.turn() ?? ROUNDS.turn());
    this.#begun = this.#monotonic();
    this.#place?.signal.throwIfAborted();
    signal?.throwIfAborted();
  }

  /** Does work that tells after each step about how many nanoseconds it took. */
  async run<T>(steps: Iterator<number, T>): Promise<T> {
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return step.value;
      if (this.spend(step.value)) await this.pause();
    }
  }

  /** Gives the place back. */
  end(): void {
    this.#note();
    this.#place?.leave();
    this.#place = null;
  }

  #note(): void {
    ROUNDS.spend(this.#work);
    this.#spent += this.#work;
    this.#work = 0;
  }
}
