// Failures that are remembered for a while, so that what cannot be done now is not tried for each reader.

import type { Clock } from '../lib/clock.ts';

/** Failures that are remembered; the oldest ones are forgotten first. */
const MAX = 10_000;

export class RememberedFailures<Failure> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #failures = new Map<string, { readonly failure: Failure; readonly until: number }>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** What failed, with the seconds that it is still left alone; null: it can be tried. */
  get(key: string): { readonly failure: Failure; readonly seconds: number } | null {
    const known = this.#failures.get(key);
    const left = (known?.until ?? 0) - this.#clock.monotonic();
    return known === undefined || left <= 0 ? null : { failure: known.failure, seconds: left / 1_000 };
  }

  add(key: string, failure: Failure, seconds: number): void {
    this.#failures.delete(key);
    this.#failures.set(key, { failure, until: this.#clock.monotonic() + seconds * 1_000 });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MAX && oldest !== undefined) this.#failures.delete(oldest);
  }
}
