// Statistics of a search: metrics of all its results as they stand.

import { Type } from 'typebox';
import { readAll } from '../../http/input/faults.ts';
import { invalidParameter } from '../../lib/problem.ts';
import { nullable, oneOf } from '../../listings/record.ts';
import type { ListingType } from '../../listings/vocabulary.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import type { SearchBackend } from '../query/search-backend.ts';
import {
  FIGURE_UNITS,
  figureOver,
  METRICS,
  type Metric,
  type ShownFigure,
  shownFigure,
  suggestMetric,
} from './metrics.ts';

export const FigureUnitSchema = oneOf(
  FIGURE_UNITS,
  'Unit of value, p25 and p75. Money is in the currency of the response; rents are per month.',
);

const figure = nullable(Type.Number());

export const StatsSchema = Type.Object(
  {},
  {
    $id: 'SearchStats',
    additionalProperties: Type.Object(
      {
        value: figure,
        n: Type.Integer(),
        excluded: Type.Integer(),
        p25: figure,
        p75: figure,
        suppressed: Type.Boolean(),
        unit: FigureUnitSchema,
      },
      { $id: 'SearchFigure', description: 'One metric over the results of a search.' },
    ),
    description:
      'Statistics by id, of the results as they are at the time of the request. `n`: listings used; `excluded`: listings with an unknown value; `suppressed`: too few ' +
      'listings.',
  },
);

/** The metrics with these ids over all results. Throws INVALID_PARAMETER for an id that searches do not have. */
export async function computeStats(
  backend: Pick<SearchBackend, 'summaries'>,
  search: ResolvedSearch,
  ids: readonly string[],
): Promise<Record<string, ShownFigure>> {
  const { plan } = search;
  const metrics = parseStats(plan.listingType, ids);
  const measures = [...new Set(metrics.flatMap(({ measure }) => measure ?? []))];
  const set = await backend.summaries(search, measures);
  return Object.fromEntries(
    metrics.map((metric) => [metric.id, shownFigure(metric, figureOver(metric, set), plan.units)]),
  );
}

/** The metrics with these ids. Throws INVALID_PARAMETER for each that searches of this type do not have. */
export function parseStats(type: ListingType, ids: readonly string[]): Metric[] {
  const known = snapshotMetrics(type);
  const names = known.map((each) => each.id);
  return readAll(
    [...new Set(ids)].map((id) => () => {
      const metric = known.find((each) => each.id === id);
      if (metric) return metric;
      throw invalidParameter('stats', `must be one of ${names.join(', ')}`, suggestMetric(id, names));
    }),
  );
}

/** The metrics that exist for any set of listings of this type. */
export function snapshotMetrics(type: ListingType): Metric[] {
  return METRICS.filter((metric) => metric.snapshot === true && metric.types.includes(type));
}
