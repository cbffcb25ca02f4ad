// Suggestions for names that no listing has: the nearest names of listings and areas.

import { type Static, Type } from 'typebox';
import { nearestFew } from '../../lib/nearest.ts';
import { nullable } from '../../listings/record.ts';
import type { AreaType } from '../../listings/vocabulary.ts';
import type { Database } from '../../postgres/client/database.ts';
import { splitWords } from '../../text/tokenize.ts';
import { NAME_KINDS, type NameKind, nameKey, PLACE_KINDS } from '../query/name-kinds.ts';
import type { SearchQuery } from '../query/parameters.ts';
import type { SearchPlan } from '../query/plan.ts';
import { findUnknownNames, type RequestedName, type UnknownName } from '../sql/vocabulary-store.ts';

const NameSuggestionSchema = Type.Object(
  {
    parameter: Type.Unsafe<NameKind>({ type: 'string', enum: [...NAME_KINDS] }),
    value: Type.String({ description: 'The requested value.' }),
    suggestions: Type.Array(Type.String(), {
      maxItems: 3,
      description:
        'The most similar names of listings of this type and of areas, as they are written, best first.',
    }),
  },
  { $id: 'NameSuggestion', description: 'A name that no listing and no area has.' },
);
export type NameSuggestion = Static<typeof NameSuggestionSchema>;

/** A member of `meta`. */
export const NameSuggestionsSchema = nullable(
  Type.Array(NameSuggestionSchema, {
    description:
      'On a first page that is empty, or of a filter with several values: each requested place, feature or other word that no ' +
      'listing and no area has, at most five of each filter. Otherwise null.',
  }),
);

/** Areas that have names of these kinds too. */
const AREA_TYPES: Readonly<Partial<Record<NameKind, AreaType>>> = {
  city: 'city',
  neighborhood: 'neighborhood',
  county: 'county',
  state: 'state',
  country: 'country',
  postalCode: 'postal_code',
};

/** Values of each filter that are looked up. */
const MAX_VALUES = 5;
const MAX_SUGGESTIONS = 3;

type NameQuery = Pick<SearchQuery, NameKind>;

/** Whether a filter has several names: what finds something by one of them says nothing of the others. */
export const hasAlternatives = (query: NameQuery): boolean =>
  NAME_KINDS.some((kind) => (query[kind]?.length ?? 0) > 1);

/** The unknown names of a query with suggestions; null without any. */
export async function suggestNames(
  database: Database,
  plan: Pick<SearchPlan, 'listingType' | 'ignoreDisplayRules' | 'reach'>,
  query: NameQuery,
): Promise<NameSuggestion[] | null> {
  const requested = NAME_KINDS.flatMap((kind) => requestedNames(kind, query[kind] ?? []));
  if (requested.length === 0) return null;
  const unknown = await findUnknownNames(database, plan, requested);
  const suggested = unknown.flatMap(({ at, ...names }) => suggestionFor(requested[at], names));
  return suggested.length === 0 ? null : suggested;
}

/** Names with their values as they were requested, each once. */
function requestedNames(kind: NameKind, values: readonly string[]): (RequestedName & { value: string })[] {
  const written = new Map(values.slice(0, MAX_VALUES).map((value) => [nameKey(kind, value), value]));
  // Similar postal codes are near each other, and names of places are too many to compare with all.
  const shared = kind === 'postalCode' ? 3 : PLACE_KINDS.includes(kind) ? 1 : 0;
  const startOf = (text = ''): string => [...text].slice(0, shared).join('');
  return [...written].map(([key, value]) => ({
    kind,
    key,
    value,
    start: startOf(key),
    wordStart: startOf(splitWords(value)[0]),
    areaType: AREA_TYPES[kind] ?? null,
  }));
}

function suggestionFor(
  requested: (RequestedName & { readonly value: string }) | undefined,
  { listed, areas }: Pick<UnknownName, 'listed' | 'areas'>,
): NameSuggestion[] {
  if (requested === undefined) return [];
  const { kind, key, value } = requested;
  if (areas.some((name) => nameKey(kind, name) === key)) return [];
  // Areas decide how a name is written that listings have too.
  const names = new Map([...listed, ...areas].map((name) => [nameKey(kind, name), name]));
  const near = nearestFew(key, names.keys(), MAX_SUGGESTIONS);
  return [{ parameter: kind, value, suggestions: near.flatMap((each) => names.get(each) ?? []) }];
}
