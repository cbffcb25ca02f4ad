// Owns the HTTP face of a property's worth: what compares with it, and what it is estimated at.

import { Type } from 'typebox';
import type { Principal } from '../access/tiers/principal.ts';
import { type Route, route } from '../http/frame/route.ts';
import { readerFor, viewOf } from '../listings/reader.ts';
import { LISTING_TYPES } from '../listings/vocabulary.ts';
import { displayParameter, unitsParameter } from '../search/query/search-parameters.ts';
import { ComparableSchema, DEFAULT_COUNT, DEFAULT_DAYS_OLD, tellComparables } from './comparables-answer.ts';
import { kilometresOf, SubjectSchema, toldSubject } from './compared.ts';
import { METHOD_IN_WORDS } from './estimate.ts';
import {
  NOT_MODIFIED,
  PROPERTY_ACCESS,
  PropertyParams,
  propertyReply,
  seenProperty,
} from './property-answer.ts';
import {
  DEFAULT_RADIUS,
  listingTypeParameter,
  type PropertyRouteOptions,
  radiusParameter,
} from './property-list-routes.ts';
import { SIMILARITY_IN_WORDS } from './similarity.ts';
import { factsOf } from './subject.ts';
import { EstimateSchema, estimateProperty, type Valuer } from './valuation.ts';

const Meta = Type.Object({ requestId: Type.String(), tier: Type.String() });

const Comparables = Type.Object(
  {
    object: Type.Literal('comparables'),
    propertyId: Type.String(),
    listingType: Type.Unsafe<(typeof LISTING_TYPES)[number]>({ type: 'string', enum: [...LISTING_TYPES] }),
    currency: Type.String(),
    subject: SubjectSchema,
    data: Type.Array(ComparableSchema, { description: 'Most similar first.' }),
    meta: Meta,
  },
  { $id: 'Comparables' },
);

const PropertyEstimate = Type.Object(
  {
    object: Type.Literal('estimate'),
    propertyId: Type.String(),
    ...EstimateSchema.properties,
    meta: Meta,
  },
  { $id: 'PropertyEstimate' },
);

const ComparablesQuery = Type.Object({
  listingType: listingTypeParameter,
  maxRadius: radiusParameter,
  daysOld: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3_650,
      default: DEFAULT_DAYS_OLD,
      description: `Maximum age of a closing in days. Default: ${DEFAULT_DAYS_OLD}.`,
    }),
  ),
  compCount: Type.Optional(
    Type.Integer({
      minimum: 5,
      maximum: 25,
      default: DEFAULT_COUNT,
      aliases: ['limit'],
      description: `Maximum number of comparables, capped at the tier’s page size. Default: ${DEFAULT_COUNT}.`,
    }),
  ),
  units: unitsParameter,
  display: displayParameter,
});

type ValuationRouteOptions = PropertyRouteOptions & Valuer;

export function valuationRoutes(options: ValuationRouteOptions): readonly Route<Principal>[] {
  return [comparablesRoute(options), estimateRoute(options)];
}

function comparablesRoute(options: PropertyRouteOptions): Route<Principal> {
  const { database, clock, tiers, publicUrl } = options;
  return route<Principal>()({
    method: 'GET',
    path: '/v1/property/:id/comparables',
    operation: 'listComparables',
    tag: 'Properties',
    summary: 'List comparable homes of a property',
    description:
      'The most similar of the 200 nearest homes of its kind that closed recently or are on the market and have ' +
      `half to double its living area, one listing per property. Similarity: ${SIMILARITY_IN_WORDS} Distances ` +
      'are between displayed places, which are rounded if an address is withheld.',
    access: PROPERTY_ACCESS,
    params: PropertyParams,
    query: ComparablesQuery,
    answer: { description: 'Most similar first', schema: Comparables },
    alsoAnswers: NOT_MODIFIED,
    async handle({ params, query, caller, headers, requestId }) {
      const view = viewOf(caller, query, clock.now(), publicUrl);
      const seen = seenProperty(await readerFor(headers, options).property(params.id), view);
      const { property, subject } = seen;
      const listingType = query.listingType ?? subject.listingType;
      const asked = {
        listingType,
        radiusKm: kilometresOf(query.maxRadius ?? DEFAULT_RADIUS, view.units),
        daysOld: query.daysOld ?? DEFAULT_DAYS_OLD,
        count: Math.min(query.compCount ?? DEFAULT_COUNT, tiers[caller.tier].page),
      };
      const { data, told } = await tellComparables(database, seen, asked, view);
      const json = {
        object: 'comparables',
        ...{ propertyId: property.id, listingType, currency: subject.record.currency },
        subject: toldSubject(subject, factsOf(subject)),
        ...{ data, meta: { requestId, tier: caller.tier } },
      };
      return propertyReply(headers, { json }, [subject, ...told], view.now);
    },
  });
}

function estimateRoute(options: ValuationRouteOptions): Route<Principal> {
  const { clock, publicUrl } = options;
  return route<Principal>()({
    method: 'GET',
    path: '/v1/property/:id/estimate',
    operation: 'estimateProperty',
    tag: 'Properties',
    summary: 'Estimate the price and rent of a property',
    description: `${METHOD_IN_WORDS} There is no estimate if the source forbids automated valuation.`,
    access: PROPERTY_ACCESS,
    params: PropertyParams,
    query: Type.Object({ display: displayParameter }),
    answer: { description: 'The estimate', schema: PropertyEstimate },
    alsoAnswers: NOT_MODIFIED,
    async handle({ params, query, caller, headers, requestId }) {
      const view = viewOf(caller, query, clock.now(), publicUrl);
      const seen = seenProperty(await readerFor(headers, options).property(params.id), view);
      const json = {
        object: 'estimate',
        propertyId: seen.property.id,
        ...(await estimateProperty(options, seen, view)),
        meta: { requestId, tier: caller.tier },
      };
      return propertyReply(headers, { json }, [seen.subject], view.now);
    },
  });
}
