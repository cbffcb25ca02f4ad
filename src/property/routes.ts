// Routes of properties: everything below /v1/property/{id}.

import { Type } from 'typebox';
import { type Principal, pageSize } from '../access/tiers/tiers.ts';
import type { Route } from '../http/frame/route.ts';
import { choices } from '../http/input/parameter-kinds.ts';
import { displayParameter, fieldsParameter, unitsParameter } from '../listings/common-parameters.ts';
import { PageSchema, pageLinks } from '../listings/paging.ts';
import { presentListing } from '../listings/presenter.ts';
import { HistoryEventSchema } from '../listings/property-record.ts';
import { ListingSchema, MEMBERS_BY_INCLUDE, oneOf } from '../listings/record.ts';
import { parseFields, selectFields } from '../listings/sparse-fields.ts';
import { LISTING_TYPES } from '../listings/vocabulary.ts';
import {
  ComparableSchema,
  DEFAULT_COUNT,
  DEFAULT_DAYS_OLD,
  listComparables,
  listSimilar,
  presentSubject,
  SimilarListingSchema,
  SubjectSchema,
} from './comparables.ts';
import { DEFAULT_RADIUS, withComparedReads } from './compared-reads.ts';
import { METHOD_IN_WORDS } from './estimate.ts';
import {
  MetaSchema,
  type PropertyRouteOptions,
  pagingParameters,
  propertyEndpoint,
} from './property-endpoint.ts';
import { pageOfHistory, pageOfListings } from './property-pages.ts';
import { type LivePropertyOptions, propertyRoute } from './property-route.ts';
import { SIMILARITY_IN_WORDS } from './similarity.ts';
import { EstimateSchema, estimateProperty } from './valuation.ts';

export function propertyRoutes(options: LivePropertyOptions): readonly Route<Principal>[] {
  return [
    listingsRoute(options),
    historyRoute(options),
    similarRoute(options),
    comparablesRoute(options),
    estimateRoute(options),
    propertyRoute(options),
  ];
}

const listSchema = (id: string, item: typeof ListingSchema | typeof HistoryEventSchema) =>
  Type.Object(
    { object: Type.Literal('list'), data: Type.Array(item), page: PageSchema, meta: MetaSchema },
    { $id: id },
  );

const listingsRoute = (options: PropertyRouteOptions) =>
  propertyEndpoint(options, {
    path: 'listings',
    operation: 'listPropertyListings',
    codes: ['INVALID_CURSOR'],
    summary: 'List the listings of a property',
    description: 'Full listings, newest first. `include=listings` on the property returns a short form.',
    query: Type.Object({
      ...pagingParameters,
      fields: fieldsParameter,
      include: choices(
        Object.keys(MEMBERS_BY_INCLUDE),
        'Adds `cumulativeDaysOnMarket` and `daysOnMarketReported` to each listing.',
      ),
      units: unitsParameter,
      display: displayParameter,
    }),
    answer: { description: 'A page of listings', schema: listSchema('PropertyListings', ListingSchema) },
    read({ query, caller, url }, { property, listings, view }) {
      const fields = parseFields(query.fields, ListingSchema, query.include);
      const limit = pageSize(options.tiers[caller.tier], query.limit);
      const { rows, page } = pageOfListings(listings, {
        limit,
        cursor: query.cursor,
        propertyId: property.id,
      });
      const data = rows.flatMap((row) => {
        const listing = presentListing(row, view);
        return listing ? [selectFields(listing, fields)] : [];
      });
      const headers = pageLinks(options.publicUrl, url, page);
      return { json: { object: 'list', data, page }, headers, listings: rows };
    },
  });

const historyRoute = (options: PropertyRouteOptions) =>
  propertyEndpoint(options, {
    path: 'history',
    operation: 'listPropertyHistory',
    codes: ['INVALID_CURSOR'],
    summary: 'List the history of a property',
    description:
      'Every listing, change of price or status, sale and lease, newest first; the latest thousand.',
    query: Type.Object({ ...pagingParameters, display: displayParameter }),
    answer: { description: 'A page of history', schema: listSchema('PropertyHistory', HistoryEventSchema) },
    read({ query, caller, url }, { property, listings }) {
      const visible = new Set(listings.map(({ id }) => id));
      const entries = property.history.filter(({ listingId }) => visible.has(listingId));
      const limit = pageSize(options.tiers[caller.tier], query.limit);
      const { rows: data, page } = pageOfHistory(entries, {
        limit,
        cursor: query.cursor,
        propertyId: property.id,
      });
      return {
        json: { object: 'list', data, page },
        headers: pageLinks(options.publicUrl, url, page),
        listings,
        shown: listings.filter(({ id }) => data.some(({ listingId }) => listingId === id)),
      };
    },
  });

