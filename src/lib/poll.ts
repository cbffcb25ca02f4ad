// Polling of something outside this process, such as a file or another process.
import { type Clock, pause } from './clock.ts';

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
  return awake(pollAsleep(look, options));
}

/**
 * Keeps this process alive until the work is done. A clock's timers never do so, and a command that only waits has
 * nothing else that does: it would end in the middle, without a word.
 */
export async function awake<T>(work: Promise<T>): Promise<T> {
  const alive = setInterval(() => {}, 1 << 30);
  try {
    return await work;
  } finally {
    clearInterval(alive);
  }
}

async function pollAsleep<T>(
  look: () => Promise<T | undefined>,
  options: PollOptions,
): Promise<T | undefined> {
  const { clock, limit, every = 20 } = options;
  const end = clock.monotonic() + limit;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (clock.monotonic() >= end) return undefined;
    await pause(clock, every);
  }
}
