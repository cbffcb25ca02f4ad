// When the fetching that an event asks for is tried again: soon at first, then less and less often, and at last about every hour. Pure.

/** Milliseconds. */
const FIRST = 1_000;
const LONGEST = 3_600_000;

/**
 * Milliseconds until the next try. Half of the pause is drawn, so that events that failed together do not come together again.
 * @param failures tries that failed so far, at least 1  @param random from 0 to 1
 */
export function pauseAfter(failures: number, random: number): number {
  const pause = Math.min(FIRST * 2 ** Math.min(failures - 1, 30), LONGEST);
  return Math.round(pause * (0.5 + random / 2));
}
