// Supervisor of another process: restarts it when it ends unexpectedly, with growing pauses.
import { type Clock, pause } from './clock.ts';

const MIN_PAUSE = 100;
const MAX_PAUSE = 5_000;
/** Milliseconds after which a process is healthy, and the next pause short. */
const HEALTHY_AFTER = 10_000;

/** One run of a process. */
export interface SupervisedProcess {
  /** Resolves with a description once the process has ended. */
  readonly ended: Promise<string>;
  /** Ends the process in good order; resolves once it has ended. */
  stop(): Promise<void>;
}

interface SupervisorOptions {
  /** For the log. */
  readonly name: string;
  /** Starts the process again, after what is left of the former one has ended. */
  readonly launch: () => Promise<SupervisedProcess>;
  readonly log: (line: string) => void;
  readonly clock: Clock;
}

/** Supervises a running process until `stop`. */
export function supervise(first: SupervisedProcess, options: SupervisorOptions) {
  const { name, clock, log } = options;
  const stopping = new AbortController();
  let current: SupervisedProcess | undefined = first;
  let delay = MIN_PAUSE;
  const watching = watch();
  return {
    async stop(): Promise<void> {
      stopping.abort();
      await current?.stop();
      await watching;
    },
  };

  async function watch(): Promise<void> {
    while (current !== undefined) {
      const startedAt = clock.monotonic();
      const how = await current.ended;
      current = undefined;
      if (stopping.signal.aborted) return;
      if (clock.monotonic() - startedAt >= HEALTHY_AFTER) delay = MIN_PAUSE;
      log(`${name} ended unexpectedly (${how}); restarting it`);
      current = await restart();
    }
  }

  async function restart(): Promise<SupervisedProcess | undefined> {
    while (!stopping.signal.aborted) {
      await pause(clock, delay, stopping.signal);
      if (stopping.signal.aborted) break;
      delay = Math.min(delay * 2, MAX_PAUSE);
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
