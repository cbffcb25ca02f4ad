// Owns deadlines: a signal that aborts after so many milliseconds, or with the signal above it.

import type { Clock } from '../lib/clock.ts';

/** Runs the work with a signal that aborts at the deadline, and gives the timer back when it is over. */
export async function withDeadline<T>(
  clock: Clock,
  milliseconds: number,
  parent: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort(parent.reason);
  if (parent.aborted) abort();
  const cancel = clock.after(milliseconds, () => controller.abort(new Error('The deadline has passed')));
  parent.addEventListener('abort', abort, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    cancel();
    parent.removeEventListener('abort', abort);
  }
}
