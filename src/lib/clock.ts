// Clock: time, timers, pauses, deadlines and polling. Everything that waits or reads the time is given one, so that tests can
// advance it.

/** Milliseconds. */
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Milliseconds since the epoch of an RFC 3339 time or of the start of a date in UTC; null for null and invalid text. */
export function parseTime(text: string | null): number | null {
  if (text === null) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : at;
}

/** RFC 3339 in UTC; null for null. */
export function formatTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

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

interface PollOptions {
  readonly clock: Clock;
  /** Milliseconds. */
  readonly limit: number;
  /** Milliseconds between two calls; default 20. */
  readonly every?: number;
}

/** Calls `look` until it returns something, and returns that; undefined once the limit has passed. Keeps the process alive. */
export function poll<T>(look: () => Promise<T | undefined>, options: PollOptions): Promise<T | undefined> {
  const { clock, limit, every = 20 } = options;
  const end = clock.monotonic() + limit;
  return keepAlive(async () => {
    for (;;) {
      const found = await look();
      if (found !== undefined || clock.monotonic() >= end) return found;
      await pause(clock, every);
    }
  });
}

/** Keeps this process alive until the work is done: a clock's timers do not, so a command that only waits would just end. */
export async function keepAlive<T>(work: () => Promise<T>): Promise<T> {
  const alive = setInterval(() => {}, 1 << 30);
  try {
    return await work();
  } finally {
    clearInterval(alive);
  }
}

export interface Deadline {
  readonly clock: Clock;
  readonly milliseconds: number;
  /** Aborts the work too, which then rejects with its own error. */
  readonly parent?: AbortSignal | undefined;
  /** The error of a missed deadline. */
  readonly onTimeout: () => Error;
}

/** The result of the work, or a rejection at the deadline; the work's signal aborts then, and its later result is dropped. */
export async function withDeadline<T>(
  { clock, milliseconds, parent, onTimeout }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController();
  const cancel = clock.after(milliseconds, () => timeout.abort(onTimeout()));
  const signal = parent === undefined ? timeout.signal : AbortSignal.any([timeout.signal, parent]);
  try {
    return await unlessAborted(timeout.signal, work(signal));
  } finally {
    cancel();
  }
}

/** The result of the work, or a rejection with the signal's reason once it aborts; the work's later result is dropped. */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
