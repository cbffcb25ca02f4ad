// Rate of what happened at some times, as those see it who limit it.

/** The most of these times, in their order, that any stretch of so many milliseconds holds. */
export function busiest(times: readonly number[], milliseconds: number): number {
  let [most, first] = [0, 0];
  for (const [at, time] of times.entries()) {
    while ((times[first] ?? 0) <= time - milliseconds) first++;
    most = Math.max(most, at - first + 1);
  }
  return most;
}
