// SQL of definitions: watchers as of a position in the log of changes.

import type { Database, Sql } from '../../postgres/client/database.ts';
import type { SavedSearch } from '../../search/query/saved-search.ts';
import { type DefinitionRow, definitionOf, type WatcherDefinition } from './watcher-definition.ts';

const PAGE = 1_000;

/** The active watchers as they are now, in pages. */
export async function* loadDefinitions(database: Database): AsyncGenerator<readonly WatcherDefinition[]> {
  const readAfter = (no: number) =>
    database.read(
      (sql) => sql<DefinitionRow[]>`
        select ${definitionColumns(sql)} from watcher
        where status = 'active' and no > ${no} order by no limit ${PAGE}`,
      { timeout: 60_000 },
    );
  let next: Promise<readonly DefinitionRow[]> | null = readAfter(0);
  while (next !== null) {
    const rows: readonly DefinitionRow[] = await next;
    // PostgreSQL reads the next page while this one is indexed.
    next = rows.length < PAGE ? null : readAfter(rows.at(-1)?.no ?? 0);
    // Its error is thrown where it is awaited.
    next?.catch(() => {});
    yield rows.map(definitionOf);
  }
}

/** The columns of the table `watcher` that make a DefinitionRow. */
export const definitionColumns = (
  sql: Sql,
) => sql`no, id, owner, status, status_reason as "statusReason", events, target, search,
  cadence, events_per_hour as "eventsPerHour", backfill, ignore_display_rules as "ignoreDisplayRules"`;

export async function isAnyWatcher(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (select from watcher where status = 'active') as found`;
  return row?.found ?? false;
}

/** The searches of these watchers as they are now; those of deleted ones are missing. */
export async function findSearches(sql: Sql, nos: readonly number[]): Promise<Map<number, SavedSearch>> {
  const rows = await sql<{ no: number; search: SavedSearch }[]>`
    select no, search from watcher where no = any(${[...nos]}::bigint[]) and search is not null`;
  return new Map(rows.map(({ no, search }) => [no, search]));
}

/** A private entry about a watcher. */
export interface WatcherEntry {
  readonly sequence: number;
  readonly watcherId: string;
  readonly action: string;
  readonly data: WatcherDefinition;
}

const entriesSql = (sql: Sql) => sql`
  select first_sequence + ordinal as sequence, watcher_id as "watcherId", action, after as data
  from change join change_batch as batch on batch_id = batch.id
  where kind = 'watcher' and watcher_id is not null and first_sequence is not null`;

/** The private entries after a sequence, in order and in pages. */
export async function* loadEntriesAfter(
  database: Database,
  after: number,
): AsyncGenerator<readonly WatcherEntry[]> {
  for (let last = after; ; ) {
    const rows = await database.read(
      (sql) => sql<WatcherEntry[]>`${entriesSql(sql)} and first_sequence + ordinal > ${last}
        and first_sequence >= coalesce((select max(first_sequence) from change_batch where first_sequence <= ${last}), 0)
        order by sequence limit ${PAGE}`,
      { timeout: 60_000 },
    );
    yield rows;
    if (rows.length < PAGE) return;
    last = rows.at(-1)?.sequence ?? last;
  }
}

/** The last private entry of a watcher at a sequence or before; null: none is in the log. */
export async function findEntryBefore(
  sql: Sql,
  watcherId: string,
  sequence: number,
): Promise<WatcherEntry | null> {
  const [row] = await sql<WatcherEntry[]>`${entriesSql(sql)} and watcher_id = ${watcherId}
    and first_sequence + ordinal <= ${sequence} order by sequence desc limit 1`;
  return row ?? null;
}
