// SQL of the names that filters take, as listings write them: known ones, similar ones, and how they are written.

import type { Reach } from '../../access/tiers/reach.ts';
import { openNumberSql, openSql } from '../../licence/open-sql.ts';
import type { AreaType, ListingType } from '../../listings/vocabulary.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { NameKind } from '../query/name-kinds.ts';

/** The names of these keys as listings write them; without those that are not known. */
export async function findWrittenNames(
  database: Database,
  listingType: ListingType,
  kind: NameKind,
  keys: readonly string[],
  reach: Reach,
): Promise<ReadonlyMap<string, string>> {
  const rows = await database.read(
    (sql) => sql<{ key: string; name: string }[]>`
      select distinct on (key) key, name from search_name
      where listing_type = ${listingType} and kind = ${kind} and key = any(${[...keys]}::text[])
        and ${openNumberSql(sql, reach)}
      order by key, name not like '%,%', licence_no`,
  );
  return new Map(rows.map(({ key, name }) => [key, name]));
}

/** Filters of which listings have few in common, so that they are looked up in listings. */
export type IdKind = 'agentId' | 'officeId' | 'mlsNumber';

/** A name with what its filter compares it by. */
export interface KeyedName {
  readonly kind: NameKind | IdKind;
  readonly key: string;
}

/** Which of these names with commas any listing has, written with a comma: by their positions. */
export async function findKnownNamesAt(
  database: Database,
  names: readonly KeyedName[],
  reach: Reach,
): Promise<ReadonlySet<number>> {
  const rows = await database.read(
    (sql) => sql<{ at: number }[]>`
      select (ordinal - 1)::integer as at
      from unnest(${names.map(({ kind }) => kind)}::text[], ${names.map(({ key }) => key)}::text[])
        with ordinality as wanted (kind, key, ordinal)
      where case kind
        when 'agentId' then exists (select from listing_search where agent_id = wanted.key and ${openSql(sql, reach)})
        when 'officeId' then exists (select from listing_search where office_id = wanted.key and ${openSql(sql, reach)})
        when 'mlsNumber' then exists (select from listing_search where mls_number = wanted.key and ${openSql(sql, reach)})
        else exists (select from search_name as known where listing_type in ('rental', 'sale')
          and known.kind = wanted.kind and known.key = wanted.key and name like '%,%' and ${openNumberSql(sql, reach)}) end`,
  );
  return new Set(rows.map(({ at }) => at));
}

/** A requested name with the beginnings that similar ones must share. */
export interface RequestedName {
  readonly kind: NameKind;
  readonly key: string;
  /** Of its key; empty: similar names may begin with anything. */
  readonly start: string;
  /** Of its first word, and the kind of area that may have the name; null: none may. */
  readonly wordStart: string;
  readonly areaType: AreaType | null;
}

/** A requested name that no listing has, with names that may be meant. */
export interface UnknownName {
  readonly at: number;
  /** Names in listings of the requested type that may be shown. */
  readonly listed: readonly string[];
  /** Names of areas. */
  readonly areas: readonly string[];
}

/** Names of each kind that are compared. */
const MAX_NAMES = 2_000;

/** Those that no listing of either type has which the caller may see, by their positions. */
export function findUnknownNames(
  database: Database,
  {
    listingType,
    ignoreDisplayRules,
    reach,
  }: {
    readonly listingType: ListingType;
    readonly ignoreDisplayRules: boolean;
    readonly reach: Reach;
  },
  names: readonly RequestedName[],
): Promise<UnknownName[]> {
  return database.read((sql) => {
    const displayed = ignoreDisplayRules ? sql`` : sql`and displayed`;
    const shown = sql`${displayed} and ${openSql(sql, reach)}`;
    // Cities and postal codes have an index of their own, which separates names with a listing from those without.
    return sql<UnknownName[]>`
      select (ordinal - 1)::integer as at,
        array(
          select distinct on (known.key) name from search_name as known
          where known.listing_type = ${listingType} and known.kind = wanted.kind
            and known.key >= wanted.start and known.key < wanted.start || ${'\u{10ffff}'}
            and case known.kind
              when 'city' then exists (
                select from listing_search where city = known.key and listing_type = ${listingType} ${shown})
              when 'postalCode' then exists (
                select from listing_search where postal_code = known.key and listing_type = ${listingType} ${shown})
              else ${openNumberSql(sql, reach)} end
          order by known.key, name not like '%,%', licence_no limit ${MAX_NAMES}) as listed,
        array(
          select area.name from area_word join area on no = area_no
          where area_type is not null and word >= word_start and word < word_start || ${'\u{10ffff}'} and type = area_type
          limit ${MAX_NAMES}) as areas
      from unnest(${names.map(({ kind }) => kind)}::text[], ${names.map(({ key }) => key)}::text[],
        ${names.map(({ start }) => start)}::text[], ${names.map(({ wordStart }) => wordStart)}::text[],
        ${names.map(({ areaType }) => areaType)}::text[]) with ordinality
        as wanted (kind, key, start, word_start, area_type, ordinal)
      where case kind
        when 'city' then not exists (select from listing_search where city = wanted.key ${shown})
        when 'postalCode' then not exists (
          select from listing_search where (postal_code = wanted.key
            or (wanted.key ~ '^[0-9]{5}$' and postal_code between wanted.key || '0000' and wanted.key || '9999'
              and postal_code ~ '^[0-9]{9}$')) ${shown})
        else not exists (select from search_name as known where listing_type in ('rental', 'sale')
          and known.kind = wanted.kind and known.key = wanted.key and ${openNumberSql(sql, reach)}) end
      order by ordinal`;
  });
}
