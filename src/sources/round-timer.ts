// Timer of the rounds in which a source is read: their waits, and what operators request meanwhile.

import { type Clock, pause } from '../lib/clock.ts';
import { type SourceControl, UNCONTROLLED } from './control-store.ts';

export class RoundTimer {
  readonly #clock: Clock;
  #control: SourceControl;
  /** Requests for a round that were there when the last one began. */
  #answered = 0;
  #answeredReconcile = 0;
  /** Monotonic milliseconds before which the source is not to be read, even on request. */
  #notBefore = Number.NEGATIVE_INFINITY;
  #wake = new AbortController();
  #paused = new AbortController();

  constructor(clock: Clock, control: SourceControl = UNCONTROLLED) {
    this.#clock = clock;
    this.#control = control;
  }

  /** What operators request. */
  get control(): SourceControl {
    return this.#control;
  }

  get isPaused(): boolean {
    return this.#control.pausedAt !== null;
  }

  /** Obeys what operators request from now on. */
  obey(control: SourceControl): void {
    this.#control = control;
    if (this.isPaused) this.#paused.abort();
    this.#wake.abort();
  }

  /** A signal that aborts when the source is paused. */
  untilPaused(): AbortSignal {
    this.#paused = new AbortController();
    if (this.isPaused) this.#paused.abort();
    return this.#paused.signal;
  }

  /** A round begins: what was requested until now is answered by it. */
  begin(): void {
    this.#answered = this.#control.syncRequests;
    this.#answeredReconcile = this.#control.reconcileRequests;
  }

  /** `retryAfter`: milliseconds that the source asks to wait. */
  fail(retryAfter: number): void {
    this.#notBefore = this.#clock.monotonic() + retryAfter;
  }

  get #isRequested(): boolean {
    const { syncRequests, reconcileRequests } = this.#control;
    return syncRequests > this.#answered || reconcileRequests > this.#answeredReconcile;
  }

  /** Waits; ends early when a round is requested that the source allows, or when it is paused or resumed. */
  async rest(milliseconds: number, signal: AbortSignal): Promise<void> {
    const clock = this.#clock;
    const until = clock.monotonic() + milliseconds;
    const wasPaused = this.isPaused;
    const isDue = () =>
      this.isPaused !== wasPaused || (this.#isRequested && clock.monotonic() >= this.#notBefore);
    while (!signal.aborted && !isDue() && clock.monotonic() < until) {
      this.#wake = new AbortController();
      await pause(clock, until - clock.monotonic(), AbortSignal.any([signal, this.#wake.signal]));
    }
  }
}
