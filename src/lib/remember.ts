// Answer that is remembered for a while: however many ask, it is computed once in that time.

import type { Clock } from './clock.ts';

/** A function that computes at most once in so many milliseconds. A failure is remembered as long as an answer. */
export function rememberFor<Value>(
  milliseconds: number,
  clock: Pick<Clock, 'monotonic'>,
  compute: () => Promise<Value>,
): () => Promise<Value> {
  let remembered: Promise<Value> | undefined;
  let until = Number.NEGATIVE_INFINITY;
  return () => {
    if (remembered === undefined || clock.monotonic() >= until) {
      until = clock.monotonic() + milliseconds;
      remembered = compute();
    }
    return remembered;
  };
}
