// SQL of how each process on one database counts limits, for those who look from outside.

import type { Sql } from '../../../postgres/client/database.ts';
import { findState } from './phase-store.ts';
import { FORGOTTEN_AFTER, type LimitsMode, modeOf, ruleOf, type SeenReport } from './phases.ts';

interface NodeReport extends SeenReport {
  readonly name: string;
  /** Milliseconds since the process started. */
  readonly age: number;
}

/**
 * Mode of each process that counts with others, by its name in the table node; the others are missing. From when on a process may
 * divide only itself knows: one that is younger than the wait of those that start during a loss counts as waiting during a loss.
 */
export async function findLimitsModes(sql: Sql): Promise<ReadonlyMap<string, LimitsMode>> {
  const state = await findState(sql);
  if (state === undefined) return new Map();
  // A container gives the same name to each run; what was seen before this run began is of another one.
  const reports = await sql<NodeReport[]>`
    select distinct on (node.name) node.name, limits_node.epoch::float8 as epoch, limits_node.step, limits_node.is_lost as "isLost",
      extract(epoch from clock_timestamp() - limits_node.seen_at)::float8 * 1000 as "unseenMs",
      extract(epoch from clock_timestamp() - node.started_at)::float8 * 1000 as age
    from node join limits_node on split_part(limits_node.id, ' ', 1) = node.name and limits_node.seen_at >= node.started_at
    order by node.name, limits_node.seen_at desc`;
  return new Map(
    reports.map(({ name, epoch, step, isLost, unseenMs, age }) => {
      const mayDivide = state.phase === 'shared' || age >= FORGOTTEN_AFTER;
      return [name, modeOf(ruleOf({ state, epoch, step, isLost, silentMs: unseenMs, mayDivide }))];
    }),
  );
}
