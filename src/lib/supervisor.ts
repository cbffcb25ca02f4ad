// Supervisor of another process: restarts it when it ends unasked, with growing pauses.
import { type Clock, pause } from './clock.ts';

const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;
/** A process that lived this long is healthy: the pauses begin with the short one again. */
const HEALTHY_AFTER = 10_000;

/** One run of a process. */
export interface SupervisedProcess {
  /** Resolves with a description when the process has ended, for whatever reason. */
  readonly ended: Promise<string>;
  /** Ends it in good order; resolves when it is over, also when it was over before. */
  stop(): Promise<void>;
}

interface SupervisorOptions {
  /** What people call it, in the log. */
  readonly name: string;
  /** Starts the process once more; waits by itself for what is left of the former one. */
  readonly launch: () => Promise<SupervisedProcess>;
  readonly log: (line: string) => void;
  readonly clock: Clock;
}

export interface Supervisor {
  stop(): Promise<void>;
}

/** Watches over a running process until `stop`. */
export function supervise(first: SupervisedProcess, options: SupervisorOptions): Supervisor {
  const { name, clock, log } = options;
  const stopping = new AbortController();
  let current: SupervisedProcess | undefined = first;
  let delay = FIRST_PAUSE;
  const watching = watch();
  return {
    async stop() {
      stopping.abort();
      await current?.stop();
      await watching;
    },
  };

  async function watch(): Promise<void> {
    while (current !== undefined) {
      const begun = clock.monotonic();
      const how = await current.ended;
      current = undefined;
      if (stopping.signal.aborted) return;
      if (clock.monotonic() - begun >= HEALTHY_AFTER) delay = FIRST_PAUSE;
      log(`${name} ended unexpectedly (${how}); restarting it`);
      current = await restart();
    }
  }

  async function restart(): Promise<SupervisedProcess | undefined> {
    while (!stopping.signal.aborted) {
      await pause(clock, delay, stopping.signal);
      if (stopping.signal.aborted) break;
      delay = Math.min(delay * 2, LONGEST_PAUSE);
      const next = await options.launch().catch((error: Error) => {
        log(error.message);
        return undefined;
      });
      if (next === undefined) continue;
      if (!stopping.signal.aborted) log(`${name} is running again`);
      else await next.stop();
      return next;
    }
    return undefined;
  }
}
