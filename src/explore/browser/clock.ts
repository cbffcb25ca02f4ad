// Clock of a page: the only module in browsers that reads time and sets timers.

/** Milliseconds since the epoch. */
export const now = (): number => Date.now();

/** Runs the function after the time in milliseconds; returns what cancels it. */
export function after(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
}
