// Owns waiting no longer than agreed for somebody else's answer.
import type { Clock } from '../lib/clock.ts';

/** Gives what `run` gives, or throws at the deadline and aborts the signal; a later answer is let go. */
export async function withDeadline<T>(
  clock: Clock,
  milliseconds: number,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(milliseconds, () => {
    const error = new Error(`No answer within ${milliseconds} ms`);
    controller.abort(error);
    late.reject(error);
  });
  try {
    return await Promise.race([run(controller.signal), late.promise]);
  } finally {
    cancel();
  }
}
