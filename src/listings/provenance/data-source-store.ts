// Sources of figures: whose listings they come from, and how fresh those are.

import { type Static, Type } from 'typebox';
import type { Database, Sql, SqlFragment } from '../../postgres/client/database.ts';
import { nullable } from '../record.ts';

const DataSourceSchema = Type.Object(
  {
    id: Type.String({ description: 'The `provider.id` of its listings.' }),
    name: nullable(Type.String()),
    attribution: nullable(Type.String({ description: 'Null if it differs between listings.' })),
    dataAsOf: Type.String({
      format: 'date-time',
      description: 'When it last sent data, or was last read to its end.',
    }),
  },
  { $id: 'DataSource', description: 'A source of listings.' },
);
export type DataSource = Static<typeof DataSourceSchema>;

/** Members of `meta` about the sources of figures. */
export const originMembers = {
  dataAsOf: nullable(
    Type.String({
      format: 'date-time',
      description: 'The `dataAsOf` of the stalest source; null if there are none.',
    }),
  ),
  sources: Type.Array(DataSourceSchema, {
    description: 'The sources whose listings are in the scope, sorted by id.',
  }),
};

export interface Origin {
  readonly dataAsOf: string | null;
  readonly sources: readonly DataSource[];
}

/** The sources of the listings that meet any of these conditions on listing_search. */
export async function findOrigin(
  database: Database,
  scopes: readonly ((sql: Sql) => SqlFragment)[],
): Promise<Origin> {
  const results = await Promise.all(scopes.map((where) => findSourcesOf(database, where)));
  const rows = new Map(results.flat().map((row) => [row.id, row]));
  const sources = [...rows.values()]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, dataAsOf, names, attributions }) => ({
      id,
      name: only(names),
      attribution: only(attributions),
      dataAsOf,
    }));
  const times = sources.map(({ dataAsOf }) => dataAsOf).sort();
  return { dataAsOf: times[0] ?? null, sources };
}

const only = ([value = null, ...others]: readonly (string | null)[]): string | null =>
  others.length === 0 ? value : null;

interface SourceRow {
  readonly id: string;
  /** When the source last sent data, RFC 3339. */
  readonly dataAsOf: string;
  /** Distinct values in a sample of its listings. */
  readonly names: readonly (string | null)[];
  readonly attributions: readonly (string | null)[];
}

/** Listings of a source that are read for its name. */
const SAMPLE = 10;

/** The sources of which a listing meets a condition on listing_search, by their ids. */
function findSourcesOf(database: Database, where: (sql: Sql) => SqlFragment): Promise<SourceRow[]> {
  return database.read(
    (sql) => sql<SourceRow[]>`
      select source.source as id, source.as_of as "dataAsOf", shown.names, shown.attributions
      from source_freshness as source, lateral (
        select json_agg(distinct record #>> '{provider,name}') as names,
          json_agg(distinct record #>> '{provider,attribution}') as attributions, count(*) as listings
        from (select id from listing_search where ${where(sql)} and provider_id = source.source limit ${SAMPLE}) as sampled
        join listing using (id)) as shown
      where shown.listings > 0 order by 1`,
  );
}
