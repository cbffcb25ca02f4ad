// Limit on how long something may take that answers within milliseconds.

import { systemClock } from '../../../lib/clock.ts';

/**
 * Resolves as `work` does, or throws `late()` after so many milliseconds. What has arrived while this process was busy with something else
 * is in time: the limit is on the other side, not on ourselves.
 */
export function limitedTo<T>(milliseconds: number, work: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    // Timers run before what has arrived is read, and immediates after it.
    const cancel = systemClock.after(milliseconds, () => setImmediate(() => reject(late())));
    work.then(resolve, reject).finally(cancel);
  });
}
