// Limit on how long something may take that answers within milliseconds.

/**
 * Resolves as `work` does, or throws `late()` after so many milliseconds. What has arrived while this process was busy with something else
 * is in time: the limit is on the other side, not on ourselves.
 */
export function limitedTo<T>(milliseconds: number, work: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      // Timers run before what has arrived is read, and immediates after it.
      setImmediate(() => reject(late()));
    }, milliseconds);
    timer.unref();
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
