// What watchers must be told, by a plain loop over the log of changes; and a reader of the events as they become readable.

import { type ChangeEntry, isListingChange, type ListingChange } from '../../../src/changes/change.ts';
import { readChanges } from '../../../src/changes/change-store.ts';
import type { ChangeState } from '../../../src/listings/change-state.ts';
import type { SearchRow } from '../../../src/listings/search-row.ts';
import { HIDDEN_STATUSES } from '../../../src/listings/vocabulary.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { compilePredicate } from '../../../src/search/query/predicate.ts';
import { decideEvents, viewOf } from '../../../src/watch/matching/decide-events.ts';
import type { WatcherDefinition } from '../../../src/watch/matching/watcher-definition.ts';
import { until } from '../check/until.ts';

/** An event by its position in the log. */
export type EventKey = string;

const keyOf = (sequence: number, watcherId: string, type: string): EventKey =>
  `${String(sequence).padStart(12, '0')} ${watcherId} ${type}`;

async function readLog(database: Database): Promise<ChangeEntry<ChangeState>[]> {
  const entries: ChangeEntry<ChangeState>[] = [];
  for (;;) {
    const after = entries.at(-1)?.sequence ?? 0;
    const page = await database.read((sql) => readChanges<ChangeState>(sql, after, 1_000));
    if (page.length === 0) return entries;
    entries.push(...page);
  }
}

/** The events that the log must have become, without those about watchers themselves. */
export async function expectedEvents(database: Database): Promise<Set<EventKey>> {
  const watchers = new Map<string, { definition: WatcherDefinition; matches: (row: SearchRow) => boolean }>();
  const expected = new Set<EventKey>();
  for (const entry of await readLog(database)) {
    if (entry.kind === 'watcher') {
      const definition = entry.data as WatcherDefinition;
      if (definition.status !== 'active' || entry.action === 'deleted') watchers.delete(entry.watcherId);
      else watchers.set(entry.watcherId, { definition, matches: matcherOf(definition) });
      continue;
    }
    if (!isListingChange(entry) || entry.quiet) continue;
    for (const { definition, matches } of watchers.values())
      for (const type of typesOf(entry, definition, matches))
        expected.add(keyOf(entry.sequence, definition.id, type));
  }
  return expected;
}

function matcherOf({ target }: WatcherDefinition): (row: SearchRow) => boolean {
  if (target.type === 'search') return compilePredicate(target.search);
  const isTarget = (row: SearchRow) => target.type === 'listing' && row.id === target.listingId;
  return (row) => isTarget(row) && row.displayed && !HIDDEN_STATUSES.includes(row.status);
}

function typesOf(
  change: ListingChange<ChangeState>,
  { target, events }: WatcherDefinition,
  matches: (row: SearchRow) => boolean,
): string[] {
  const { row } = change.after;
  const before = change.before === null ? null : { ...row, ...change.before.row };
  const sides = (matches(row) ? 2 : 0) + (before !== null && matches(before) ? 1 : 0);
  if (sides === 0) return [];
  return decideEvents({ target: target.type, events }, change, sides, viewOf(change, false));
}

export async function writtenEvents(database: Database): Promise<Set<EventKey>> {
  const rows = await database.read(
    (sql) => sql<{ sequence: number; watcherId: string; type: string }[]>`
      select sequence, watcher_id as "watcherId", type from watch_event where type not like 'watcher.%'`,
  );
  return new Set(rows.map(({ sequence, watcherId, type }) => keyOf(sequence, watcherId, type)));
}

/** Whether all changes that are committed have become events. */
export async function isMatched(database: Database): Promise<boolean> {
  const [row] = await database.read(
    (sql) => sql<{ done: boolean }[]>`
      select position >= (select max(first_sequence + changes - 1) from change_batch) as done from watch_position`,
  );
  return row?.done === true;
}

/** Waits until all changes that are committed now have become events. */
export const untilMatched = (database: Database): Promise<void> =>
  until('all changes are matched', () => isMatched(database));

/** Reads events as a client does: what is after the last one it has seen, up to the position of the matching. */
export class EventReader {
  readonly seen: EventKey[] = [];
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async read(): Promise<void> {
    const last = this.seen.at(-1) ?? '';
    const rows = await this.#database.read(
      (sql) => sql<{ sequence: number; watcherId: string; type: string }[]>`
        select sequence, watcher_id as "watcherId", type from watch_event
        where sequence <= (select position from watch_position) and type not like 'watcher.%'
          and (lpad(sequence::text, 12, '0') || ' ' || watcher_id || ' ' || type) collate "C" > ${last}
        order by sequence, watcher_id, type`,
    );
    for (const { sequence, watcherId, type } of rows) this.seen.push(keyOf(sequence, watcherId, type));
  }
}
