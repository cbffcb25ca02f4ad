// SQL of the queue of events: each record of a source once, however many events came about it.

import type { Sql, Transaction } from '../postgres/client/database.ts';

/** A record whose events wait to be worked off. */
export interface QueuedRecord {
  readonly resource: string;
  readonly key: string;
  /** Grows with each event. */
  readonly revision: number;
  /** Reads that failed. */
  readonly attempts: number;
  /** When the first of the events came, in milliseconds since the epoch. */
  readonly receivedAt: number;
}

/** Queues records of a source, each once; false where more than `max` of it would wait, and then none is queued. */
export async function enqueue(
  tx: Transaction,
  source: string,
  records: readonly { readonly resource: string; readonly key: string }[],
  { max, now }: { readonly max: number; readonly now: Date },
): Promise<boolean> {
  if (records.length === 0) return true;
  const [{ waiting } = { waiting: 0 }] = await tx<{ waiting: number }[]>`
    select count(*)::int as waiting from (select from entity_event where source = ${source} limit ${max}) as queued`;
  if (waiting + records.length > max) return false;
  // A record whose reads fail is read again when it was due: an event does not mend its source.
  await tx`
    insert into entity_event as queued (source, resource, record_key, received_at, due_at)
    select distinct on (resource, key collate "C") ${source}::text, resource, key, ${now}::timestamptz, ${now}::timestamptz
    from json_to_recordset(${JSON.stringify(records)}::text::json) as record (resource text, key text)
    order by resource, key collate "C"
    on conflict (source, resource, record_key) do update set revision = queued.revision + 1, attempts = 0`;
  return true;
}

/** How many records of a source wait, how many are due, and when the first event of them came (milliseconds; null: none waits). */
export async function countQueued(
  sql: Sql,
  source: string,
  now: Date,
): Promise<{ readonly waiting: number; readonly due: number; readonly oldest: number | null }> {
  const [row] = await sql<{ waiting: number; due: number; oldest: number | null }[]>`
    select count(*)::int as waiting, (count(*) filter (where due_at <= ${now}))::int as due,
      extract(epoch from min(received_at))::float8 * 1000 as oldest
    from entity_event where source = ${source}`;
  return row ?? { waiting: 0, due: 0, oldest: null };
}

/** The records of a source that are due, those that wait longest first. */
export async function findDue(sql: Sql, source: string, now: Date, limit: number): Promise<QueuedRecord[]> {
  return await sql<QueuedRecord[]>`
    select resource, record_key as key, revision::float8 as revision, attempts,
      extract(epoch from received_at)::float8 * 1000 as "receivedAt"
    from entity_event where source = ${source} and due_at <= ${now} order by due_at, record_key limit ${limit}`;
}

/** Deletes a record that is worked off, unless another event came meanwhile. */
export async function deleteQueued(tx: Transaction, source: string, record: QueuedRecord): Promise<void> {
  const { resource, key, revision } = record;
  await tx`
    delete from entity_event
    where source = ${source} and resource = ${resource} and record_key = ${key} and revision = ${revision}`;
}

/** Notes that a record could not be read, and when it is tried again. */
export async function postpone(
  tx: Transaction,
  source: string,
  { resource, key, revision }: QueuedRecord,
  dueAt: Date,
): Promise<void> {
  await tx`
    update entity_event set due_at = ${dueAt}, attempts = case when revision = ${revision} then attempts + 1 else 0 end
    where source = ${source} and resource = ${resource} and record_key = ${key}`;
}
