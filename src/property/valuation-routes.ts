// Routes of what is like a property, what compares with it, and what it is estimated at.

import { Type } from 'typebox';
import type { Principal } from '../access/tiers/principal.ts';
import { pageSize } from '../access/tiers/tiers.ts';
import { type Route, route } from '../http/frame/route.ts';
import { displayParameter, unitsParameter } from '../listings/common-parameters.ts';
import { LISTING_TYPES } from '../listings/vocabulary.ts';
import {
  ComparableSchema,
  DEFAULT_COUNT,
  DEFAULT_DAYS_OLD,
  kilometresOf,
  listComparables,
  listSimilar,
  presentSubject,
  SimilarListingSchema,
  SubjectSchema,
} from './comparables.ts';
import { METHOD_IN_WORDS } from './estimate.ts';
import {
  DEFAULT_RADIUS,
  findVisibleProperty,
  listingTypeParameter,
  MetaSchema,
  NOT_MODIFIED,
  PROPERTY_ACCESS,
  PropertyParams,
  type PropertyRouteOptions,
  pagingParameters,
  propertyReply,
  radiusParameter,
} from './property-endpoint.ts';
import { SIMILARITY_IN_WORDS } from './similarity.ts';
import { homeFacts } from './subject-property.ts';
import { EstimateSchema, estimateProperty } from './valuation.ts';

const SimilarList = Type.Object(
  {
    object: Type.Literal('list'),
    subject: SubjectSchema,
    data: Type.Array(SimilarListingSchema, { description: 'Most similar first.' }),
    meta: MetaSchema,
  },
  { $id: 'SimilarList' },
);

const Comparables = Type.Object(
  {
    object: Type.Literal('comparables'),
    propertyId: Type.String(),
    listingType: Type.Unsafe<(typeof LISTING_TYPES)[number]>({ type: 'string', enum: [...LISTING_TYPES] }),
    currency: Type.String(),
    subject: SubjectSchema,
    data: Type.Array(ComparableSchema, { description: 'Most similar first.' }),
    meta: MetaSchema,
  },
  { $id: 'Comparables' },
);

const PropertyEstimate = Type.Object(
  {
    object: Type.Literal('estimate'),
    propertyId: Type.String(),
    ...EstimateSchema.properties,
    meta: MetaSchema,
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

export function valuationRoutes(options: PropertyRouteOptions): readonly Route<Principal>[] {
  return [similarRoute(options), comparablesRoute(options), estimateRoute(options)];
}

function similarRoute(options: PropertyRouteOptions): Route<Principal> {
  const { database, tiers } = options;
  return route<Principal>()({
    method: 'GET',
    path: '/v1/property/:id/similar',
    operation: 'listSimilarListings',
    tag: 'Properties',
    summary: 'List similar listings on the market',
    description:
      'The most similar of the 200 nearest listings of its kind that are on the market and have half to double ' +
      `its living area, one per property. Similarity: ${SIMILARITY_IN_WORDS}`,
    access: PROPERTY_ACCESS,
    params: PropertyParams,
    query: Type.Object({
      listingType: listingTypeParameter,
      maxRadius: radiusParameter,
      limit: pagingParameters.limit,
      units: unitsParameter,
      display: displayParameter,
    }),
    answer: { description: 'Most similar first', schema: SimilarList },
    alsoAnswers: NOT_MODIFIED,
    async handle(call) {
      const { query, caller, headers, requestId } = call;
      const { view, ...visible } = await findVisibleProperty(call, options);
      const { subject } = visible;
      const found = await listSimilar(database, visible, view, {
        listingType: query.listingType ?? subject.listingType,
        radiusKm: kilometresOf(query.maxRadius ?? DEFAULT_RADIUS, view.units),
        count: pageSize(tiers[caller.tier], query.limit),
      });
      const json = {
        object: 'list',
        subject: presentSubject(subject, homeFacts(subject)),
        data: found.map(({ home: _, stored: __, ...similar }) => similar),
        meta: { requestId, tier: caller.tier },
      };
      return propertyReply(headers, { json }, [subject, ...found.map(({ stored }) => stored)], view.now);
    },
  });
}

function comparablesRoute(options: PropertyRouteOptions): Route<Principal> {
  const { database, tiers } = options;
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
    async handle(call) {
      const { query, caller, headers, requestId } = call;
      const { view, ...visible } = await findVisibleProperty(call, options);
      const { property, subject } = visible;
      const listingType = query.listingType ?? subject.listingType;
      const request = {
        listingType,
        radiusKm: kilometresOf(query.maxRadius ?? DEFAULT_RADIUS, view.units),
        daysOld: query.daysOld ?? DEFAULT_DAYS_OLD,
        count: Math.min(query.compCount ?? DEFAULT_COUNT, tiers[caller.tier].page),
      };
      const { data, listings } = await listComparables(database, visible, request, view);
      const json = {
        object: 'comparables',
        ...{ propertyId: property.id, listingType, currency: subject.record.currency },
        subject: presentSubject(subject, homeFacts(subject)),
        ...{ data, meta: { requestId, tier: caller.tier } },
      };
      return propertyReply(headers, { json }, [subject, ...listings], view.now);
    },
  });
}

function estimateRoute(options: PropertyRouteOptions): Route<Principal> {
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
    async handle(call) {
      const { caller, headers, requestId } = call;
      const { view, ...visible } = await findVisibleProperty(call, options);
      const json = {
        object: 'estimate',
        propertyId: visible.property.id,
        ...(await estimateProperty(options, visible, view)),
        meta: { requestId, tier: caller.tier },
      };
      return propertyReply(headers, { json }, [visible.subject], view.now);
    },
  });
}
