// SQL of remaps: how far all records that are kept of a source were mapped again.

import type { Sql, Transaction } from '../../postgres/client/database.ts';

/** A mapping of all kept records, under way or ended. */
export interface Remap {
  /** The key up to which they are mapped; empty: none is. */
  readonly afterKey: string;
  readonly mapped: number;
  /** Listings that became others. */
  readonly changed: number;
  readonly total: number;
  /** The way in which they are read; null: it has not started. */
  readonly reading: string | null;
  /** RFC 3339, as the others. */
  readonly requestedAt: string;
  readonly beganAt: string | null;
  /** Null: it is under way, or waits. */
  readonly finishedAt: string | null;
}

/** The last remap of a source; null: there was none. */
export async function findRemap(sql: Sql, source: string): Promise<Remap | null> {
  const [row] = await sql<Remap[]>`
    select after_key as "afterKey", mapped, changed, total, reading, requested_at as "requestedAt", began_at as "beganAt",
      finished_at as "finishedAt"
    from source_remap where source = ${source}`;
  return row ?? null;
}

/** Requests a remap; one that is under way goes on. */
export async function requestRemap(sql: Sql, source: string, at: Date): Promise<void> {
  await sql`
    insert into source_remap as known (source, total, requested_at)
    select ${source}, count(*), ${at} from raw_record where source = ${source} and resource = 'Property'
    on conflict (source) do update set after_key = '', mapped = 0, changed = 0, total = excluded.total, reading = null,
      requested_at = excluded.requested_at, began_at = null, finished_at = null
    where known.finished_at is not null`;
}

/** Begins it, from the first record. */
export async function beginRemap(tx: Transaction, source: string, reading: string, at: Date): Promise<void> {
  await tx`
    update source_remap set after_key = '', mapped = 0, changed = 0, reading = ${reading}, began_at = ${at}
    where source = ${source}`;
}

/** Writes how far it is. */
export async function advanceRemap(
  tx: Transaction,
  source: string,
  { afterKey, mapped, changed, finishedAt }: Pick<Remap, 'afterKey' | 'mapped' | 'changed' | 'finishedAt'>,
): Promise<void> {
  await tx`
    update source_remap set after_key = ${afterKey}, mapped = ${mapped}, changed = ${changed},
      total = greatest(total, ${mapped}), finished_at = ${finishedAt}
    where source = ${source}`;
}
