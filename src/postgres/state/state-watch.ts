// Watch over the state of a database: every process notices a change within a second.

import { type Clock, systemClock } from '../../lib/clock.ts';
import { type PeriodicWork, startPeriodicWork } from '../../lib/periodic-work.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../client/database.ts';
import { type DatabaseState, UNMARKED } from './database-state.ts';
import { findState } from './state-store.ts';

export interface StateWatch {
  /** As of the last look. */
  readonly state: DatabaseState;
  /** Calls back after each change, until the function that it returns is called. */
  onChange(callback: (state: DatabaseState) => void): () => void;
  /** Looks now, and not only when the next second is over. */
  look(): Promise<void>;
  stop(): Promise<void>;
}

export interface StateWatchOptions {
  /** Of its own: a final backup waits for all sessions but those of watches. */
  readonly database: Database;
  readonly state: DatabaseState;
  readonly report: (error: unknown) => void;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/** Application name of a watch's session. */
export const WATCH_NAME = 'freehold state';

/** Milliseconds between two looks: each reads one row. */
const PAUSE = 1_000;

/** A database as watches use it. */
export function openWatchDatabase(target: Pick<DatabaseOptions, 'url' | 'socket'>): Database {
  return openDatabase({ ...target, maxConnections: 1, applicationName: WATCH_NAME });
}

/** Watches until it is stopped; its database stays open. */
export function watchState({
  database,
  state: first,
  report,
  clock = systemClock,
}: StateWatchOptions): StateWatch {
  const callbacks = new Set<(state: DatabaseState) => void>();
  let state = first;
  async function look(): Promise<void> {
    const found = await findState(database);
    const isChanged = found.name !== state.name;
    state = found;
    if (isChanged) for (const callback of [...callbacks]) callback(found);
  }
  const work: PeriodicWork = startPeriodicWork({ clock, pause: PAUSE, report, work: look });
  return {
    get state() {
      return state;
    },
    onChange(callback) {
      callbacks.add(callback);
      return () => void callbacks.delete(callback);
    },
    look,
    stop: () => work.stop(),
  };
}

/** Of a database that is served without restrictions, for as long as the process runs. */
export const ALWAYS_SERVING: StateWatch = {
  state: UNMARKED,
  onChange: () => () => {},
  look: async () => {},
  stop: async () => {},
};
