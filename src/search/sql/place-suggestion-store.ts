// SQL of place suggestions: whether a listing has a name, and the names of listings and areas that begin alike.

import type { AreaType } from '../../listings/vocabulary.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { SearchPlan } from '../query/plan.ts';
import { columnOf } from './columns-sql.ts';

/** Columns of the search row that an index begins with, so that their names can be listed without reading every listing. */
export type PlaceColumn = 'city' | 'postalCode';

/** A name that was asked for, folded, and the letters that names like it begin with. */
export interface PlaceName {
  readonly value: string;
  readonly start: string;
  readonly wordStart: string;
}

/** A name that no listing has. */
export interface UnlistedPlace {
  readonly value: string;
  /** Names in listings of the asked type that begin alike, folded. */
  readonly listed: readonly string[];
  /** Names of areas with a word that begins alike, as they are written. */
  readonly areas: readonly string[];
}

/** Names of each kind that are compared at most. */
const MOST_NAMES = 2_000;

/**
 * Of the names those that no listing has, each with the names that begin alike. What the caller may not see counts as
 * absent. Goes from name to name in the index of the column.
 */
export function findUnlistedPlaces(
  database: Database,
  plan: Pick<SearchPlan, 'listingType' | 'ignoreDisplayRules'>,
  column: PlaceColumn,
  type: AreaType,
  names: readonly PlaceName[],
): Promise<UnlistedPlace[]> {
  return database.read((sql) => {
    const place = sql(columnOf(column));
    const displayRule = plan.ignoreDisplayRules ? sql`` : sql`and displayed`;
    return sql<UnlistedPlace[]>`
      select value,
        array(
          with recursive name as (
            (select ${place} as text, 1 as number from listing_search where ${place} >= start order by ${place} limit 1)
            union all
            select (select ${place} from listing_search where ${place} > name.text order by ${place} limit 1), number + 1
            from name where starts_with(name.text, start) and number < ${MOST_NAMES})
          select text from name where starts_with(text, start) and exists (
            select from listing_search where ${place} = text and listing_type = ${plan.listingType} ${displayRule})) as listed,
        array(
          select area.name from area_word join area on no = area_no
          where word >= word_start and word < word_start || ${'\u{10ffff}'} and type = ${type}
          limit ${MOST_NAMES}) as areas
      from unnest(${names.map(({ value }) => value)}::text[], ${names.map(({ start }) => start)}::text[],
        ${names.map(({ wordStart }) => wordStart)}::text[]) as missing (value, start, word_start)
      where not exists (select from listing_search where ${place} = value ${displayRule})`;
  });
}
