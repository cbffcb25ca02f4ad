// SQL of reports: what is wrong with the feed of a source, as the process that reads it found.

import type { Sql } from '../postgres/client/database.ts';
import type { UnknownCount, ValueCount } from './value-counts.ts';

export interface SourceReport {
  readonly source: string;
  /** Name of the failure; null: reading works. */
  readonly failure: string | null;
  readonly detail: string | null;
  /** RFC 3339. */
  readonly failingSince: string | null;
  /** Values that keep listings, or parts of them, from being shown. */
  readonly withheld: readonly ValueCount[];
  /** What the mapping does not know, the most frequent first. */
  readonly unknown: readonly UnknownCount[];
  /** A record that the failure is about; null: it is about none. */
  readonly sample: string | null;
  /** When the source was last read to its end, to the minute, RFC 3339; null: never, or before this was noted. */
  readonly succeededAt: string | null;
}

export async function findReport(sql: Sql, source: string): Promise<SourceReport | null> {
  const [row] = await sql<SourceReport[]>`
    select source, failure, detail, failing_since as "failingSince", withheld, unknown, succeeded_at as "succeededAt", sample
    from source_report where source = ${source}`;
  return row ?? null;
}

/** `at`: RFC 3339. A failure that goes on keeps its time. */
export async function writeReport(
  sql: Sql,
  { source, failure, detail, withheld, unknown, succeededAt, sample }: Omit<SourceReport, 'failingSince'>,
  at: string,
): Promise<void> {
  await sql`
    insert into source_report as known (source, failure, detail, failing_since, withheld, unknown, succeeded_at, sample, updated_at)
    values (${source}, ${failure}, ${detail}, ${failure === null ? null : at}, ${JSON.stringify(withheld)}::text::json,
      ${JSON.stringify(unknown)}::text::json, ${succeededAt}, ${sample}, ${at})
    on conflict (source) do update set failure = excluded.failure, detail = excluded.detail,
      failing_since = case when known.failure = excluded.failure then known.failing_since else excluded.failing_since end,
      withheld = excluded.withheld, unknown = excluded.unknown, succeeded_at = excluded.succeeded_at, sample = excluded.sample, updated_at = excluded.updated_at`;
}
