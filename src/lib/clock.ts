// Clock: time and timers, handed to everything that waits or dates something, so that tests can turn it.

export interface Clock {
  /** Wall-clock milliseconds since the epoch: for dates that people see. */
  now(): number;
  /** Milliseconds that never jump: for deadlines, limits and cache lifetimes. */
  monotonic(): number;
  /** Calls back once after the delay; the returned function cancels it. Never keeps the process alive by itself. */
  after(milliseconds: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after the delay, or at once when the signal aborts. */
export function pause(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const cancel = clock.after(milliseconds, finish);
    function finish(): void {
      cancel();
      signal?.removeEventListener('abort', finish);
      resolve();
    }
    signal?.addEventListener('abort', finish, { once: true });
  });
}
