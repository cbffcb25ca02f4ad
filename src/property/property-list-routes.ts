// Owns the HTTP face of what hangs below a property: its listings, its history, and what is on the market like it.

import { Type } from 'typebox';
import type { Principal } from '../access/tiers/principal.ts';
import { pageSize } from '../access/tiers/tiers.ts';
import { type Route, route } from '../http/frame/route.ts';
import { queryDigest } from '../http/input/cursor.ts';
import { choices } from '../http/input/parameter-kinds.ts';
import { parseFields, selectFields } from '../listings/fields.ts';
import type { ListingReads } from '../listings/listing-reads.ts';
import { PageSchema } from '../listings/page-schema.ts';
import { presentListing } from '../listings/present.ts';
import { HistoryLine } from '../listings/property.ts';
import type { Remembered } from '../listings/read-cache.ts';
import { pageLinks, readerFor, viewOf } from '../listings/reader.ts';
import { ListingSchema, MEMBERS_BY_INCLUDE } from '../listings/record.ts';
import { CURSOR_HINTS } from '../listings/shared-parameters.ts';
import { LISTING_TYPES, type ListingType } from '../listings/vocabulary.ts';
import type { CatalogueRouteOptions } from '../search/http/routes.ts';
import { displayParameter, fieldsParameter, unitsParameter } from '../search/query/search-parameters.ts';
import {
  ComparedSchema,
  kilometresOf,
  presentRanked,
  rankedByLikeness,
  SubjectSchema,
  toldSubject,
} from './compared.ts';
import { findListings, findNeighbours } from './neighbour-store.ts';
import {
  NOT_MODIFIED,
  PROPERTY_ACCESS,
  PropertyParams,
  propertyReply,
  seenProperty,
} from './property-answer.ts';
import { pageOfHistory, pageOfListings } from './property-pages.ts';
import { SIMILARITY_IN_WORDS } from './similarity.ts';
import { factsOf } from './subject.ts';

export interface PropertyRouteOptions extends CatalogueRouteOptions {
  readonly catalogue: ListingReads;
  /** Reads that need not see what was written this very moment. */
  readonly memory: Remembered;
}

const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, description: 'Page size, capped at the tier’s maximum.' })),
  cursor: Type.Optional(
    Type.String({ maxLength: 2_000, description: 'The nextCursor of a page.', hints: CURSOR_HINTS }),
  ),
};

const Meta = Type.Object({ requestId: Type.String(), tier: Type.String() });

const list = (id: string, item: typeof ListingSchema | typeof HistoryLine) =>
  Type.Object(
    { object: Type.Literal('list'), data: Type.Array(item), page: PageSchema, meta: Meta },
    { $id: id },
  );

const SimilarList = Type.Object(
  {
    object: Type.Literal('list'),
    subject: SubjectSchema,
    data: Type.Array(ComparedSchema, { description: 'Most similar first.' }),
    meta: Meta,
  },
  { $id: 'SimilarList' },
);

/** The offer that listings are looked for in; without it, the subject's own. */
export const listingTypeParameter = Type.Optional(
  Type.Unsafe<ListingType>({
    type: 'string',
    enum: [...LISTING_TYPES],
    description: 'Sale or rental listings. Default: the type of the property’s current listing.',
  }),
);

/** `description` of the default goes with it. */
export const radiusParameter = Type.Optional(
  Type.Number({
    exclusiveMinimum: 0,
    maximum: 60,
    default: 5,
    description: 'Maximum distance in miles, or in kilometres with units=metric. Default: 5.',
  }),
);

export const DEFAULT_RADIUS = 5;

export function propertyPartRoutes(options: PropertyRouteOptions): readonly Route<Principal>[] {
  return [listingsRoute(options), historyRoute(options), similarRoute(options)];
}

