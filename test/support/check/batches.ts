// Many things made at once, but begun a batch at a time.

/** Connections that may be opened at once: far fewer than wait to be accepted by a server whose process is busy. */
const BATCH = 100;

/** Makes so many, a batch after the other, and gives them in the order in which they were begun. */
export async function makeInBatches<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  while (made.length < count) {
    const size = Math.min(BATCH, count - made.length);
    made.push(...(await Promise.all(Array.from({ length: size }, make))));
  }
  return made;
}
