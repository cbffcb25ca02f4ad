// Watchers of the mix as rows of the database: as the service stores them, long ago.

import type { Database } from '../../src/postgres/client/database.ts';
import type { WatcherDefinition } from '../../src/watch/matching/watcher-definition.ts';

const BATCH = 5_000;
/** Watchers of one owner, as the plan Pro allows. */
const WATCHERS_OF_OWNER = 25;
/** Events an hour of the plan Pro. */
export const EVENTS_PER_HOUR = 1_000;

/** The owner of a watcher of the mix. */
export const ownerOf = (no: number): string => `cus:owner${Math.floor(no / WATCHERS_OF_OWNER)}`;

/**
 * Inserts watchers without the entries of the log that tell of their creation, as it is after 30 days. `no` is theirs to
 * keep.
 */
export async function insertWatchers(
  database: Database,
  watchers: readonly WatcherDefinition[],
): Promise<void> {
  for (let first = 0; first < watchers.length; first += BATCH) {
    const rows = watchers.slice(first, first + BATCH).map(rowOf);
    await database.write(
      (sql) => sql`
        insert into watcher (no, id, owner, allowance, subscription, target_type, target, search, interpretation, events,
          cadence, events_per_hour, ignore_display_rules, backfill, status, metadata, initial_match_count, version,
          created_at, updated_at)
        overriding system value
        select no, id, owner, owner, 'bench', "targetType", target, search, null, array(select json_array_elements_text(events)),
          'instant', "eventsPerHour", false, false, 'active', '{}', 0, 1, now(), now()
        from json_to_recordset(${JSON.stringify(rows)}::text::json) as batch (no bigint, id text, owner text,
          "targetType" text, target json, search json, events json, "eventsPerHour" int)`,
      { timeout: 0 },
    );
  }
  await database.write((sql) => sql`analyze watcher`);
}

function rowOf({ no, id, owner, target, events, eventsPerHour }: WatcherDefinition) {
  const common = { no, id, owner, targetType: target.type, events, eventsPerHour };
  if (target.type !== 'search') return { ...common, target, search: null };
  const written = { type: 'search', listingType: 'sale', query: {} };
  return { ...common, target: written, search: target.search };
}

/** Sets how many events an hour the plan allows each owner; null: any number. */
export async function setEventsPerHour(database: Database, limit: number | null): Promise<void> {
  await database.write((sql) => sql`update watcher set events_per_hour = ${limit}`, { timeout: 0 });
}

/** Uses up what the plans allow in this hour and the next. */
export async function exhaustHours(database: Database): Promise<void> {
  await database.write(
    (sql) => sql`
      insert into watch_hour (owner, hour, events)
      select distinct owner, date_trunc('hour', now(), 'UTC') + ahead * interval '1 hour', ${EVENTS_PER_HOUR}::int
      from watcher, generate_series(0, 1) as ahead
      on conflict (owner, hour) do update set events = excluded.events`,
    { timeout: 0 },
  );
}