function listingsRoute(options: PropertyRouteOptions): Route<Principal> {
  const { clock, tiers, publicUrl } = options;
  return route<Principal>()({
    method: 'GET',
    path: '/v1/property/:id/listings',
    operation: 'listPropertyListings',
    tag: 'Properties',
    summary: 'List the listings of a property',
    description: 'Full listings, newest first. `include=listings` on the property returns a short form.',
    access: PROPERTY_ACCESS,
    params: PropertyParams,
    query: Type.Object({
      ...paging,
      fields: fieldsParameter,
      include: choices(
        Object.keys(MEMBERS_BY_INCLUDE),
        'Adds `cumulativeDaysOnMarket` and `daysOnMarketReported` to each listing.',
      ),
      units: unitsParameter,
      display: displayParameter,
    }),
    answer: { description: 'A page of listings', schema: list('PropertyListings', ListingSchema) },
    alsoAnswers: NOT_MODIFIED,
    async handle({ params, query, caller, headers, requestId, url }) {
      const view = viewOf(caller, query, clock.now(), publicUrl);
      const fields = parseFields(query.fields, ListingSchema, query.include);
      const stored = await readerFor(headers, options).property(params.id);
      const { property, shown } = seenProperty(stored, view);
      const { rows, page } = pageOfListings(shown, {
        limit: pageSize(tiers[caller.tier], query.limit),
        cursor: query.cursor,
        digest: queryDigest([property.id, 'listings']),
      });
      const data = rows.flatMap((row) => {
        const listing = presentListing(row, view);
        return listing ? [selectFields(listing, fields)] : [];
      });
      const json = { object: 'list', data, page, meta: { requestId, tier: caller.tier } };
      return propertyReply(headers, { json, headers: pageLinks(publicUrl, url, page) }, rows, view.now);
    },
  });
}

function historyRoute(options: PropertyRouteOptions): Route<Principal> {
  const { clock, tiers, publicUrl } = options;
  return route<Principal>()({
    method: 'GET',
    path: '/v1/property/:id/history',
    operation: 'listPropertyHistory',
    tag: 'Properties',
    summary: 'List the history of a property',
    description:
      'Every listing, change of price or status, sale and lease, newest first; the latest thousand.',
    access: PROPERTY_ACCESS,
    params: PropertyParams,
    query: Type.Object({ ...paging, display: displayParameter }),
    answer: { description: 'A page of history', schema: list('PropertyHistory', HistoryLine) },
    alsoAnswers: NOT_MODIFIED,
    async handle({ params, query, caller, headers, requestId, url }) {
      const view = viewOf(caller, query, clock.now(), publicUrl);
      const stored = await readerFor(headers, options).property(params.id);
      const { property, shown } = seenProperty(stored, view);
      const visible = new Set(shown.map(({ id }) => id));
      const lines = property.history.filter(({ listingId }) => visible.has(listingId));
      const { rows: data, page } = pageOfHistory(lines, {
        limit: pageSize(tiers[caller.tier], query.limit),
        cursor: query.cursor,
        digest: queryDigest([property.id, 'history']),
      });
      const json = { object: 'list', data, page, meta: { requestId, tier: caller.tier } };
      return propertyReply(headers, { json, headers: pageLinks(publicUrl, url, page) }, shown, view.now);
    },
  });
}

function similarRoute(options: PropertyRouteOptions): Route<Principal> {
  const { database, clock, tiers, publicUrl } = options;
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
      limit: paging.limit,
      units: unitsParameter,
      display: displayParameter,
    }),
    answer: { description: 'Most similar first', schema: SimilarList },
    alsoAnswers: NOT_MODIFIED,
    async handle({ params, query, caller, headers, requestId }) {
      const view = viewOf(caller, query, clock.now(), publicUrl);
      const stored = await readerFor(headers, options).property(params.id);
      const { property, subject } = seenProperty(stored, view);
      const facts = factsOf(subject);
      const homes = facts
        ? await findNeighbours(database, {
            listingType: query.listingType ?? subject.listingType,
            subject: facts,
            currency: null,
            radiusKm: kilometresOf(query.maxRadius ?? DEFAULT_RADIUS, view.units),
            except: property.listings.map(({ id }) => id),
            closedSince: null,
            now: view.now,
            ignoreDisplayRules: view.ignoreDisplayRules,
          })
        : [];
      const ranked = facts ? rankedByLikeness(facts, homes) : [];
      const best = ranked.slice(0, pageSize(tiers[caller.tier], query.limit));
      const listings = await findListings(
        database,
        best.map(({ home }) => home.id),
      );
      const found = facts ? presentRanked(best, listings, facts, view) : [];
      const json = {
        object: 'list',
        subject: toldSubject(subject, facts),
        data: found.map(({ home: _, stored: __, ...told }) => told),
        meta: { requestId, tier: caller.tier },
      };
      const told = [subject, ...found.map((each) => each.stored)];
      return propertyReply(headers, { json }, told, view.now);
    },
  });
}
