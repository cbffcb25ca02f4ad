// Suggestions for unknown places: the nearest names of listings and areas.

import { type Static, Type } from 'typebox';
import { nearestFew } from '../../lib/nearest.ts';
import { nullable } from '../../listings/record.ts';
import type { AreaType } from '../../listings/vocabulary.ts';
import type { Database } from '../../postgres/client/database.ts';
import { splitWords } from '../../text/tokenize.ts';
import { columnOf } from '../query/condition.ts';
import type { SearchQuery } from '../query/parameters.ts';
import type { SearchPlan } from '../query/plan.ts';

const PlaceSuggestionSchema = Type.Object(
  {
    parameter: Type.Unsafe<PlaceColumn>({ type: 'string', enum: ['city', 'postalCode'] }),
    value: Type.String({ description: 'The requested value.' }),
    suggestions: Type.Array(Type.String(), {
      maxItems: 3,
      description:
        'The most similar names, best first. Names of areas keep their spelling, names from listings are in lower ' +
        'case. Empty if none is similar.',
    }),
  },
  { $id: 'PlaceSuggestion', description: 'A city or postal code that no listing and no area has.' },
);
export type PlaceSuggestion = Static<typeof PlaceSuggestionSchema>;

/** A member of `meta`. */
export const PlaceSuggestionsSchema = nullable(
  Type.Array(PlaceSuggestionSchema, {
    description:
      'If the first page is empty: each requested `city` and `postalCode` that no listing and no area has, at ' +
      'most five. Otherwise null.',
  }),
);

interface PlaceParameter {
  readonly parameter: PlaceColumn;
  readonly areaType: AreaType;
  /** First letters that a similar name must share. */
  readonly shared: number;
}

const PLACE_PARAMETERS: readonly PlaceParameter[] = [
  { parameter: 'city', areaType: 'city', shared: 1 },
  { parameter: 'postalCode', areaType: 'postal_code', shared: 3 },
];

const MAX_VALUES = 5;
const MAX_SUGGESTIONS = 3;

/** The unknown places of an empty search with suggestions; null without any, and for pages after the first. */
export async function findPlaceSuggestions(
  database: Database,
  plan: SearchPlan,
  query: Pick<SearchQuery, PlaceColumn>,
): Promise<PlaceSuggestion[] | null> {
  if (plan.cursor !== null) return null;
  const requested = PLACE_PARAMETERS.filter(({ parameter }) => query[parameter] !== undefined);
  const unknown = await Promise.all(
    requested.map((each) => unknownPlaces(database, plan, each, query[each.parameter] ?? [])),
  );
  return unknown.some(({ length }) => length > 0) ? unknown.flat() : null;
}

async function unknownPlaces(
  database: Database,
  plan: SearchPlan,
  { parameter, areaType, shared }: PlaceParameter,
  values: readonly string[],
): Promise<PlaceSuggestion[]> {
  const written = new Map(values.slice(0, MAX_VALUES).map((value) => [folded(value), value]));
  const names = [...written.keys()].map((value) => placeName(value, shared));
  const unlisted = await findUnlistedPlaces(database, plan, parameter, areaType, names);
  return unlisted
    .filter(({ value, areas }) => !areas.some((name) => folded(name) === value))
    .map(({ value, listed, areas }) => ({
      parameter,
      value: written.get(value) ?? value,
      suggestions: nearestFew(value, [...areas, ...listed], MAX_SUGGESTIONS),
    }));
}

function placeName(value: string, shared: number): PlaceName {
  const startOf = (text = ''): string => [...text].slice(0, shared).join('');
  return { value, start: startOf(value), wordStart: startOf(splitWords(value)[0]) };
}

const folded = (text: string): string => text.trim().toLowerCase();

/** Columns with an index of their own, so that their values can be listed without reading every listing. */
export type PlaceColumn = 'city' | 'postalCode';

/** A requested name, folded, and the first letters of similar names. */
export interface PlaceName {
  readonly value: string;
  readonly start: string;
  readonly wordStart: string;
}

/** A requested name that no listing has. */
export interface UnlistedPlace {
  readonly value: string;
  /** Similar names in listings of the requested type, folded. */
  readonly listed: readonly string[];
  /** Names of areas with a similar word, as written. */
  readonly areas: readonly string[];
}

/** Names of each kind that are compared. */
const MAX_NAMES = 2_000;

/**
 * The names that no listing has which the caller may see, each with similar names. Skips from name to name in the index
 * of the column.
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
            from name where starts_with(name.text, start) and number < ${MAX_NAMES})
          select text from name where starts_with(text, start) and exists (
            select from listing_search where ${place} = text and listing_type = ${plan.listingType} ${displayRule})) as listed,
        array(
          select area.name from area_word join area on no = area_no
          where word >= word_start and word < word_start || ${'\u{10ffff}'} and type = ${type}
          limit ${MAX_NAMES}) as areas
      from unnest(${names.map(({ value }) => value)}::text[], ${names.map(({ start }) => start)}::text[],
        ${names.map(({ wordStart }) => wordStart)}::text[]) as missing (value, start, word_start)
      where not exists (select from listing_search where ${place} = value ${displayRule})`;
  });
}
