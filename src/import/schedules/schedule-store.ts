// SQL of schedules of imports.

import type { Sql } from '../../postgres/client/database.ts';
import type { ImportIdentity } from '../checkpoint-store.ts';
import type { MissingAction } from '../missing.ts';
import type { HeaderVariables } from '../remote/remote-file.ts';

export interface Schedule extends ImportIdentity {
  readonly urlSealed: Buffer;
  /** Without credentials. */
  readonly urlShown: string;
  readonly headers: HeaderVariables;
  /** Its text. */
  readonly map: string;
  readonly missing: MissingAction | null;
  readonly everySeconds: number;
  /** RFC 3339, as the others. */
  readonly nextAt: string;
  readonly finishedAt: string | null;
  readonly succeededAt: string | null;
  readonly result: string | null;
  readonly failure: string | null;
  readonly failures: number;
}

/** All schedules, in the order of their sources. */
export function listSchedules(sql: Sql): Promise<Schedule[]> {
  return sql<Schedule[]>`
    select kind, source, url_sealed as "urlSealed", url_shown as "urlShown", headers, map, missing,
      every_seconds as "everySeconds", next_at as "nextAt", finished_at as "finishedAt", succeeded_at as "succeededAt",
      result, failure, failures
    from import_schedule order by source, kind`;
}

export type NewSchedule = Pick<
  Schedule,
  'kind' | 'source' | 'urlSealed' | 'urlShown' | 'headers' | 'map' | 'missing' | 'everySeconds'
>;

/** Makes a schedule whose first run has just been, or replaces the one of the same kind and source. */
export async function putSchedule(sql: Sql, schedule: NewSchedule, result: string, now: Date): Promise<void> {
  const { kind, source, urlSealed, urlShown, headers, map, missing, everySeconds } = schedule;
  const next = new Date(now.getTime() + everySeconds * 1_000);
  await sql`
    insert into import_schedule (kind, source, url_sealed, url_shown, headers, map, missing, every_seconds, created_at,
      next_at, finished_at, succeeded_at, result)
    values (${kind}, ${source}, ${urlSealed}, ${urlShown}, ${JSON.stringify(headers)}::text::jsonb, ${map}, ${missing},
      ${everySeconds}, ${now}, ${next}, ${now}, ${now}, ${result})
    on conflict (kind, source) do update set url_sealed = excluded.url_sealed, url_shown = excluded.url_shown,
      headers = excluded.headers, map = excluded.map, missing = excluded.missing, every_seconds = excluded.every_seconds,
      created_at = excluded.created_at, next_at = excluded.next_at, finished_at = excluded.finished_at,
      succeeded_at = excluded.succeeded_at, result = excluded.result, failure = null, failures = 0`;
}

/** False where there is none. */
export async function removeSchedule(sql: Sql, { kind, source }: ImportIdentity): Promise<boolean> {
  const { count } = await sql`delete from import_schedule where kind = ${kind} and source = ${source}`;
  return count > 0;
}

/** The schedules that are due, the most overdue first. */
export async function findDue(sql: Sql, now: Date): Promise<Schedule[]> {
  const all = await listSchedules(sql);
  return all
    .filter(({ nextAt }) => Date.parse(nextAt) <= now.getTime())
    .sort((a, b) => Date.parse(a.nextAt) - Date.parse(b.nextAt));
}

export async function recordSuccess(
  sql: Sql,
  { kind, source }: ImportIdentity,
  result: string,
  now: Date,
  next: Date,
): Promise<void> {
  await sql`
    update import_schedule set finished_at = ${now}, succeeded_at = ${now}, result = ${result}, failure = null,
      failures = 0, next_at = ${next}
    where kind = ${kind} and source = ${source}`;
}

export async function recordFailure(
  sql: Sql,
  { kind, source }: ImportIdentity,
  failure: string,
  now: Date,
  next: Date,
): Promise<void> {
  await sql`
    update import_schedule set finished_at = ${now}, failure = ${failure}, failures = failures + 1, next_at = ${next}
    where kind = ${kind} and source = ${source}`;
}

/** Stores a URL that was sealed again with the present key. */
export async function reseal(sql: Sql, { kind, source }: ImportIdentity, urlSealed: Buffer): Promise<void> {
  await sql`update import_schedule set url_sealed = ${urlSealed} where kind = ${kind} and source = ${source}`;
}
