// SQL of the sources that listings come from.

import type { Database, Sql, SqlFragment } from '../../postgres/client/database.ts';

export interface SourceRow {
  readonly id: string;
  /** When the source last told something, RFC 3339. */
  readonly dataAsOf: string;
  /** What some of its listings say of it, each once. */
  readonly names: readonly (string | null)[];
  readonly attributions: readonly (string | null)[];
}

/** So many listings of a source are asked for its name. */
const SAMPLE = 10;

/** The sources of which a listing meets a condition on listing_search, by their ids. */
export function findSourcesOf(database: Database, where: (sql: Sql) => SqlFragment): Promise<SourceRow[]> {
  return database.read(
    (sql) => sql<SourceRow[]>`
      select source.source as id, source.as_of as "dataAsOf", told.names, told.attributions
      from source_freshness as source, lateral (
        select json_agg(distinct record #>> '{provider,name}') as names,
          json_agg(distinct record #>> '{provider,attribution}') as attributions, count(*) as listings
        from (select id from listing_search where ${where(sql)} and provider_id = source.source limit ${SAMPLE}) as sampled
        join listing using (id)) as told
      where told.listings > 0 order by 1`,
  );
}
