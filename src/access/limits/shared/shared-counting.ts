// What is counted with other processes where LIMITS_URL is set: windows and places of any kind, over one server.

import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../../../lib/clock.ts';
import type { Database } from '../../../postgres/client/database.ts';
import { PROCESS_NAME } from '../../../postgres/leases/work-lease.ts';
import { createLimitsBoard } from './limits-board.ts';
import { RedisCounting } from './redis-counting.ts';
import type { ScriptName } from './scripts.ts';
import { type LimitsStatus, SharedLimiter } from './shared-limiter.ts';
import { SharedPlaces } from './shared-places.ts';
import { SharedWindow } from './shared-window.ts';

export interface SharedCounting {
  /** The windows of one kind. @param capacity names that can be active within a minute */
  window(kind: string, capacity: number): SharedWindow;
  places(kind: string): SharedPlaces;
  status(): LimitsStatus;
  /** Call it once everything that counts has been made. Throws UnsuitableServer. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface SharedCountingOptions {
  /** Of LIMITS_URL. */
  readonly url: string;
  readonly database: Database;
  readonly clock: Clock;
  /** Milliseconds for one call to the server; for tests that prove no limit of time. */
  readonly callLimit?: number | undefined;
  /** Called after each call to the server, with the milliseconds that this process waited for it. */
  readonly onCall?: ((name: ScriptName, milliseconds: number) => void) | undefined;
  readonly onChange: (status: LimitsStatus) => void;
  /** Called with errors that no client sees. */
  readonly report: (error: unknown) => void;
}

/** Connects to nothing before `start`. */
export function createSharedCounting(options: SharedCountingOptions): SharedCounting {
  const { url, database, clock, callLimit, onCall, report } = options;
  const run = randomBytes(5).toString('hex');
  const limiter = new SharedLimiter({
    ...options,
    server: new RedisCounting({ url, monotonic: () => systemClock.monotonic(), callLimit, onCall }),
    board: createLimitsBoard(database, `${PROCESS_NAME} ${run}`, report),
  });
  const places: SharedPlaces[] = [];
  return {
    window: (kind, capacity) => new SharedWindow({ limiter, clock, kind, node: run, capacity }),
    places(kind) {
      const made = new SharedPlaces({ limiter, clock, kind, node: run, report });
      places.push(made);
      return made;
    },
    status: () => limiter.status(),
    start: () => limiter.start(),
    async stop() {
      for (const each of places) await each.stop();
      await limiter.stop();
    },
  };
}
