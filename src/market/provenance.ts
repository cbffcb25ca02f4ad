// Provenance of market statistics: the sources of their listings, and the definitions of their metrics.

import { findOrigin, type Origin } from '../listings/provenance/data-sources.ts';
import type { ListingType } from '../listings/vocabulary.ts';
import type { Database } from '../postgres/client/database.ts';
import type { RequestedMetric } from './figures.ts';
import type { MeasureName } from './parameters.ts';
import { listingScopeOf, type Scope } from './scope.ts';

export interface Basis {
  readonly origin: Origin;
  /** Distinct ids of the metrics in the response. */
  readonly defined: readonly string[];
}

/** The provenance of a response about these scopes. */
export async function findProvenance(
  database: Database,
  scopes: readonly Scope[],
  metricIds: readonly string[],
): Promise<Basis> {
  const origin = await findOrigin(
    database,
    scopes.map((scope) => listingScopeOf(scope).where),
  );
  return { origin, defined: [...new Set(metricIds)] };
}

export const idsOf = (metrics: readonly RequestedMetric[]): string[] =>
  metrics.map(({ metric }) => metric.id);

const MEDIAN_AGE = 'median_age_of_inventory';
const MEDIANS: Readonly<Record<ListingType, Readonly<Partial<Record<MeasureName, string>>>>> = {
  sale: { price: 'median_list_price', pricePerArea: 'median_price_per_area', daysOnMarket: MEDIAN_AGE },
  rental: { price: 'median_rent', pricePerArea: 'median_rent_per_area', daysOnMarket: MEDIAN_AGE },
};

/** The metrics that a distribution details: the inventory, and the median of the measure if it is a metric. */
export function idsOfDistribution(type: ListingType, measure: MeasureName): string[] {
  const median = MEDIANS[type][measure];
  return ['inventory', ...(median === undefined ? [] : [median])];
}

/** The page that explains a metric. */
export const definitionUrl = (publicUrl: string, id: string): string => `${publicUrl}/docs/metrics#${id}`;
