// Explanation of a search: listings that match each filter alone, and those that match all others.

import { Type } from 'typebox';
import { HIDDEN_STATUSES } from '../../listings/vocabulary.ts';
import type { Database, SqlFragment } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import { type Condition, isShape } from '../query/condition.ts';
import { conditionsOf, filtersOf } from '../query/filters.ts';
import { type NormalizedQuery, normalizeQuery } from '../query/normalize-query.ts';
import type { SearchQuery } from '../query/parameters.ts';
import type { ResolvedQuery, SearchPlan } from '../query/plan.ts';
import { DEFAULT_STATUS } from '../query/statuses.ts';
import { allOf, conditionsSql, shownSql } from '../sql/condition-sql.ts';
import { isCurrency } from './currency-store.ts';

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

export interface Explained {
  readonly filters: readonly {
    readonly parameter: string;
    readonly matchesAlone: number;
    readonly matchesWithout: number;
  }[];
}

/** Parameters that mean one filter together, under the name of the first. */
const TOGETHER: readonly (readonly (keyof NormalizedQuery)[])[] = [
  ['radius', 'lat', 'lng'],
  ['features', 'featuresOperator'],
  ['q', 'qFields'],
];

/** Exact counts, in one pass over the listings. */
export async function explainSearch(
  database: Database,
  plan: SearchPlan,
  resolved: ResolvedQuery,
  query: SearchQuery,
): Promise<Explained> {
  const plain = normalizeQuery(query);
  const shapes = plan.conditions.filter(isShape);
  // Shapes are taken from the plan: reading a polygon again for each filter would hold up everybody.
  const read = (part: NormalizedQuery) => [
    ...conditionsOf({ ...withoutShapes(part), ...status(plain) }, plan.units, plan.startedAt),
    ...shapes.filter(({ kind }) => part[SHAPES[kind]] !== undefined),
  ];
  const groups = groupsOf(plain, plan);
  const questions = groups.map((names) => ({
    parameter: names[0] ?? '',
    // Of the status itself it is told what it leaves of all, and what is left of all others without it.
    alone: names.includes('status')
      ? conditionsOf(status(plain), plan.units, plan.startedAt)
      : read(pick(plain, names)),
    without: names.includes('status')
      ? [...filtersOf(withoutShapes(plain), plan.units, plan.startedAt), ...shapes]
      : read(
          pick(
            plain,
            groups.flat().filter((name) => !names.includes(name)),
          ),
        ),
  }));
  const counts = await countEach(
    database,
    plan,
    resolved,
    questions.flatMap(({ alone, without }) => [alone, without]),
  );
  return {
    filters: questions.map(({ parameter }, at) => ({
      parameter,
      matchesAlone: counts[at * 2] ?? 0,
      matchesWithout: counts[at * 2 + 1] ?? 0,
    })),
  };
}

/** The parameter that each kind of shape is asked by. */
const SHAPES = { boxes: 'bbox', circle: 'radius', polygon: 'polygon' } as const;

const withoutShapes = ({
  bbox: _,
  polygon: __,
  lat: ___,
  lng: ____,
  radius: _____,
  ...rest
}: NormalizedQuery) => rest;

const status = (plain: NormalizedQuery): NormalizedQuery => ({ status: plain.status ?? [...DEFAULT_STATUS] });

const pick = (plain: NormalizedQuery, names: readonly (keyof NormalizedQuery)[]): NormalizedQuery =>
  Object.fromEntries(names.map((name) => [name, plain[name]]));

/** The filters of a query, each as the parameters that it consists of, in the order in which they were asked. */
function groupsOf(plain: NormalizedQuery, plan: SearchPlan): (keyof NormalizedQuery)[][] {
  const names = (Object.keys(plain) as (keyof NormalizedQuery)[]).filter((name) => plain[name] !== undefined);
  return names.flatMap((name) => {
    const group = TOGETHER.find((each) => each.includes(name));
    if (group) return group[0] === name ? [group.filter((each) => plain[each] !== undefined)] : [];
    const isFilter =
      name === 'status' ||
      name === 'underContract' ||
      filtersOf({ [name]: plain[name] }, plan.units, plan.startedAt).length > 0;
    return isFilter ? [[name]] : [];
  });
}

/** How many listings each set of conditions leaves, of all that a search may show in the plan's currency. */
export async function countEach(
  database: Database,
  plan: SearchPlan,
  resolved: ResolvedQuery,
  sets: readonly (readonly Condition[])[],
): Promise<number[]> {
  if (sets.length === 0) return [];
  const currency = plan.conditions.filter(isCurrency);
  const [row] = await database.read((sql) => {
    // Sets share most of their conditions: each is written, and looked at for a listing, once.
    const columns = new Map<unknown, SqlFragment>();
    const conditions: SqlFragment[] = [];
    const columnOf = (condition: Condition): SqlFragment => {
      // Shapes are the same objects in all sets, and long.
      const key = isShape(condition) ? condition : JSON.stringify(condition);
      const known = columns.get(key);
      if (known !== undefined) return known;
      const name = sql`${sql(`m${columns.size}`)}`;
      conditions.push(sql`(${conditionsSql(sql, [condition], plan, resolved)}) as ${name}`);
      columns.set(key, name);
      return name;
    };
    const counts = sets.map(
      (set, at) => sql`count(*) filter (where ${allOf(sql, set.map(columnOf))})
      ::double precision as ${sql(`c${at}`)}`,
    );
    return sql<Readonly<Record<string, number>>[]>`
    select ${joinSql(counts, ', ')} from (
      select ${joinSql(conditions, ', ')} from listing_search
      where ${shownSql(sql, plan)} and ${conditionsSql(sql, currency, plan, resolved)}
        and status <> all(${[...HIDDEN_STATUSES]}::text[]) offset 0) as met`;
  });
  return sets.map((_, at) => row?.[`c${at}`] ?? 0);
}
