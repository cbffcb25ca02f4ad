// Response schemas of market statistics.

import { type TProperties, Type } from 'typebox';
import { TierSchema } from '../access/tiers/tier-schema.ts';
import { PageSchema } from '../listings/paging.ts';
import { originMembers } from '../listings/provenance/data-source-store.ts';
import { LoadingSchema } from '../listings/provenance/loading.ts';
import { nullable, number, oneOf } from '../listings/record.ts';
import { PROPERTY_TYPES } from '../listings/vocabulary.ts';
import { CurrencyChoiceSchema } from '../search/summaries/currency.ts';
import { FigureUnitSchema } from '../search/summaries/stats.ts';
import { INTERVALS } from './calendar.ts';
import { DISTRIBUTION_UNITS } from './distribution.ts';
import { MEASURES } from './parameters.ts';

const text = Type.String();
const date = Type.String({ format: 'date' });

const Change = nullable(
  Type.Object(
    { previous: number, yearAgo: number },
    {
      description:
        'Relative change to the previous period (as many months or days before) and to a year before: 0.05 is 5 % more. Null if either value is ' +
        'suppressed. The whole object is null for a metric that is a change itself.',
    },
  ),
);

const PeriodSchema = Type.Object(
  { start: date, end: date },
  { description: 'Includes the start and excludes the end.' },
);

const FigureSchema = Type.Object(
  {
    value: number,
    n: Type.Integer({ description: 'Number of observations used.' }),
    excluded: Type.Integer({
      description: 'Observations that could not be measured, such as those without a price.',
    }),
    p25: number,
    p75: number,
    change: Change,
    suppressed: Type.Boolean({ description: 'True if the sample is too small; the value is then null.' }),
    unit: FigureUnitSchema,
    period: Type.Object(
      { start: date, end: date },
      {
        description:
          'The days that this figure is of, without the end: those of the response, or the three months before its end ' +
          'for `months_of_supply`. A state, such as `inventory`, is of one moment, the beginning of the day that is both.',
      },
    ),
  },
  { $id: 'MarketFigure', description: 'One metric over one period.' },
);

const Figures = Type.Object(
  {},
  { additionalProperties: FigureSchema, description: 'Keys are ids of metrics.' },
);
const ScopeSchema = Type.Object({
  listingType: oneOf(['rental', 'sale']),
  areas: Type.Array(Type.Object({ id: text, name: text })),
  timeZone: Type.String({
    description: 'Time zone in which periods begin and end: that of the areas, else UTC.',
  }),
  currency: nullable(
    Type.String({
      description:
        'Currency of all money in the response (ISO 4217). Null if there is none, or if each area names its own.',
    }),
  ),
  currencyChoice: CurrencyChoiceSchema,
  filters: Type.Object({}, { additionalProperties: true }),
});
const Meta = Type.Object({
  requestId: text,
  tier: TierSchema,
  units: oneOf(['imperial', 'metric']),
  ...originMembers,
  definitions: Type.Record(Type.String(), Type.String({ format: 'uri' }), {
    description: 'Links to the definition of each metric, by its id.',
  }),
  loading: LoadingSchema,
});

/** A response: its kind, its own members, and `meta`. */
const response = <Name extends string, Members extends TProperties>(
  $id: string,
  object: Name,
  members: Members,
) => Type.Object({ object: Type.Literal(object), ...members, meta: Meta }, { $id });

export const StatsSchema = response('MarketStats', 'market_stats', {
  scope: ScopeSchema,
  period: PeriodSchema,
  metrics: Figures,
  groups: Type.Array(
    Type.Object({
      by: Type.Object(
        {
          propertyType: Type.Optional(oneOf(PROPERTY_TYPES)),
          bedrooms: Type.Optional(nullable(Type.Number())),
        },
        { description: 'The values that define the group.' },
      ),
      metrics: Figures,
    }),
    { description: 'Non-empty groups; empty without groupBy.' },
  ),
  page: PageSchema,
});

export const HistorySchema = response('MarketHistory', 'market_history', {
  scope: ScopeSchema,
  interval: oneOf(INTERVALS),
  window: nullable(text),
  points: Type.Array(Type.Object({ start: date, end: date, metrics: Figures }), {
    description: 'Oldest first.',
  }),
  page: PageSchema,
});

export const ComparisonSchema = response('MarketComparison', 'market_comparison', {
  scope: ScopeSchema,
  period: PeriodSchema,
  areas: Type.Array(
    Type.Object({
      areaId: text,
      name: text,
      currency: nullable(text),
      currencyChoice: CurrencyChoiceSchema,
      metrics: Figures,
    }),
    {
      description: 'In the order of the request.',
    },
  ),
  page: PageSchema,
});

export const YieldSchema = response('MarketYield', 'market_yield', {
  label: Type.Literal('asking'),
  scope: Type.Omit(ScopeSchema, ['listingType']),
  period: PeriodSchema,
  bands: Type.Array(
    Type.Object({
      bedrooms: number,
      value: number,
      priceToRentRatio: number,
      nRentals: Type.Integer(),
      nSales: Type.Integer(),
      suppressed: Type.Boolean(),
      unit: oneOf(['share'], 'Unit of value: a year’s rent as a share of the price.'),
    }),
  ),
  sameProperty: Type.Object({
    period: PeriodSchema,
    value: number,
    n: Type.Integer(),
    p25: number,
    p75: number,
    suppressed: Type.Boolean(),
    unit: oneOf(['share'], 'Unit of value, p25 and p75.'),
  }),
  page: PageSchema,
});

export const DistributionSchema = response('MarketDistribution', 'market_distribution', {
  scope: ScopeSchema,
  period: PeriodSchema,
  asOf: Type.String({
    format: 'date',
    description: 'The listings are those on the market as this day begins.',
  }),
  measure: oneOf(MEASURES),
  unit: oneOf(DISTRIBUTION_UNITS, 'Unit of percentiles and buckets. Money is in the currency of the scope.'),
  n: Type.Integer(),
  excluded: Type.Integer(),
  suppressed: Type.Boolean(),
  percentiles: Type.Object({ p5: number, p25: number, p50: number, p75: number, p95: number }),
  buckets: Type.Array(Type.Object({ from: Type.Number(), to: Type.Number(), count: Type.Integer() }), {
    description: 'Each bucket includes its lower edge; the last one includes both edges.',
  }),
});

export const MetricListSchema = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(
      Type.Object({
        id: text,
        unit: text,
        kind: text,
        listingTypes: Type.Array(text),
        formula: text,
        definition: Type.String({ format: 'uri', description: 'Link to its explanation.' }),
        minimumSample: nullable(
          Type.Integer({
            description: 'With fewer observations the value is suppressed. Null: never suppressed.',
          }),
        ),
        snapshot: Type.Boolean({ description: 'Whether searches support it in `stats`.' }),
      }),
    ),
    meta: Type.Object({ requestId: text, tier: TierSchema }),
  },
  { $id: 'MarketMetricList' },
);
