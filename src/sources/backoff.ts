// Backoff after failures: 1, 2, 4 ... 32 seconds with jitter, or what the source asks for.

const FIRST = 1_000;
const DOUBLINGS = 5;
const SCATTER = 0.25;

/** Milliseconds before the next attempt; `failures` counts from 1, `random` is in [0, 1). */
export function backoff(failures: number, asked: number | null, random: number): number {
  const own = FIRST * 2 ** Math.min(failures - 1, DOUBLINGS);
  return Math.round(Math.max(own, asked ?? 0) * (1 + SCATTER * random));
}
