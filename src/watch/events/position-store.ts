// SQL of the position: how far the log of changes has become events. Readers see events up to it.

import type { Sql, SqlFragment, Transaction } from '../../postgres/client/database.ts';
import type { EventPosition } from './event.ts';

/** Name of the lease under which one process moves the position. */
export const MATCHING_LEASE = 'matching of watchers';

/** Sequence of the last change that has become events. */
export async function findPosition(sql: Sql): Promise<number> {
  const [row] = await sql<{ position: number }[]>`select position from watch_position`;
  return row?.position ?? 0;
}

/** What was matched follows from another position than that of the database: it must be matched again. */
export class PositionMoved extends Error {
  override readonly name = 'PositionMoved';
}

/**
 * Moves the position, in the transaction that writes the events of these changes. False if it is there already. Throws
 * PositionMoved if it is anywhere else.
 */
export async function movePosition(tx: Transaction, from: number, to: number): Promise<boolean> {
  const { count } = await tx`update watch_position set position = ${to} where position = ${from}`;
  if (count === 1) return true;
  const position = await findPosition(tx);
  if (position === to) return false;
  throw new PositionMoved(
    `Events of the changes after ${from} were matched, but the position is ${position}`,
  );
}

/**
 * Whether a position lies among events that the database had which this one was restored from, and that it has not itself. The
 * position after everything in the backup is none of them.
 */
export function isLostAfter(sql: Sql, position: EventPosition | null): SqlFragment {
  if (position === null) return sql`false`;
  const { sequence, watcherId } = position;
  return sql`exists (select from change_gap
    where (${sequence}::bigint, ${watcherId}::text) > (change_gap.after + 1, '') and ${sequence}::bigint <= through)`;
}
