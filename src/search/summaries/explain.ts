// Explanation of a search: listings that match each filter alone, and those that match all others.

import { type Static, Type } from 'typebox';
import { type Condition, isShape } from '../query/condition.ts';
import { filtersOf } from '../query/filters.ts';
import { type NormalizedQuery, normalizeQuery } from '../query/normalize-query.ts';
import { isOpenCondition } from '../query/open-conditions.ts';
import type { SearchQuery } from '../query/parameters.ts';
import type { ResolvedSearch, SearchPlan } from '../query/plan.ts';
import type { SearchBackend } from '../query/search-backend.ts';
import { DEFAULT_STATUS, parseStatuses } from '../query/statuses.ts';

export const ExplainSchema = Type.Object(
  {
    filters: Type.Array(
      Type.Object({
        parameter: Type.String(),
        matchesAlone: Type.Integer(),
        matchesWithout: Type.Integer(),
      }),
    ),
  },
  {
    description:
      'For each filter: listings of the requested status that match it alone, and those that match all others. ' +
      'Includes `status` if it was requested. Prices count in `meta.currency`, if set.',
  },
);

export type Explained = Static<typeof ExplainSchema>;

type Name = keyof NormalizedQuery;

/** Parameters that mean one filter together, under the name of the first. */
const TOGETHER: readonly (readonly Name[])[] = [
  ['radius', 'lat', 'lng'],
  ['features', 'featuresOperator'],
  ['q', 'qFields'],
];

/** Two filters that one open house has to meet. */
const OPEN_HOURS: readonly Name[] = ['openHouseFrom', 'openHouseTo'];

/** The parameter of each kind of shape. */
const SHAPES = { boxes: 'bbox', circle: 'radius', polygon: 'polygon' } as const;

/** A filter: the parameters that it consists of, and what they require of a listing besides its status. */
interface Filter {
  readonly names: readonly Name[];
  readonly conditions: readonly Condition[];
}

/** Exact counts. Each filter is parsed once, with how many others it may be counted: a body holds many long ones. */
export async function explainSearch(
  backend: Pick<SearchBackend, 'countEach'>,
  search: ResolvedSearch,
  query: SearchQuery,
): Promise<Explained> {
  const plain = normalizeQuery(query);
  const { status = DEFAULT_STATUS, underContract } = plain;
  const requested = statusCondition({ status });
  const narrowed = underContract === undefined ? requested : statusCondition({ status, underContract });
  const filters = filtersIn(plain, search.plan);
  const sets = filters.flatMap((filter) => {
    const [name] = filter.names;
    const others = together(
      filters.filter((each) => each !== filter),
      plain,
      search.plan,
    );
    if (name === 'underContract') return [[narrowed], [requested, ...others]];
    // Without the status filter every status matches, not the default one alone.
    return [[requested, ...filter.conditions], name === 'status' ? others : [narrowed, ...others]];
  });
  const open = search.plan.conditions.filter(isOpenCondition);
  const counts = await backend.countEach(
    search,
    sets.map((set) => [...set, ...open]),
  );
  return {
    filters: filters.map(({ names }, at) => ({
      parameter: names[0] ?? '',
      matchesAlone: counts[at * 2] ?? 0,
      matchesWithout: counts[at * 2 + 1] ?? 0,
    })),
  };
}

const statusCondition = (query: Parameters<typeof parseStatuses>[0]): Condition => ({
  kind: 'statuses',
  statuses: parseStatuses(query),
});

/** The filters of a query in its order. Shapes come from the plan, where they are parsed already. */
function filtersIn(plain: NormalizedQuery, { conditions, units, startedAt }: SearchPlan): Filter[] {
  const names = (Object.keys(plain) as Name[]).filter((name) => plain[name] !== undefined);
  return names.flatMap((name) => {
    const whole = TOGETHER.find((each) => each.includes(name)) ?? [name];
    if (whole[0] !== name) return [];
    const own = whole.filter((each) => plain[each] !== undefined);
    const required = own.some((each) => Object.values<Name>(SHAPES).includes(each))
      ? conditions.filter((each) => isShape(each) && own.includes(SHAPES[each.kind]))
      : filtersOf(pick(plain, own), units, startedAt);
    const isFilter = required.length > 0 || name === 'status' || name === 'underContract';
    return isFilter ? [{ names: own, conditions: required }] : [];
  });
}

/** What all of these filters require. */
function together(
  filters: readonly Filter[],
  plain: NormalizedQuery,
  plan: SearchPlan,
): readonly Condition[] {
  const isHours = ({ names: [name] }: Filter): boolean => name !== undefined && OPEN_HOURS.includes(name);
  if (filters.filter(isHours).length < OPEN_HOURS.length)
    return filters.flatMap(({ conditions }) => conditions);
  return [
    ...filters.filter((each) => !isHours(each)).flatMap(({ conditions }) => conditions),
    ...filtersOf(pick(plain, OPEN_HOURS), plan.units, plan.startedAt),
  ];
}

const pick = (plain: NormalizedQuery, names: readonly Name[]): NormalizedQuery =>
  Object.fromEntries(names.map((name) => [name, plain[name]]));
