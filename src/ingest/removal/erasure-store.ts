// SQL of listings that were lost: the source's own record goes at once, and what the log of changes keeps of them later.

import type { Sql, Transaction } from '../../postgres/client/database.ts';

/**
 * Deletes the records of these listings as their source sent them, and notes that the log has to be erased. The transaction has
 * locked the listings.
 */
export async function noteLost(tx: Transaction, ids: readonly string[], at: Date): Promise<void> {
  if (ids.length === 0) return;
  const lost = [...ids].sort();
  await Promise.all([
    tx`delete from listing_reso where listing_id = any(${lost}::text[])`,
    tx`
      insert into listing_erasure (listing_id, lost_at) select id, ${at} from unnest(${lost}::text[]) as id
      on conflict (listing_id) do update set lost_at = excluded.lost_at`,
  ]);
}

/** When the first of the listings was lost that are to be erased, RFC 3339; null: there is none. */
export async function findFirstLost(sql: Sql): Promise<string | null> {
  const [row] = await sql<{ at: string | null }[]>`select min(lost_at) as at from listing_erasure`;
  return row?.at ?? null;
}

/** Which lost listings may be erased. */
export interface Erasable {
  /** Sequence up to which watchers have been matched with the log: they need the words of later changes. */
  readonly matchedThrough: number;
  /** Those that were lost by then, if they are matched. */
  readonly lostBy: Date;
  /** Those that were lost by then, in any case. */
  readonly overdueSince: Date;
}

/** The next listings that may be erased, those that are shown again included, in the order in which they were lost. */
export async function findErasable(
  sql: Sql,
  { matchedThrough, lostBy, overdueSince }: Erasable,
  limit: number,
): Promise<{ id: string; isShown: boolean }[]> {
  return sql<{ id: string; isShown: boolean }[]>`
    select erasure.listing_id as id, coalesce(listing.status <> 'DELETED', false) as "isShown"
    from listing_erasure as erasure
      left join listing on listing.id = erasure.listing_id
      left join change_batch as batch on batch.id = listing.change_batch_id
    where lost_at <= ${lostBy}
      and (lost_at <= ${overdueSince} or coalesce(first_sequence + change_ordinal, 0) <= ${matchedThrough})
    order by lost_at, erasure.listing_id limit ${limit}`;
}

/** Days as dates; null: without an end on this side. */
export interface DayRange {
  readonly from: string | null;
  /** Not included. */
  readonly to: string | null;
}

/** Erases words, people and open houses of listings from the changes of some days. There is no index: all changes of these days are read. */
export async function eraseChanges(
  tx: Transaction,
  ids: readonly string[],
  { from, to }: DayRange,
): Promise<void> {
  await tx`
    update change set words_before = null, after = ${erasedState(tx, 'after')}, before = ${erasedState(tx, 'before')}
    where listing_id = any(${[...ids]}::text[])
      and day >= coalesce(${from}::date, '-infinity') and day < coalesce(${to}::date, 'infinity')`;
}

/** A state of the log, or what differed in one, without people and open houses; other members keep their order. */
function erasedState(sql: Sql, column: 'after' | 'before') {
  return sql`(
    select json_object_agg(part, case
      when json_typeof(part_value) <> 'object' then part_value
      when part = 'row' then (
        select json_object_agg(name, case when name in ('agent_id', 'office_id', 'open_houses') then 'null' else value end)
        from json_each(part_value) as member (name, value))
      when part = 'listing' then (
        select json_object_agg(name, case when name = 'openHouses' then '[]' else value end)
        from json_each(part_value) as member (name, value))
      else part_value end)
    from json_each(${sql(column)}) as state (part, part_value))`;
}

/** Forgets listings of which nothing is left to erase, unless they were lost again since. */
export async function forgetErased(tx: Transaction, ids: readonly string[], lostBy: Date): Promise<void> {
  await tx`
    delete from listing_erasure where listing_id in (
      select listing_id from listing_erasure where listing_id = any(${[...ids]}::text[]) and lost_at <= ${lostBy}
      order by listing_id for update)`;
}
