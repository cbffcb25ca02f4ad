// SQL of how processes count limits together.

import type { Sql, Transaction } from '../../../postgres/client/database.ts';
import { notify } from '../../../postgres/client/listen.ts';
import type { LimitsReport, LimitsState, SeenReport } from './phases.ts';

/** Notified when the state has changed. */
export const LIMITS_CHANNEL = 'limits_state';

export interface StoredState extends LimitsState {
  /** Begins all keys of this installation. */
  readonly installation: string;
}

/** The state, which no other process changes until the transaction ends. */
export async function lockState(tx: Transaction): Promise<StoredState> {
  const [state] = await tx<StoredState[]>`
    select installation, epoch::float8 as epoch, phase, nodes from limits_state for update`;
  if (state === undefined) throw new Error('The table limits_state has lost its row');
  return state;
}

export async function findState(sql: Sql): Promise<StoredState | undefined> {
  const [state] = await sql<StoredState[]>`
    select installation, epoch::float8 as epoch, phase, nodes from limits_state`;
  return state;
}

export async function changeState(tx: Transaction, { epoch, phase, nodes }: LimitsState): Promise<void> {
  await tx`update limits_state set epoch = ${epoch}, phase = ${phase}, nodes = ${nodes}, changed_at = clock_timestamp()`;
  await notify(tx, LIMITS_CHANNEL, String(epoch));
}

/** Makes a copy of a database count apart from its original, whose server it may share. */
export async function countApart(tx: Transaction): Promise<void> {
  await tx`
    update limits_state set installation = substr(md5(gen_random_uuid()::text), 1, 12), epoch = epoch + 1, phase = 'divided', nodes = 1`;
  await tx`delete from limits_node`;
}

/** Writes the report of a process, which is a sign of its life. */
export async function writeReport(
  tx: Transaction,
  id: string,
  { epoch, step, isLost }: LimitsReport,
): Promise<void> {
  await tx`
    insert into limits_node (id, epoch, step, is_lost, seen_at)
    values (${id}, ${epoch}, ${step}, ${isLost}, clock_timestamp())
    on conflict (id) do update
      set epoch = excluded.epoch, step = excluded.step, is_lost = excluded.is_lost, seen_at = excluded.seen_at`;
}

/** The reports of all processes, those that are gone too. */
export async function findReports(tx: Transaction): Promise<SeenReport[]> {
  return tx<SeenReport[]>`
    select epoch::float8 as epoch, step, is_lost as "isLost",
      extract(epoch from clock_timestamp() - seen_at)::float8 * 1000 as "unseenMs"
    from limits_node`;
}

/**
 * Removes a process that admits nothing more, and those that ended long ago. While the server does not have what it admitted it stays,
 * so that the others wait until that counts no more.
 */
export async function leave(sql: Sql, id: string): Promise<void> {
  await sql`
    delete from limits_node
    where (id = ${id} and exists (select from limits_state where phase = 'shared'))
      or seen_at < clock_timestamp() - interval '1 hour'`;
}
