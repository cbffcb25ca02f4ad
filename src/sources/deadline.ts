// Owns deadlines on a source: a signal that aborts in time, and an error that comes even from work that ignores it.

import type { Clock } from '../lib/clock.ts';
import { LiveError } from './source.ts';

/**
 * Runs the work with a signal that aborts after the milliseconds, or with the signal above it. Rejects at the deadline
 * with a LiveError `timeout`; what the work does later is let go.
 */
export async function withDeadline<T>(
  clock: Clock,
  milliseconds: number,
  parent: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const late = Promise.withResolvers<never>();
  const abort = () => controller.abort(parent.reason);
  if (parent.aborted) abort();
  parent.addEventListener('abort', abort, { once: true });
  const cancel = clock.after(milliseconds, () => {
    const error = new LiveError('timeout', 'The source did not answer in time.');
    controller.abort(error);
    late.reject(error);
  });
  try {
    return await Promise.race([work(controller.signal), late.promise]);
  } finally {
    cancel();
    parent.removeEventListener('abort', abort);
  }
}
