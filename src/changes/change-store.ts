// SQL of the log of changes: appending within the writer's transaction, and reading in the order of commits.

import type { Sql, SqlFragment, Transaction } from '../postgres/client/database.ts';
import { toJson } from '../postgres/client/value-types.ts';
import type { ChangeEntry, ListingChange, LoadEntry, PartialState } from './change.ts';

/** Notified by the database when a transaction adds to the log. */
export const CHANGES_CHANNEL = 'changes';

/** ASCII's own record separator: JSON never holds it. Documents joined by it are neither parsed nor escaped on the way. */
const SEPARATOR = '\u001e';

/** A change to append; the database gives it its sequence. */
export type NewChange<State> = Pick<
  ListingChange<State>,
  'kind' | 'listingId' | 'propertyId' | 'changed' | 'after' | 'before' | 'loadedBy'
>;

/** The position of a batch of changes: the first has `ordinal`, the next one more. */
export interface BatchPosition {
  readonly batchId: number;
  readonly ordinal: number;
}

/** The states of a change as JSON. */
export interface ChangeDocuments {
  readonly after: string;
  readonly before: string;
}

export const changeDocuments = <State>({ after, before }: NewChange<State>): ChangeDocuments => ({
  after: toJson(after),
  before: toJson(before),
});

/**
 * Appends changes of listings, before the transaction writes listing_text: the words before are read from there. The
 * listings keep the position of their change.
 * @param at milliseconds
 * @param documents those of the changes, for callers with many, who make them in slices
 */
export async function appendChanges<State>(
  tx: Transaction,
  changes: readonly NewChange<State>[],
  at: number,
  quiet: boolean,
  documents: readonly ChangeDocuments[] = changes.map(changeDocuments),
): Promise<BatchPosition> {
  const time = new Date(at);
  const column = <T>(of: (change: NewChange<State>) => T): T[] => changes.map(of);
  const joined = (name: keyof ChangeDocuments) => documents.map((each) => each[name]).join(SEPARATOR);
  const [position] = await tx<BatchPosition[]>`
    with batch as materialized (select * from open_change_batch(${dayOf(time)}::date, ${changes.length})),
    appended as (
      insert into change (batch_id, ordinal, day, at, kind, listing_id, property_id, quiet, loaded_by, changed, after, before, words_before)
      select batch_id, batch.ordinal + row.ordinal - 1, day, ${time}, kind, row.listing_id, property_id, ${quiet}, loaded_by,
        string_to_array(changed, ' '), after::json, nullif(before, 'null')::json,
        case when 'words' = any(string_to_array(changed, ' ')) then (select text.words from listing_text as text where text.listing_id = row.listing_id) end
      from batch, unnest(${column(({ kind }) => kind)}::text[], ${column(({ listingId }) => listingId)}::text[],
        ${column(({ propertyId }) => propertyId)}::text[], ${column(({ changed }) => changed.join(' '))}::text[],
        ${column(({ loadedBy = null }) => loadedBy)}::bigint[], string_to_array(${joined('after')}, ${SEPARATOR}),
        string_to_array(${joined('before')}, ${SEPARATOR}))
        with ordinality as row (kind, listing_id, property_id, changed, loaded_by, after, before, ordinal))
    select batch_id as "batchId", ordinal from batch`;
  if (position === undefined) throw new Error('A batch of changes could not be opened');
  return position;
}

/**
 * Appends listings that a first load creates as one entry, which readers of the log take from the tables. The listings keep their
 * positions. Once a transaction. `at`: milliseconds.
 */
export async function appendLoad(tx: Transaction, listings: number, at: number): Promise<BatchPosition> {
  const [position] = await tx<BatchPosition[]>`
    select batch_id as "batchId", ordinal from open_load_batch(${dayOf(new Date(at))}::date, ${listings})`;
  if (position === undefined) throw new Error('A batch of listings could not be opened');
  return position;
}

/** A private entry to append. */
export interface NewPrivateEntry {
  readonly watcherId: string;
  readonly action: string;
  readonly data: unknown;
}

/** Appends private entries. */
export async function appendPrivateEntries(
  tx: Transaction,
  entries: readonly NewPrivateEntry[],
  at: number,
): Promise<void> {
  if (entries.length === 0) return;
  const time = new Date(at);
  await tx`
    with batch as materialized (select * from open_change_batch(${dayOf(time)}::date, ${entries.length}))
    insert into change (batch_id, ordinal, day, at, kind, watcher_id, action, quiet, changed, after)
    select batch_id, batch.ordinal + row.ordinal - 1, day, ${time}, 'watcher', watcher_id, action, false, '{}', data::json
    from batch, unnest(${entries.map(({ watcherId }) => watcherId)}::text[], ${entries.map(({ action }) => action)}::text[],
      string_to_array(${entries.map(({ data }) => toJson(data ?? null)).join(SEPARATOR)}, ${SEPARATOR}))
      with ordinality as row (watcher_id, action, data, ordinal)`;
}

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

