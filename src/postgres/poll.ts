// Owns waiting for something outside this process (a file, another process) by looking again and again.
import type { Clock } from '../lib/clock.ts';
import { pause } from '../lib/clock.ts';

interface PollOptions {
  readonly clock: Clock;
  /** Milliseconds after which waiting ends with `undefined`. */
  readonly limit: number;
  /** Milliseconds between two looks. */
  readonly every?: number;
}

/** Looks until `look` gives something other than undefined; undefined itself means the limit has passed. */
export async function poll<T>(
  look: () => Promise<T | undefined>,
  options: PollOptions,
): Promise<T | undefined> {
  const { clock, limit, every = 20 } = options;
  const end = clock.monotonic() + limit;
  // A clock's timers never keep the process alive, and a command that only waits has nothing else that does.
  const alive = setInterval(() => {}, 1 << 30);
  try {
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (clock.monotonic() >= end) return undefined;
      await pause(clock, every);
    }
  } finally {
    clearInterval(alive);
  }
}
