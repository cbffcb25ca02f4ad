// Owns what the answers of the statistics look like.

import { Type } from 'typebox';
import { PageSchema } from '../listings/page-schema.ts';
import { originMembers } from '../listings/provenance/data-sources.ts';
import { LoadingSchema } from '../listings/provenance/loading.ts';
import { nullable, unitSchema } from '../listings/record.ts';
import { FigureUnitSchema } from '../search/summaries/search-stats.ts';
import { SPREAD_UNITS } from './distribution.ts';

const text = Type.String();
const number = nullable(Type.Number());
const date = Type.String({ format: 'date' });
const texts = Type.Array(text);

const Change = nullable(
  Type.Object(
    { previous: number, yearAgo: number },
    {
      description:
        'How much more than in the period before and a year before: 0.05 is 5 % more. Null where either value is ' +
        'withheld; the whole is null of a metric that is a change itself.',
    },
  ),
);

export const FigureSchema = Type.Object(
  {
    value: number,
    n: Type.Integer({ description: 'Observations that the value rests on.' }),
    excluded: Type.Integer({
      description: 'Others that could not be measured, such as those without a price.',
    }),
    p25: number,
    p75: number,
    change: Change,
    suppressed: Type.Boolean({ description: 'True where the sample is too small for the value to be told.' }),
    unit: FigureUnitSchema,
  },
  { $id: 'MarketFigure', description: 'One metric over one period.' },
);

const Figures = Type.Object(
  {},
  { additionalProperties: FigureSchema, description: 'By the ids of the metrics.' },
);
const PeriodSchema = Type.Object(
  { start: date, end: date },
  { description: 'From the start up to, not including, the end.' },
);
const ScopeSchema = Type.Object({
  listingType: Type.Unsafe<'rental' | 'sale'>({ type: 'string', enum: ['rental', 'sale'] }),
  areas: Type.Array(Type.Object({ id: text, name: text })),
  timeZone: Type.String({
    description: 'On whose calendar periods begin and end: that of the areas, else UTC.',
  }),
  currency: nullable(
    Type.String({
      description:
        'What all money in the answer is in: ISO 4217. Null where there is none, and where each area tells its own.',
    }),
  ),
  filters: Type.Object({}, { additionalProperties: true }),
});
const Meta = Type.Object({
  requestId: text,
  tier: text,
  units: Type.Unsafe<'imperial' | 'metric'>({ type: 'string', enum: ['imperial', 'metric'] }),
  ...originMembers,
  definitions: Type.Record(Type.String(), Type.String({ format: 'uri' }), {
    description: 'Where each metric of the answer is defined, by its id.',
  }),
  loading: LoadingSchema,
});

export const StatsSchema = Type.Object(
  {
    object: Type.Literal('market_stats'),
    scope: ScopeSchema,
    period: PeriodSchema,
    metrics: Figures,
    groups: Type.Array(
      Type.Object({
        by: Type.Object(
          { propertyType: Type.Optional(text), bedrooms: Type.Optional(nullable(Type.Number())) },
          { description: 'What the listings of the group have in common.' },
        ),
        metrics: Figures,
      }),
      { description: 'Groups in which there was anything; none without groupBy.' },
    ),
    page: PageSchema,
    meta: Meta,
  },
  { $id: 'MarketStats' },
);

export const HistorySchema = Type.Object(
  {
    object: Type.Literal('market_history'),
    scope: ScopeSchema,
    interval: text,
    window: nullable(text),
    points: Type.Array(Type.Object({ start: date, end: date, metrics: Figures }), {
      description: 'The oldest first.',
    }),
    page: PageSchema,
    meta: Meta,
  },
  { $id: 'MarketHistory' },
);

export const ComparisonSchema = Type.Object(
  {
    object: Type.Literal('market_comparison'),
    scope: ScopeSchema,
    period: PeriodSchema,
    areas: Type.Array(Type.Object({ areaId: text, name: text, currency: nullable(text), metrics: Figures }), {
      description: 'In the order in which they were asked for.',
    }),
    page: PageSchema,
    meta: Meta,
  },
  { $id: 'MarketComparison' },
);

const PairScope = Type.Omit(ScopeSchema, ['listingType']);

export const YieldSchema = Type.Object(
  {
    object: Type.Literal('market_yield'),
    label: Type.Literal('asking'),
    scope: PairScope,
    period: PeriodSchema,
    bands: Type.Array(
      Type.Object({
        bedrooms: number,
        value: number,
        priceToRentRatio: number,
        nRentals: Type.Integer(),
        nSales: Type.Integer(),
        suppressed: Type.Boolean(),
        unit: unitSchema(['share'], 'The unit of value: the rent of a year as a share of the price.'),
      }),
    ),
    sameProperty: Type.Object({
      value: number,
      n: Type.Integer(),
      p25: number,
      p75: number,
      suppressed: Type.Boolean(),
      unit: unitSchema(['share'], 'The unit of value, p25 and p75.'),
    }),
    page: PageSchema,
    meta: Meta,
  },
  { $id: 'MarketYield' },
);

export const DistributionSchema = Type.Object(
  {
    object: Type.Literal('market_distribution'),
    scope: ScopeSchema,
    period: PeriodSchema,
    measure: text,
    unit: unitSchema(
      SPREAD_UNITS,
      'The unit of percentiles and buckets; money is in the currency of the scope.',
    ),
    n: Type.Integer(),
    excluded: Type.Integer(),
    suppressed: Type.Boolean(),
    percentiles: Type.Object({ p5: number, p25: number, p50: number, p75: number, p95: number }),
    buckets: Type.Array(Type.Object({ from: Type.Number(), to: Type.Number(), count: Type.Integer() }), {
      description: 'Each holds its lower edge; the last one both.',
    }),
    meta: Meta,
  },
  { $id: 'MarketDistribution' },
);

export const MetricListSchema = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(
      Type.Object({
        id: text,
        unit: text,
        kind: text,
        listingTypes: texts,
        formula: text,
        definition: Type.String({ format: 'uri', description: 'Where it is explained to people.' }),
        minimumSample: nullable(
          Type.Integer({
            description: 'Fewer observations, and the value is withheld; null: never withheld.',
          }),
        ),
        snapshot: Type.Boolean({
          description: 'Whether searches can give it for what they find, in `stats`.',
        }),
      }),
    ),
    meta: Type.Object({ requestId: text, tier: text }),
  },
  { $id: 'MarketMetricList' },
);
