// Valuation of a property: its estimate for sale and for rent, or why there is none.

import { type Static, Type } from 'typebox';
import { nullable, oneOf } from '../listings/record.ts';
import type { ListingType } from '../listings/vocabulary.ts';
import type { Database } from '../postgres/client/database.ts';
import { BASES, findComparables } from './comparables.ts';
import { ESTIMATE_DAYS_OLD, ESTIMATE_RADIUS_KM, estimateFrom, LEVEL, METHOD_IN_WORDS } from './estimate.ts';
import type { PriceTrends } from './price-trend-store.ts';
import type { HomeFacts } from './similarity.ts';
import { allowsEstimate, homeFacts, type VisibleProperty } from './subject-property.ts';

const REASONS = {
  withheld_by_source: 'the source forbids automated valuation',
  place_unknown: 'the place of the home is unknown',
  living_area_unknown: 'its living area is unknown',
  too_few_comparables: 'fewer than five homes are comparable',
} as const;
export type Reason = keyof typeof REASONS;

const amount = nullable(Type.Number());

const ValuationSchema = Type.Object(
  {
    value: nullable(Type.Number({ description: 'Rents are per month.' })),
    low: amount,
    high: amount,
    level: nullable(
      Type.Number({
        description: 'The share of prices, from 0 to 1, that low to high is designed to contain.',
      }),
    ),
    n: Type.Integer({
      description: 'Number of comparables used, or found if they are too few.',
    }),
    basis: nullable(oneOf([...BASES, 'mixed'], 'Whether comparables use prices paid or asking prices.')),
    asOf: Type.String({ format: 'date', description: 'The day of the estimate.' }),
    method: Type.String({ description: 'Description of the method.' }),
    reason: nullable(
      Type.Unsafe<Reason>({
        type: 'string',
        enum: Object.keys(REASONS),
        description: `Why there is no value. ${Object.entries(REASONS)
          .map(([code, text]) => `${code}: ${text}`)
          .join('; ')}.`,
      }),
    ),
  },
  { $id: 'Valuation' },
);
type Valuation = Static<typeof ValuationSchema>;

export const EstimateSchema = Type.Object(
  { currency: Type.String(), sale: ValuationSchema, rent: ValuationSchema },
  { $id: 'Estimate', description: 'The estimated price and rent of a home.' },
);
export type Estimate = Static<typeof EstimateSchema>;

export interface ValuationSources {
  readonly database: Database;
  readonly trends: PriceTrends;
}

/** The estimate of a property for this reader, with the ids of the sources of the homes that it was compared with. */
export async function estimateProperty(
  { database, trends }: ValuationSources,
  visible: VisibleProperty,
): Promise<Estimate & { readonly sources: readonly string[] }> {
  const { now, ignoreDisplayRules, reach } = visible.view;
  const facts = homeFacts(visible.subject);
  const reason = findReasonAgainst(visible, facts);
  const { currency } = visible.subject.record;
  const sources = new Set<string>();
  const valuate = async (type: ListingType): Promise<Valuation> => {
    if (reason !== null || facts === null) return noValuation(reason ?? 'place_unknown', 0, now);
    const market = { listingType: type, currency, now, ignoreDisplayRules, reach };
    const [ranked, slope] = await Promise.all([
      findComparables(database, {
        ...market,
        subject: facts,
        radiusKm: ESTIMATE_RADIUS_KM,
        daysOld: ESTIMATE_DAYS_OLD,
        except: visible.property.listings.map(({ id }) => id),
      }),
      trends.slope({ ...market, propertyType: facts.propertyType, location: facts.location }),
    ]);
    for (const { home } of ranked) sources.add(home.source);
    const estimate = estimateFrom(facts, ranked, { now, slope });
    if (estimate === null) return noValuation('too_few_comparables', ranked.length, now);
    const { value, low, high, n, basis } = estimate;
    return {
      value: toThreeDigits(value),
      low: toThreeDigits(low),
      high: toThreeDigits(high),
      level: LEVEL,
      n,
      basis,
      asOf: day(now),
      method: METHOD_IN_WORDS,
      reason: null,
    };
  };
  const [sale, rent] = await Promise.all([valuate('sale'), valuate('rental')]);
  return { currency, sale, rent, sources: [...sources] };
}

function findReasonAgainst(visible: VisibleProperty, facts: HomeFacts | null): Reason | null {
  if (!visible.view.ignoreDisplayRules && !allowsEstimate(visible)) return 'withheld_by_source';
  if (facts === null) return 'place_unknown';
  return facts.livingArea ? null : 'living_area_unknown';
}

const noValuation = (reason: Reason, n: number, now: number): Valuation => ({
  value: null,
  low: null,
  high: null,
  level: null,
  n,
  basis: null,
  asOf: day(now),
  method: METHOD_IN_WORDS,
  reason,
});

const day = (now: number): string => new Date(now).toISOString().slice(0, 10);

/** Rounded to three digits: more would overstate the accuracy of an estimate. */
export const toThreeDigits = (value: number): number => Number(value.toPrecision(3));
