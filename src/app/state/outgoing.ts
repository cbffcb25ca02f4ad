// Work that acts on the outside, such as deliveries and reads of a source: only while the database may do so.

import { Problem } from '../../lib/problem.ts';
import { isOutgoing } from '../../postgres/state/database-state.ts';
import type { StateWatch } from '../../postgres/state/state-watch.ts';

interface Job {
  stop(): Promise<void>;
}

/** A job of which `current` is what runs; null while it waits. */
export interface WaitingJob<Running extends Job> extends Job {
  readonly current: Running | null;
}

/** Starts work at once, or as soon as a database that was restored is accepted. A state that forbids it again ends the process's work as a whole. */
export function startOnceOutgoing<Running extends Job>(
  watch: Pick<StateWatch, 'state' | 'onChange'>,
  start: () => Running,
): WaitingJob<Running> {
  let running: Running | null = null;
  const startIfAllowed = (): void => {
    if (running === null && isOutgoing(watch.state)) running = start();
  };
  const cancel = watch.onChange(startIfAllowed);
  startIfAllowed();
  return {
    get current() {
      return running;
    },
    async stop() {
      cancel();
      await running?.stop();
    },
  };
}

/** Seconds after which a client tries again while the service is under maintenance. */
const RETRY_AFTER = 15;

/** What requests are refused with while a final backup is taken, and after it. */
export const maintenance = (): Problem =>
  new Problem(
    'MAINTENANCE',
    'The service is being moved or backed up, and reads and writes nothing meanwhile. Try again later.',
    { headers: { connection: 'close', 'retry-after': String(RETRY_AFTER) } },
  );
