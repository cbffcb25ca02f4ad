// What all processes know of each other's counting: their reports and the state, in the database.

import type { Database } from '../../../postgres/client/database.ts';
import { listen } from '../../../postgres/client/listen.ts';
import {
  changeState,
  findReports,
  findState,
  LIMITS_CHANNEL,
  leave,
  lockState,
  type StoredState,
  writeReport,
} from './phase-store.ts';
import { type LimitsReport, type LimitsState, nextState } from './phases.ts';

/** What all processes know of each other: a row in the database. */
export interface LimitsBoard {
  /** Writes the report of this process, and returns the state that follows from all reports. */
  report(report: LimitsReport): Promise<StoredState>;
  /** Takes this process out: it admits nothing more. */
  leave(): Promise<void>;
  /** Calls back when another process has changed the state. */
  follow(onChange: () => void): { close(): Promise<void> };
}

/** Milliseconds: much less than the silence after which a process counts as gone. */
const TIMEOUT = 2_000;

/** @param id of this run of this process */
export function createLimitsBoard(
  database: Database,
  id: string,
  onError: (error: unknown) => void,
): LimitsBoard {
  return {
    report: (report) =>
      database.transaction(
        async (tx) => {
          await writeReport(tx, id, report);
          const state = await findState(tx);
          const reports = await findReports(tx);
          if (state !== undefined && isSame(state, nextState(state, reports))) return state;
          // Decided again by what is true once nobody else changes it.
          const locked = await lockState(tx);
          const next = nextState(locked, await findReports(tx));
          if (!isSame(locked, next)) await changeState(tx, next);
          return { installation: locked.installation, ...next } satisfies StoredState;
        },
        { timeout: TIMEOUT },
      ),
    leave: () => database.write((sql) => leave(sql, id), { timeout: TIMEOUT }),
    follow: (onChange) => listen(database, LIMITS_CHANNEL, onChange, onChange, { onError }),
  };
}

function isSame(one: LimitsState, other: LimitsState): boolean {
  return one.epoch === other.epoch && one.phase === other.phase && one.nodes === other.nodes;
}
