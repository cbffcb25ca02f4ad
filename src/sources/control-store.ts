// SQL of what operators request of the reading of a source: a pause, a round at once, a comparison with all its keys.

import type { Sql } from '../postgres/client/database.ts';

export interface SourceControl {
  /** Since when nobody reads it, RFC 3339; null: it is read. */
  readonly pausedAt: string | null;
  /** How often a round was requested. */
  readonly syncRequests: number;
  /** How often a comparison with all keys was requested. */
  readonly reconcileRequests: number;
  /** The number of the request whose comparison ends what the guard of endings would refuse; null: none. */
  readonly acceptedRequest: number | null;
}

/** Of a source about which nobody has requested anything. */
export const UNCONTROLLED: SourceControl = {
  pausedAt: null,
  syncRequests: 0,
  reconcileRequests: 0,
  acceptedRequest: null,
};

/** What was requested, by the ids of the sources. */
export async function findControls(sql: Sql): Promise<ReadonlyMap<string, SourceControl>> {
  const rows = await sql<(SourceControl & { readonly source: string })[]>`
    select source, paused_at as "pausedAt", sync_requests::float8 as "syncRequests",
      reconcile_requests::float8 as "reconcileRequests", accepted_request::float8 as "acceptedRequest" from source_control`;
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

/** Requests a comparison with all keys at once; returns the number of the request. `accept`: the guard of endings refuses nothing. */
export async function requestReconcile(sql: Sql, source: string, accept: boolean): Promise<number> {
  const [row] = await sql<{ request: number }[]>`
    insert into source_control as known (source, reconcile_requests, accepted_request)
    values (${source}, 1, case when ${accept} then 1 end)
    on conflict (source) do update set reconcile_requests = known.reconcile_requests + 1,
      accepted_request = case when ${accept} then known.reconcile_requests + 1 else known.accepted_request end
    returning reconcile_requests::float8 as request`;
  if (row === undefined) throw new Error('The request was not written');
  return row.request;
}
