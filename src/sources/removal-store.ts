// SQL of the sources that are stored, and of their removals.

import type { Sql, Transaction } from '../postgres/client/database.ts';
import type { SetBy, SourceKind } from './registry/registry-store.ts';

/** A source with what is stored of it. */
export interface StoredSource {
  readonly id: string;
  readonly listings: number;
  readonly active: number;
  readonly areas: number;
  /** How it is set up; null: it is not. */
  readonly kind: SourceKind | null;
  readonly setBy: SetBy | null;
  readonly enabled: boolean | null;
  /** Whether the service reads it, or has read it, by itself. */
  readonly isReplicated: boolean;
  /** When its first load or first import was complete, RFC 3339. */
  readonly loadedAt: string | null;
  /** When it last sent data, RFC 3339. */
  readonly asOf: string | null;
  /** Listings that a removal under way, or interrupted, has removed so far. */
  readonly removed: number | null;
}

/** The sources that anything is stored of, by their ids. */
export function findSources(sql: Sql): Promise<StoredSource[]> {
  return sql<StoredSource[]>`
    with counted as (
      select provider_id as source, count(*)::int as listings, (count(*) filter (where status = 'ACTIVE'))::int as active
      from listing_search group by provider_id),
    placed as (select source, count(*)::int as areas from area group by source),
    imported as (select source, max(loaded_at) as loaded_at from import_run group by source),
    known as (
      select source from counted union select source from placed union select source from imported
      union select source from source_position union select source from source_freshness
      union select source from source_removal union select id from source)
    select known.source as id, registered.kind, registered.set_by as "setBy", registered.enabled, coalesce(listings, 0) as listings, coalesce(active, 0) as active, coalesce(areas, 0) as areas,
      position.source is not null as "isReplicated", coalesce(position.loaded_at, imported.loaded_at) as "loadedAt",
      as_of as "asOf", removal.removed
    from known left join source as registered on registered.id = known.source left join counted using (source) left join placed using (source) left join imported using (source)
      left join source_position as position using (source) left join source_freshness using (source)
      left join (select source, removed from source_removal) as removal using (source)
    order by known.source collate "C"`;
}

/** Whether there are listings of a source, or it was read before. */
export async function isStored(sql: Sql, source: string): Promise<boolean> {
  const [row] = await sql<{ stored: boolean }[]>`
    select exists (select from listing where source = ${source})
      or exists (select from source_position where source = ${source}) as stored`;
  return row?.stored ?? false;
}

/** Whether a source other than this one is whole: its first load is complete, or an import of its listings. */
export async function isAnotherLoaded(sql: Sql, source: string): Promise<boolean> {
  const [row] = await sql<{ loaded: boolean }[]>`
    select exists (select from source_position where source <> ${source} and loaded_at is not null)
      or exists (select from import_run where source <> ${source} and kind = 'listings' and loaded_at is not null) as loaded`;
  return row?.loaded ?? false;
}

/** Lines of history of the listings of a source. */
export async function countHistory(sql: Sql, source: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from listing_event where listing_id in (select id from listing where source = ${source})`;
  return row?.count ?? 0;
}

/** A removal that is under way or was interrupted. */
export interface SourceRemoval {
  readonly source: string;
  /** When it began. */
  readonly listings: number;
  readonly areas: number;
  readonly removed: number;
}

export function findRemovals(sql: Sql): Promise<SourceRemoval[]> {
  return sql<SourceRemoval[]>`select source, listings, areas, removed from source_removal order by source`;
}

/** Sources that are not set up any more since longer than their terms let anything be kept of them. */
export async function findForgotten(sql: Sql, now: Date): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select source.id from source join source_terms as known on known.source = source.id
    where not enabled and source.updated_at + (terms ->> 'forgetAfter')::float8 * interval '1 second' <= ${now}
    order by 1`;
  return rows.map(({ id }) => id);
}

/** Begins a removal, or finds the one that was interrupted. */
export async function beginRemoval(tx: Transaction, source: string, at: Date): Promise<SourceRemoval> {
  await tx`
    insert into source_removal (source, listings, areas, started_at)
    select ${source}, (select count(*) from listing where source = ${source}),
      (select count(*) from area where source = ${source}), ${at}
    on conflict do nothing`;
  const [removal] = await tx<SourceRemoval[]>`
    select source, listings, areas, removed from source_removal where source = ${source}`;
  if (removal === undefined) throw new Error(`The removal of ${source} has ended meanwhile`);
  return removal;
}

/** Locks a removal until the transaction ends; false where it has ended. */
export async function lockRemoval(tx: Transaction, source: string): Promise<boolean> {
  const [row] = await tx`select from source_removal where source = ${source} for update`;
  return row !== undefined;
}

/** Counts removed listings of a removal that is locked. */
export async function advanceRemoval(tx: Transaction, source: string, removed: number): Promise<void> {
  await tx`update source_removal set removed = removed + ${removed} where source = ${source}`;
}

/** Deletes what is left of a source, and its removal. */
export async function finishRemoval(tx: Transaction, source: string): Promise<void> {
  await tx`delete from source_position where source = ${source}`;
  await tx`delete from source_freshness where source = ${source}`;
  await tx`delete from import_run where source = ${source}`;
  await tx`delete from import_schedule where source = ${source}`;
  await tx`delete from rounded_listing where source = ${source}`;
  await tx`delete from raw_record where source = ${source}`;
  await tx`delete from source_remap where source = ${source}`;
  await tx`delete from source_lookup where source = ${source}`;
  await tx`delete from source_lookup_reading where source = ${source}`;
  await tx`delete from source_report where source = ${source}`;
  await tx`delete from source_control where source = ${source}`;
  await tx`delete from source_reconciliation where source = ${source}`;
  await tx`delete from source_removal where source = ${source}`;
}

/** Ends an interrupted removal of a source that is read again: it is loaded from its beginning. */
export async function cancelRemoval(tx: Transaction, source: string): Promise<boolean> {
  const { count } = await tx`delete from source_removal where source = ${source}`;
  if (count > 0) await tx`delete from source_position where source = ${source}`;
  return count > 0;
}
