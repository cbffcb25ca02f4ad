// Owns keeping the embedded server alive: a server that ends unasked is started again, with growing pauses.
import type { Clock } from '../lib/clock.ts';
import { pause } from '../lib/clock.ts';
import type { ServerProcess } from './server-process.ts';

const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;
/** A server that lived this long is healthy: the next restart begins with the short pause again. */
const HEALTHY_AFTER = 60_000;

interface SupervisorOptions {
  /** Starts the server once more; waits by itself for what is left of the former one. */
  readonly launch: () => Promise<ServerProcess>;
  readonly log: (line: string) => void;
  readonly clock: Clock;
}

export interface Supervisor {
  stop(): Promise<void>;
}

/** Watches over a running server until `stop`. */
export function supervise(first: ServerProcess, options: SupervisorOptions): Supervisor {
  const stopping = new AbortController();
  let current: ServerProcess | undefined = first;
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
      const begun = options.clock.monotonic();
      const how = await current.ended;
      current = undefined;
      if (stopping.signal.aborted) return;
      options.log(`PostgreSQL ended unasked (${how}); starting it again`);
      const healthy = options.clock.monotonic() - begun > HEALTHY_AFTER;
      current = await restart(healthy ? FIRST_PAUSE : FIRST_PAUSE * 2);
    }
  }

  async function restart(firstPause: number): Promise<ServerProcess | undefined> {
    for (let delay = firstPause; ; delay = Math.min(delay * 2, LONGEST_PAUSE)) {
      await pause(options.clock, delay, stopping.signal);
      if (stopping.signal.aborted) return undefined;
      const server = await options.launch().catch((error: Error) => {
        options.log(error.message);
        return undefined;
      });
      if (server === undefined) continue;
      if (!stopping.signal.aborted) options.log('PostgreSQL runs again');
      else await server.stop();
      return server;
    }
  }
}
