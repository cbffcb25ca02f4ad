// Read-ahead: the next page is fetched and mapped while the one before it is written.

import { unlessAborted } from '../lib/clock.ts';

/**
 * Yields what `read` yields, one item behind it. The signal of `read` aborts when the reader stops early. Throws the
 * reason of `signal` when it aborts, even if `read` ignores it.
 */
export async function* ahead<T>(
  read: (signal: AbortSignal) => AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const left = new AbortController();
  const items = read(AbortSignal.any([signal, left.signal]))[Symbol.asyncIterator]();
  try {
    let coming = quiet(items.next());
    for (;;) {
      const { value, done } = await unlessAborted(signal, coming);
      if (done) return;
      coming = quiet(items.next());
      yield value;
    }
  } finally {
    left.abort();
    const ended = items.return?.().catch(() => {});
    if (!signal.aborted) await ended;
  }
}

/** A failure is thrown when its turn comes; until then it must not count as unhandled. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
