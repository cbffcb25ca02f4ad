// SQL of what operators request of the reading of a source: a pause, and a round at once.

import type { Sql } from '../postgres/client/database.ts';

export interface SourceControl {
  /** Since when nobody reads it, RFC 3339; null: it is read. */
  readonly pausedAt: string | null;
  /** How often a round was requested. */
  readonly syncRequests: number;
}

/** Of a source about which nobody has requested anything. */
export const UNCONTROLLED: SourceControl = { pausedAt: null, syncRequests: 0 };

/** What was requested, by the ids of the sources. */
export async function findControls(sql: Sql): Promise<ReadonlyMap<string, SourceControl>> {
  const rows = await sql<(SourceControl & { readonly source: string })[]>`
    select source, paused_at as "pausedAt", sync_requests::float8 as "syncRequests" from source_control`;
  return new Map(rows.map(({ source, ...control }) => [source, control]));
}

/** Ends the reading of a source until it is resumed; false where it was paused already. */
export async function pauseSource(sql: Sql, source: string, now: Date): Promise<boolean> {
  const { count } = await sql`
    insert into source_control as known (source, paused_at) values (${source}, ${now})
    on conflict (source) do update set paused_at = excluded.paused_at where known.paused_at is null`;
  return count > 0;
}

/** Lets a source be read again; false where it was not paused. */
export async function resumeSource(sql: Sql, source: string): Promise<boolean> {
  const { count } = await sql`
    update source_control set paused_at = null where source = ${source} and paused_at is not null`;
  return count > 0;
}

/** Requests a round of changes at once. */
export async function requestSync(sql: Sql, source: string): Promise<void> {
  await sql`
    insert into source_control as known (source, sync_requests) values (${source}, 1)
    on conflict (source) do update set sync_requests = known.sync_requests + 1`;
}
