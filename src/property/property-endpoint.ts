// Shared parts of the endpoints below /v1/property/{id}: parameters, access, the lookup, and the reply with its tag and age.

import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import type { Principal } from '../access/tiers/principal.ts';
import type { Tiers } from '../access/tiers/tiers.ts';
import type { Access } from '../http/frame/route.ts';
import { conditional, contentEtag } from '../http/output/etag.ts';
import type { Reply } from '../http/output/reply.ts';
import type { Clock } from '../lib/clock.ts';
import { instant } from '../listings/days-on-market.ts';
import { CURSOR_HINTS } from '../listings/paging.ts';
import { buildReaderView, type ReaderView, VOLATILE_MEMBERS } from '../listings/presenter.ts';
import { readsFor } from '../listings/property-cache.ts';
import type { ListingReads, StoredListing } from '../listings/store.ts';
import { LISTING_TYPES, type ListingType } from '../listings/vocabulary.ts';
import type { Database } from '../postgres/client/database.ts';
import type { PriceTrends } from './price-trend-store.ts';
import { type VisibleProperty, visibleProperty } from './subject-property.ts';

export interface PropertyRouteOptions {
  readonly database: Database;
  readonly trends: PriceTrends;
  readonly catalogue: ListingReads;
  readonly cache: ListingReads;
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

/** The market that listings are searched in; without it, the subject's own. */
export const listingTypeParameter = Type.Optional(
  Type.Unsafe<ListingType>({
    type: 'string',
    enum: [...LISTING_TYPES],
    description: 'Sale or rental listings. Default: the type of the property’s current listing.',
  }),
);

export const radiusParameter = Type.Optional(
  Type.Number({
    exclusiveMinimum: 0,
    maximum: 60,
    default: 5,
    description: 'Maximum distance in miles, or in kilometres with units=metric. Default: 5.',
  }),
);
export const DEFAULT_RADIUS = 5;

export const MetaSchema = Type.Object({ requestId: Type.String(), tier: Type.String() });

/** Any tier with credentials, as for the property itself. */
export const PROPERTY_ACCESS: Access = {
  credentials: 'required',
  scope: 'listings:read',
  counts: 'month',
};

export const NOT_MODIFIED = { 304: 'The response still matches If-None-Match.' } as const;

interface PropertyCall {
  readonly params: { readonly id: string };
  readonly query: Parameters<typeof buildReaderView>[1];
  readonly caller: Principal;
  readonly headers: IncomingHttpHeaders;
}

/** The reader's view, and what it shows of the property. Throws PROPERTY_NOT_FOUND. */
export async function findVisibleProperty(
  { params, query, caller, headers }: PropertyCall,
  options: PropertyRouteOptions,
): Promise<VisibleProperty & { readonly view: ReaderView }> {
  const view = buildReaderView(caller, query, options.clock.now(), options.publicUrl);
  const stored = await readsFor(headers, options).property(params.id);
  return { ...visibleProperty(stored, view), view };
}

/**
 * The answer with its weak tag, or 304. Last-Modified tells when the newest of these listings changed, Age how many
 * seconds ago the stalest of them was confirmed by its source. `now` in milliseconds since the epoch.
 */
export function propertyReply(
  request: IncomingHttpHeaders,
  reply: Reply,
  listings: readonly StoredListing[],
  now: number,
): Reply {
  const stalest = listings.reduce(
    (oldest, { fetchedAt }) => Math.min(oldest, instant(fetchedAt) ?? now),
    now,
  );
  const headers = {
    ...reply.headers,
    age: String(Math.max(0, Math.floor((now - stalest) / 1000))),
    ...(listings.length > 0 && { 'last-modified': lastModified(listings) }),
    'x-data-source': 'cached',
  };
  return conditional(request, contentEtag(reply.json, VOLATILE_MEMBERS), { ...reply, headers });
}

/** When the newest of these listings changed, as HTTP writes it. */
export function lastModified(listings: readonly StoredListing[]): string {
  const newest = listings.reduce((latest, { updatedAt }) => (updatedAt > latest ? updatedAt : latest), '');
  return new Date(newest).toUTCString();
}
