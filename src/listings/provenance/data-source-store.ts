// Sources of an answer: whose listings it shows or counts, what is displayed of each, and how fresh they are.

import { LRUCache } from 'lru-cache';
import { type Static, Type } from 'typebox';
import type { Reach } from '../../access/tiers/reach.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database, Sql, SqlFragment } from '../../postgres/client/database.ts';
import { nullable } from '../record.ts';
import { sourceAttribution } from './attribution.ts';

const DataSourceSchema = Type.Object(
  {
    id: Type.String({ description: 'The `provider.id` of its listings.' }),
    name: Type.String({ description: 'As its listings have it. It may be the text of others.' }),
    attribution: Type.String({
      description:
        'The line to display with figures and lists; each listing has its own. It may be the text of others.',
    }),
    logoUrl: nullable(Type.String({ format: 'uri', description: 'The mark to show beside the line.' })),
    dataAsOf: nullable(
      Type.String({
        format: 'date-time',
        description: 'When it last sent data, or was last read to its end.',
      }),
    ),
  },
  { $id: 'DataSource', description: 'A source of listings.' },
);
export type DataSource = Static<typeof DataSourceSchema>;

/** The member `sources` of `meta`. */
export const sourcesOf = (description: string) => Type.Array(DataSourceSchema, { description });

/** Members of `meta` about the sources of figures. */
export const originMembers = {
  dataAsOf: nullable(
    Type.String({
      format: 'date-time',
      description: 'The `dataAsOf` of the stalest source; null if there are none.',
    }),
  ),
  sources: sourcesOf('The sources whose listings are in the scope, sorted by id.'),
};

/** Sources by their ids, as their listings are open to a reader; `fresh`: as they are now. Throws DATABASE_UNAVAILABLE. */
export type ReadSources = (
  ids: Iterable<string>,
  reach: Pick<Reach, 'displayOf'>,
  fresh?: boolean,
) => Promise<readonly DataSource[]>;

/** Sets of sources that answers have. */
const MAX_SETS = 1_000;
/** Milliseconds for which what was read counts. */
const LIFETIME = 1_000;

export function createReadSources(database: Database, clock: Pick<Clock, 'monotonic'>): ReadSources {
  // The cache takes a start of 0 for no start at all.
  const lifetime = { ttl: LIFETIME, perf: { now: () => clock.monotonic() + 1 }, ttlResolution: 0 };
  const known = new LRUCache<string, readonly SourceRow[]>({ max: MAX_SETS, ...lifetime });
  const read = async (ids: readonly string[], fresh: boolean): Promise<readonly SourceRow[]> => {
    if (ids.length === 0) return [];
    const key = JSON.stringify(ids);
    const found = fresh ? undefined : known.get(key);
    if (found !== undefined) return found;
    const rows = await findSourceRows(database, ids);
    known.set(key, rows);
    return rows;
  };
  return async (ids, reach, fresh = false) => {
    const rows = await read([...new Set(ids)].sort(), fresh);
    return rows.map(({ id, name, market, dataAsOf }) => {
      const display = reach.displayOf(id);
      const attribution = sourceAttribution(market, display);
      return { id, name, attribution, logoUrl: display.logo, dataAsOf };
    });
  };
}

/** The sources of the listings that meet any of these conditions on listing_search, by their ids. */
export async function findSourceIds(
  database: Database,
  scopes: readonly ((sql: Sql) => SqlFragment)[],
): Promise<string[]> {
  const found = await Promise.all(scopes.map((where) => findIdsOf(database, where)));
  return [...new Set(found.flat())].sort();
}

/** When the stalest of these last sent data; null where none of them ever has. */
export function stalestOf(sources: readonly Pick<DataSource, 'dataAsOf'>[]): string | null {
  const times = sources.flatMap(({ dataAsOf }) => dataAsOf ?? []).sort();
  return times[0] ?? null;
}

interface SourceRow {
  readonly id: string;
  readonly name: string;
  /** The market that its listings are from, which lines name; else its name. */
  readonly market: string;
  /** When the source last sent data, RFC 3339. */
  readonly dataAsOf: string | null;
}

/** The sources with these ids: their names as listings have them, else as they are set up. */
function findSourceRows(database: Database, ids: readonly string[]): Promise<SourceRow[]> {
  return database.read(
    (sql) => sql<SourceRow[]>`
      select wanted.id, coalesce(described.name, described.market, source.name, wanted.id) as name,
        coalesce(described.market, described.name, source.name, wanted.id) as market, freshness.as_of as "dataAsOf"
      from unnest(${[...ids]}::text[]) as wanted (id)
      left join source on source.id = wanted.id
      left join source_freshness as freshness on freshness.source = wanted.id
      left join lateral (
        select record -> 'provider' ->> 'name' as name, record -> 'provider' ->> 'originatingSystem' as market
        from listing where listing.source = wanted.id limit 1) as described on true
      order by wanted.id collate "C"`,
  );
}

/** The sources of which a listing meets a condition on listing_search, by their ids. */
async function findIdsOf(database: Database, where: (sql: Sql) => SqlFragment): Promise<string[]> {
  const rows = await database.read(
    (sql) => sql<{ id: string }[]>`
      select source.source as id from source_freshness as source where exists (
        select from listing_search where ${where(sql)} and provider_id = source.source)`,
  );
  return rows.map(({ id }) => id);
}
