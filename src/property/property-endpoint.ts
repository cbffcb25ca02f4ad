// Endpoints below /v1/property/{id}: their parameters, access, lookup of the property, and reply with its tag and age.

import type { IncomingHttpHeaders } from 'node:http';
import { type Static, type TObject, Type } from 'typebox';
import { TierSchema } from '../access/tiers/tier-schema.ts';
import type { Principal, Tiers } from '../access/tiers/tiers.ts';
import { type Access, type RequestContext, type Route, route } from '../http/frame/route.ts';
import { conditional, contentEtag } from '../http/output/etag.ts';
import type { Reply } from '../http/output/reply.ts';
import { type Clock, parseTime } from '../lib/clock.ts';
import { CURSOR_HINTS } from '../listings/paging.ts';
import { buildReaderView, VOLATILE_MEMBERS } from '../listings/presenter.ts';
import { bypassesCache, readsFor } from '../listings/property-cache.ts';
import { type ReadSources, sourcesOf } from '../listings/provenance/data-source-store.ts';
import type { ListingReads, StoredListing } from '../listings/store.ts';
import type { Database } from '../postgres/client/database.ts';
import type { AnalyticsQueue } from '../search/summaries/analytics-queue.ts';
import type { PriceTrends } from './price-trend-store.ts';
import { type VisibleProperty, visibleProperty } from './subject-property.ts';

export interface PropertyRouteOptions {
  readonly database: Database;
  /** Where questions about many homes wait. */
  readonly analytics: AnalyticsQueue;
  readonly trends: PriceTrends;
  readonly catalogue: ListingReads;
  readonly cache: ListingReads;
  readonly readSources: ReadSources;
  readonly tiers: Tiers;
  readonly clock: Clock;
  /** Without a slash at its end. */
  readonly publicUrl: string;
}

export const PropertyParams = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 200,
    missing: 'PROPERTY_NOT_FOUND',
    description: 'The id of a property, or of any of its listings.',
  }),
});

export const pagingParameters = {
  limit: Type.Optional(Type.Integer({ minimum: 1, description: 'Page size, capped at the tier’s maximum.' })),
  cursor: Type.Optional(
    Type.String({ maxLength: 2_000, description: 'The nextCursor of a page.', hints: CURSOR_HINTS }),
  ),
};

export const MetaSchema = Type.Object({
  requestId: Type.String(),
  tier: TierSchema,
  sources: sourcesOf('The sources of the listings that went into the answer, sorted by id.'),
});

/** Any tier with credentials, as for the property itself. */
export const PROPERTY_ACCESS: Access = {
  credentials: 'required',
  scope: 'listings:read',
  counts: 'month',
};

export type PropertyCall<Query extends TObject> = RequestContext<
  Principal,
  Static<Query>,
  Static<typeof PropertyParams>,
  unknown
>;

/** What an endpoint answers: JSON without its `meta`, and the listings that went into it. */
interface PropertyAnswer {
  readonly json: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly listings: readonly StoredListing[];
  /** Ids of the sources of other listings that went into it. */
  readonly otherSources?: readonly string[];
  /** Those that it shows; default: all of them. */
  readonly shown?: readonly StoredListing[];
  /** True if the market changes the answer too, so that no date of these listings is its Last-Modified. */
  readonly isOfMarket?: boolean;
}

interface PropertyEndpoint<Query extends TObject>
  extends Pick<Route<Principal>, 'operation' | 'summary' | 'answer' | 'codes'> {
  /** The path below /v1/property/{id}. */
  readonly path: string;
  readonly description: string;
  readonly query: Query;
  read(call: PropertyCall<Query>, visible: VisibleProperty): Promise<PropertyAnswer> | PropertyAnswer;
}

/** The route of an endpoint below /v1/property/{id}. It throws PROPERTY_NOT_FOUND where the reader may see no listing. */
export function propertyEndpoint<Query extends TObject>(
  options: PropertyRouteOptions,
  { path, read, ...documentation }: PropertyEndpoint<Query>,
): Route<Principal> {
  return route<Principal>()({
    method: 'GET',
    path: `/v1/property/:id/${path}`,
    tag: 'Properties',
    ...documentation,
    access: PROPERTY_ACCESS,
    params: PropertyParams,
    alsoAnswers: { 304: 'The response still matches If-None-Match.' },
    async handle(call) {
      const { params, query, caller, headers, requestId } = call;
      const view = buildReaderView(caller, query, options.clock.now(), options.publicUrl);
      const stored = await readsFor(headers, options).property(params.id);
      const answer = await read(call, visibleProperty(stored, view));
      for (const { source } of answer.shown ?? answer.listings) call.usage.shows(source);
      const ids = [...answer.listings.map(({ source }) => source), ...(answer.otherSources ?? [])];
      const sources = await options.readSources(ids, view.reach, bypassesCache(headers));
      const meta = { requestId, tier: caller.tier, sources };
      return propertyReply(headers, { ...answer, json: { ...answer.json, meta } }, view.now);
    },
  });
}

/**
 * The answer with its weak entity tag, or 304. Last-Modified is when the newest of its listings changed, if nothing else changes it; Age the seconds
 * since the stalest was confirmed by its source. `now` in milliseconds since the epoch.
 */
function propertyReply(
  request: IncomingHttpHeaders,
  { json, headers, listings, isOfMarket = false }: PropertyAnswer,
  now: number,
): Reply {
  const stalest = Math.min(now, ...listings.map(({ fetchedAt }) => parseTime(fetchedAt) ?? now));
  const reply = {
    json,
    headers: {
      ...headers,
      age: String(Math.max(0, Math.floor((now - stalest) / 1000))),
      ...(listings.length > 0 && !isOfMarket && { 'last-modified': lastModified(listings) }),
      'x-data-source': 'cached',
    },
  };
  return conditional(request, contentEtag(json, VOLATILE_MEMBERS), reply, now);
}

/** When the newest of these listings changed, as HTTP writes it. */
export function lastModified(listings: readonly StoredListing[]): string {
  const newest = listings.reduce((latest, { updatedAt }) => (updatedAt > latest ? updatedAt : latest), '');
  return new Date(newest).toUTCString();
}
