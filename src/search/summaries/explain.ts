// Explanation of a search: listings that match each filter alone, and those that match all others.

import { type Static, Type } from 'typebox';
import { isShape } from '../query/condition.ts';
import { conditionsOf, filtersOf } from '../query/filters.ts';
import { type NormalizedQuery, normalizeQuery } from '../query/normalize-query.ts';
import type { SearchQuery } from '../query/parameters.ts';
import type { ResolvedSearch, SearchPlan } from '../query/plan.ts';
import type { SearchBackend } from '../query/search-backend.ts';
import { DEFAULT_STATUS } from '../query/statuses.ts';

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

/** Parameters that mean one filter together, under the name of the first. */
const TOGETHER: readonly (readonly (keyof NormalizedQuery)[])[] = [
  ['radius', 'lat', 'lng'],
  ['features', 'featuresOperator'],
  ['q', 'qFields'],
];

/** Exact counts. */
export async function explainSearch(
  backend: Pick<SearchBackend, 'countEach'>,
  search: ResolvedSearch,
  query: SearchQuery,
): Promise<Explained> {
  const { plan } = search;
  const plain = normalizeQuery(query);
  const shapes = plan.conditions.filter(isShape);
  // Shapes come from the plan: parsing a long polygon again for each filter would block the process.
  const conditionsFor = (part: NormalizedQuery) => [
    ...conditionsOf({ ...withoutShapes(part), ...statusOf(plain) }, plan.units, plan.startedAt),
    ...shapes.filter(({ kind }) => part[SHAPES[kind]] !== undefined),
  ];
  const groups = groupsOf(plain, plan);
  const questions = groups.map((names) => {
    const others = pick(
      plain,
      groups.flat().filter((name) => !names.includes(name)),
    );
    // Without the status filter every status matches, not the default one alone.
    const without = names.includes('status')
      ? [...filtersOf(withoutShapes(others), plan.units, plan.startedAt), ...shapes]
      : conditionsFor(others);
    return { parameter: names[0] ?? '', alone: conditionsFor(pick(plain, names)), without };
  });
  const sets = questions.flatMap(({ alone, without }) => [alone, without]);
  const counts = await backend.countEach(search, sets);
  return {
    filters: questions.map(({ parameter }, at) => ({
      parameter,
      matchesAlone: counts[at * 2] ?? 0,
      matchesWithout: counts[at * 2 + 1] ?? 0,
    })),
  };
}

/** The parameter of each kind of shape. */
const SHAPES = { boxes: 'bbox', circle: 'radius', polygon: 'polygon' } as const;

const withoutShapes = (plain: NormalizedQuery): NormalizedQuery => {
  const { bbox: _, polygon: __, lat: ___, lng: ____, radius: _____, ...others } = plain;
  return others;
};

const statusOf = (plain: NormalizedQuery): NormalizedQuery => ({
  status: plain.status ?? [...DEFAULT_STATUS],
});

const pick = (plain: NormalizedQuery, names: readonly (keyof NormalizedQuery)[]): NormalizedQuery =>
  Object.fromEntries(names.map((name) => [name, plain[name]]));

/** The filters of a query, each as the parameters it consists of, in the order of the query. */
function groupsOf(plain: NormalizedQuery, plan: SearchPlan): (keyof NormalizedQuery)[][] {
  const names = (Object.keys(plain) as (keyof NormalizedQuery)[]).filter((name) => plain[name] !== undefined);
  return names.flatMap((name) => {
    const group = TOGETHER.find((each) => each.includes(name));
    if (group) return group[0] === name ? [group.filter((each) => plain[each] !== undefined)] : [];
    const isFilter =
      ['status', 'underContract'].includes(name) ||
      filtersOf({ [name]: plain[name] }, plan.units, plan.startedAt).length > 0;
    return isFilter ? [[name]] : [];
  });
}