/** The market that listings are searched in; without it, the subject's own. */
const listingTypeParameter = Type.Optional(
  oneOf(LISTING_TYPES, 'Sale or rental listings. Default: the type of the property’s current listing.'),
);

const radiusParameter = Type.Optional(
  Type.Number({
    exclusiveMinimum: 0,
    maximum: 60,
    default: DEFAULT_RADIUS,
    description: `Maximum distance in miles, or in kilometres with units=metric. Default: ${DEFAULT_RADIUS}.`,
  }),
);

const similarRoute = (options: PropertyRouteOptions) =>
  propertyEndpoint(options, {
    path: 'similar',
    operation: 'listSimilarListings',
    summary: 'List similar listings on the market',
    description:
      'The most similar of the 200 nearest listings of its kind that are on the market and have half to double ' +
      `its living area, one per property. Similarity: ${SIMILARITY_IN_WORDS}`,
    query: Type.Object({
      listingType: listingTypeParameter,
      maxRadius: radiusParameter,
      limit: pagingParameters.limit,
      units: unitsParameter,
      display: displayParameter,
    }),
    answer: {
      description: 'Most similar first',
      schema: Type.Object(
        {
          object: Type.Literal('list'),
          subject: SubjectSchema,
          data: Type.Array(SimilarListingSchema, { description: 'Most similar first.' }),
          meta: MetaSchema,
        },
        { $id: 'SimilarList' },
      ),
    },
    async read(call, visible) {
      const { query, caller } = call;
      const count = pageSize(options.tiers[caller.tier], query.limit);
      const { data, listings } = await withComparedReads(options, call, (reads) =>
        listSimilar(reads, visible, { ...query, count }),
      );
      const { subject } = visible;
      return {
        json: { object: 'list', subject: presentSubject(subject), data },
        listings: [subject, ...listings],
        isOfMarket: true,
      };
    },
  });

const comparablesRoute = (options: PropertyRouteOptions) =>
  propertyEndpoint(options, {
    path: 'comparables',
    operation: 'listComparables',
    summary: 'List comparable homes of a property',
    description:
      'The most similar of the 200 nearest homes of its kind that closed recently or are on the market and have ' +
      `half to double its living area, one listing per property. Similarity: ${SIMILARITY_IN_WORDS} Distances ` +
      'are between displayed places, which are rounded if an address is withheld.',
    query: Type.Object({
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
    }),
    answer: {
      description: 'Most similar first',
      schema: Type.Object(
        {
          object: Type.Literal('comparables'),
          propertyId: Type.String(),
          listingType: oneOf(LISTING_TYPES),
          currency: Type.String(),
          subject: SubjectSchema,
          data: Type.Array(ComparableSchema, { description: 'Most similar first.' }),
          meta: MetaSchema,
        },
        { $id: 'Comparables' },
      ),
    },
    async read(call, visible) {
      const { query, caller } = call;
      const { property, subject } = visible;
      const listingType = query.listingType ?? subject.listingType;
      const count = pageSize(options.tiers[caller.tier], query.compCount ?? DEFAULT_COUNT);
      const { data, listings } = await withComparedReads(options, call, (reads) =>
        listComparables(reads, visible, { ...query, count }),
      );
      const { currency } = subject.record;
      return {
        json: {
          object: 'comparables',
          propertyId: property.id,
          listingType,
          currency,
          subject: presentSubject(subject),
          data,
        },
        listings: [subject, ...listings],
        isOfMarket: true,
      };
    },
  });

const estimateRoute = (options: PropertyRouteOptions) =>
  propertyEndpoint(options, {
    path: 'estimate',
    operation: 'estimateProperty',
    summary: 'Estimate the price and rent of a property',
    description: `${METHOD_IN_WORDS} There is no estimate if the source forbids automated valuation.`,
    query: Type.Object({ display: displayParameter }),
    answer: {
      description: 'The estimate',
      schema: Type.Object(
        {
          object: Type.Literal('estimate'),
          propertyId: Type.String(),
          ...EstimateSchema.properties,
          meta: MetaSchema,
        },
        { $id: 'PropertyEstimate' },
      ),
    },
    async read(_call, visible) {
      const { sources, ...estimate } = await estimateProperty(options, visible);
      return {
        json: { object: 'estimate', propertyId: visible.property.id, ...estimate },
        listings: [visible.subject],
        otherSources: sources,
        shown: [],
        isOfMarket: true,
      };
    },
  });