interface ChangeRow<State> {
  readonly sequence: number;
  readonly at: string;
  readonly kind: ChangeEntry<State>['kind'];
  readonly listingId: string;
  readonly propertyId: string;
  readonly watcherId: string;
  readonly action: string;
  readonly quiet: boolean;
  readonly changed: string[];
  readonly after: State;
  readonly before: PartialState<State> | null;
  readonly wordsBefore: string[] | null;
  readonly loadedBy: number | null;
  readonly firstSequence: number;
  readonly batchId: number;
}

/**
 * The next entries after a sequence, oldest first. Complete: an entry that is missing here never appears later. One plan is the
 * best for all positions, and planning for so many partitions takes longer than reading: ask with `planned: 'once'`.
 */
export async function readChanges<State>(
  sql: Sql,
  after: number,
  limit: number,
): Promise<ChangeEntry<State>[]> {
  const rows = await findChanges<State>(sql, after, limit, sql`true`);
  return rows.map(entryOf);
}

/** The same without private entries. */
export async function readListingChanges<State>(
  sql: Sql,
  after: number,
  limit: number,
): Promise<(ListingChange<State> | LoadEntry)[]> {
  const rows = await findChanges<State>(sql, after, limit, sql`kind <> 'watcher'`);
  return rows.map(entryOf).filter((entry) => entry.kind !== 'watcher');
}

async function findChanges<State>(
  sql: Sql,
  after: number,
  limit: number,
  condition: SqlFragment,
): Promise<ChangeRow<State>[]> {
  // Batch by batch, and no further than the limit: left to itself, the planner joins all of the log and then sorts it.
  return sql<ChangeRow<State>[]>`
    select first_sequence + ordinal as sequence, at, kind, listing_id as "listingId", property_id as "propertyId",
      watcher_id as "watcherId", action, quiet, changed, after, before, tsvector_to_array(words_before) as "wordsBefore",
      loaded_by as "loadedBy", first_sequence + load_ordinal as "firstSequence", id as "batchId"
    from change_batch as batch
      cross join lateral (
        select ordinal, at, kind, listing_id, property_id, watcher_id, action, quiet, changed, after, before, words_before, loaded_by
        from change where batch_id = id and day = batch.day and ${condition}
        union all
        select load_ordinal + load_listings - 1, committed_at, 'load', null, null, null, null, true, '{}', null, null, null, null
        where load_ordinal is not null offset 0) as entry
    where first_sequence >= coalesce((select max(first_sequence) from change_batch where first_sequence <= ${after}), 0)
      and first_sequence + ordinal > ${after}
    order by first_sequence, ordinal limit ${limit}`;
}

function entryOf<State>(row: ChangeRow<State>): ChangeEntry<State> {
  const { sequence, kind, watcherId, action, after, firstSequence, batchId, loadedBy, ...rest } = row;
  const at = Date.parse(row.at);
  if (kind === 'load') return { sequence, firstSequence, at, kind, batchId };
  if (kind === 'watcher') return { sequence, at, kind, watcherId, action, data: after };
  const change = { ...rest, sequence, at, kind, after };
  return loadedBy === null ? change : { ...change, loadedBy };
}

/** The sequence of the newest change; 0: there was none. */
export const headSequence = async (sql: Sql): Promise<number> => (await headAndSnapshot(sql)).sequence;

/** The same with the snapshot that it was read in: all that the snapshot sees has this sequence or a smaller one. */
export async function headAndSnapshot(
  sql: Sql,
): Promise<{ readonly sequence: number; readonly snapshot: string }> {
  const [row] = await sql<{ sequence: number; snapshot: string }[]>`
    select coalesce((select first_sequence + changes - 1 from change_batch where first_sequence is not null
      order by first_sequence desc limit 1), 0) as sequence, pg_current_snapshot()::text as snapshot`;
  return row ?? { sequence: 0, snapshot: '' };
}

/** The first sequence from which on all changes are in the log. */
export async function retainedFrom(sql: Sql): Promise<number> {
  const [row] = await sql<{ sequence: number }[]>`select retained_from as sequence from change_log`;
  return row?.sequence ?? 1;
}

/** Whether a sequence was given, if at all, by the database that this one was restored from, after the backup. */
export async function isInGap(sql: Sql, sequence: number): Promise<boolean> {
  const [row] = await sql<{ isInGap: boolean }[]>`
    select exists (select from change_gap where ${sequence} > change_gap.after and ${sequence} <= through) as "isInGap"`;
  return row?.isInGap ?? false;
}

/**
 * Sequences that a restored log skips, so that it gives none which the original gave after the backup: at 10,000 changes a
 * second, more than a database of listings writes, that would be all changes of three years. Cursors have fifteen digits, which
 * leaves room for hundreds of restores.
 */
const SKIPPED = 1_000_000_000_000;

/** Continues the sequences of a restored log far behind its last change, and remembers which ones were skipped. */
export async function skipSequences(tx: Transaction): Promise<void> {
  await tx`
    with log as (
      select greatest(
        coalesce((select max(first_sequence + changes - 1) from change_batch), 0),
        (select retained_from - 1 from change_log), (select max(through) from change_gap)) as last,
        (select last_value from change_sequence) as given),
    gap as (
      insert into change_gap (after, through) select last, greatest(last, given) + ${SKIPPED}::bigint from log
      on conflict (after) do update set through = excluded.through
      returning through)
    select setval('change_sequence', through) from gap`;
}
