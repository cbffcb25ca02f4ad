// Statistics of a search: metrics of all its results as they stand.

import { Type } from 'typebox';
import { nearest } from '../../lib/nearest.ts';
import { invalidParameter } from '../../lib/problem.ts';
import { nullable, unitSchema } from '../../listings/record.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { SearchPlan } from '../query/plan.ts';
import type { ResolvedQuery } from '../query/resolved-query.ts';
import { whereSql } from '../sql/condition-sql.ts';
import { findSnapshot, snapshotMetrics } from './metric-store.ts';
import type { ShownFigure } from './metric-values.ts';
import { FIGURE_UNITS } from './metrics.ts';

export const FigureUnitSchema = unitSchema(
  FIGURE_UNITS,
  'Unit of value, p25 and p75. Money is in the currency of the response; rents are per month.',
);

const figure = nullable(Type.Number());

export const StatsSchema = Type.Record(
  Type.String(),
  Type.Object({
    ...{ value: figure, n: Type.Integer(), excluded: Type.Integer(), p25: figure, p75: figure },
    suppressed: Type.Boolean(),
    unit: FigureUnitSchema,
  }),
  {
    description:
      'Statistics by id. `n`: listings used; `excluded`: listings with an unknown value; `suppressed`: too few ' +
      'listings.',
  },
);

/** The metrics with these ids over all results. Throws INVALID_PARAMETER for an id that says nothing of a search. */
export async function computeStats(
  database: Database,
  plan: SearchPlan,
  resolved: ResolvedQuery,
  ids: readonly string[],
): Promise<Record<string, ShownFigure>> {
  const known = snapshotMetrics(plan.listingType);
  const metrics = [...new Set(ids)].map((id) => {
    const metric = known.find((each) => each.id === id);
    if (metric) return metric;
    const names = known.map((each) => each.id);
    throw invalidParameter('stats', `must be one of ${names.join(', ')}`, nearest(id, names));
  });
  return database.read((sql) =>
    findSnapshot(sql, whereSql(sql, plan, resolved), metrics, plan.startedAt, plan.units),
  );
}
