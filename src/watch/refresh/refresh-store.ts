// SQL of refreshes: which watched listings are due, and which were attempted when.

import type { Sql, Transaction } from '../../postgres/client/database.ts';

/** What a round may take. */
export interface RefreshRequest {
  /** Id of the source. */
  readonly source: string;
  /** Milliseconds between two refreshes, by plan; plans without refreshes are left out. */
  readonly intervals: Readonly<Record<string, number>>;
  /** Milliseconds. */
  readonly now: number;
  /** Attempts for listings of the source in any minute, over all processes. */
  readonly perMinute: number;
  /** Attempts in this round. */
  readonly max: number;
}

/** A listing to refresh. */
export interface DueListing {
  readonly id: string;
  /** Milliseconds between two refreshes: the shortest of its watchers. */
  readonly interval: number;
  /** Attempts that have failed since the last success. */
  readonly failures: number;
}

/** Milliseconds: the window of the budget, and the pause after a first failure. */
export const MINUTE_OF_BUDGET = 60_000;

/** Advisory lock of whoever claims listings: two processes would both see the same room in the budget. */
const LOCK = 7_310_519;

/**
 * Claims listings that are due: those with the most watchers and the oldest data first, within the budget. They count as
 * attempted from now on, and no other process claims them within a minute.
 */
export async function claimListings(tx: Transaction, request: RefreshRequest): Promise<DueListing[]> {
  const { source, intervals, now, perMinute, max } = request;
  await tx`select pg_advisory_xact_lock(${LOCK})`;
  const [{ attempts } = { attempts: 0 }] = await tx<{ attempts: number }[]>`
    select count(*)::int as attempts from watch_refresh
    where attempted_at > ${new Date(now - MINUTE_OF_BUDGET)}
      and exists (select from listing where id = listing_id and source = ${source})`;
  const room = Math.min(max, perMinute - attempts);
  if (room <= 0) return [];
  const listings = await findDue(tx, { source, intervals, now, max: room });
  await tx`
    insert into watch_refresh as known (listing_id, attempted_at, next_at)
    select id, ${new Date(now)}, ${new Date(now + MINUTE_OF_BUDGET)}
    from unnest(${listings.map(({ id }) => id)}::text[]) as id
    on conflict (listing_id) do update set attempted_at = excluded.attempted_at, next_at = excluded.next_at`;
  return listings;
}

/** A listing counts once for each watcher of it or of its property, if the plan of the watcher's owner has refreshes. */
function findDue(
  sql: Sql,
  { source, intervals, now, max }: Omit<RefreshRequest, 'perMinute'>,
): Promise<DueListing[]> {
  const at = sql`${new Date(now)}::timestamptz`;
  return sql<DueListing[]>`
    with plan as (
      select * from unnest(${Object.keys(intervals)}::text[], ${Object.values(intervals)}::float8[]) as plan (name, interval)),
    watched as (
      select target, interval from watcher join watcher_owner using (owner) join plan on plan.name = watcher_owner.plan
      where status = 'active' and target_type in ('listing', 'property')),
    named as (
      select target ->> 'listingId' as id, interval from watched where target ->> 'listingId' is not null
      union all
      select id, interval from watched join listing on property_id = target ->> 'propertyId'),
    counted as (select id, count(*) as watchers, min(interval) as interval from named group by id),
    aged as (
      select id, watchers, interval, coalesce(failures, 0) as failures, extract(epoch from ${at} -
        greatest(fetched_at, (select confirmed_at from listing_confirmation where listing_id = id))) as age
      from counted join listing using (id) left join watch_refresh as attempt on attempt.listing_id = id
      where source = ${source} and status not in ('DELETED', 'CLOSED') and coalesce(next_at, '-infinity') <= ${at})
    select id, interval, failures from aged where age * 1000 >= interval
    order by watchers * age desc, id limit ${max}`;
}

/** Records failures; a listing is due again at `nextAt`, in milliseconds. */
export async function updateFailed(sql: Sql, { id, failures }: DueListing, nextAt: number): Promise<void> {
  await sql`
    update watch_refresh set failures = ${failures + 1}, next_at = ${new Date(nextAt)} where listing_id = ${id}`;
}

export async function updateRefreshed(sql: Sql, { id }: DueListing): Promise<void> {
  await sql`update watch_refresh set failures = 0 where listing_id = ${id} and failures > 0`;
}

/** Deletes up to `max` attempts from before a time in milliseconds. */
export async function deleteOldAttempts(sql: Sql, before: number, max: number): Promise<void> {
  await sql`
    delete from watch_refresh where listing_id in (
      select listing_id from watch_refresh where attempted_at < ${new Date(before)} and next_at < ${new Date(before)}
      order by attempted_at limit ${max} for update skip locked)`;
}
