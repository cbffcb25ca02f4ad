// Deadlines: a signal that aborts in time, and an error even from work that ignores the signal.

import type { Clock } from './clock.ts';

export interface Deadline {
  readonly clock: Clock;
  readonly milliseconds: number;
  /** Aborts the work too; then the work's own error is what comes. */
  readonly parent?: AbortSignal;
  /** The error of a missed deadline. */
  readonly onTimeout: () => Error;
}

/** Gives what the work gives, or rejects at the deadline with its error; what the work does later is let go. */
export async function withDeadline<T>(
  deadline: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { clock, milliseconds, parent, onTimeout } = deadline;
  const controller = new AbortController();
  const missed = Promise.withResolvers<never>();
  const abort = () => controller.abort(parent?.reason);
  if (parent?.aborted) abort();
  parent?.addEventListener('abort', abort, { once: true });
  const cancel = clock.after(milliseconds, () => {
    const error = onTimeout();
    controller.abort(error);
    missed.reject(error);
  });
  try {
    return await Promise.race([work(controller.signal), missed.promise]);
  } finally {
    cancel();
    parent?.removeEventListener('abort', abort);
  }
}

/** Gives what the work gives, or rejects with the signal's reason as it aborts; what the work does later is let go. */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
