// Routes of a property's listings and history, in pages that stay right while both grow.

import { Type } from 'typebox';
import type { Principal } from '../access/tiers/principal.ts';
import { pageSize } from '../access/tiers/tiers.ts';
import { type Route, route } from '../http/frame/route.ts';
import { queryDigest, readCursor, writeCursor } from '../http/input/cursor.ts';
import { choices } from '../http/input/parameter-kinds.ts';
import { displayParameter, fieldsParameter, unitsParameter } from '../listings/common-parameters.ts';
import { instant } from '../listings/days-on-market.ts';
import { PageSchema, pageLinks } from '../listings/paging.ts';
import { presentListing } from '../listings/presenter.ts';
import { HistoryLine } from '../listings/property-record.ts';
import { ListingSchema, MEMBERS_BY_INCLUDE } from '../listings/record.ts';
import { parseFields, selectFields } from '../listings/sparse-fields.ts';
import type { HistoryRow, StoredListing } from '../listings/store.ts';
import {
  findVisibleProperty,
  MetaSchema,
  NOT_MODIFIED,
  PROPERTY_ACCESS,
  PropertyParams,
  type PropertyRouteOptions,
  pagingParameters,
  propertyReply,
} from './property-endpoint.ts';

const listSchema = (id: string, item: typeof ListingSchema | typeof HistoryLine) =>
  Type.Object(
    { object: Type.Literal('list'), data: Type.Array(item), page: PageSchema, meta: MetaSchema },
    { $id: id },
  );

export function propertyListRoutes(options: PropertyRouteOptions): readonly Route<Principal>[] {
  return [listingsRoute(options), historyRoute(options)];
}

function listingsRoute(options: PropertyRouteOptions): Route<Principal> {
  const { tiers, publicUrl } = options;
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
    alsoAnswers: NOT_MODIFIED,
    async handle(call) {
      const { query, caller, headers, requestId, url } = call;
      const fields = parseFields(query.fields, ListingSchema, query.include);
      const { property, listings, view } = await findVisibleProperty(call, options);
      const { rows, page } = pageOfListings(listings, {
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
  const { tiers, publicUrl } = options;
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
    query: Type.Object({ ...pagingParameters, display: displayParameter }),
    answer: { description: 'A page of history', schema: listSchema('PropertyHistory', HistoryLine) },
    alsoAnswers: NOT_MODIFIED,
    async handle(call) {
      const { query, caller, headers, requestId, url } = call;
      const { property, listings, view } = await findVisibleProperty(call, options);
      const visible = new Set(listings.map(({ id }) => id));
      const lines = property.history.filter(({ listingId }) => visible.has(listingId));
      const { rows: data, page } = pageOfHistory(lines, {
        limit: pageSize(tiers[caller.tier], query.limit),
        cursor: query.cursor,
        digest: queryDigest([property.id, 'history']),
      });
      const json = { object: 'list', data, page, meta: { requestId, tier: caller.tier } };
      return propertyReply(headers, { json, headers: pageLinks(publicUrl, url, page) }, listings, view.now);
    },
  });
}

interface Page<T> {
  readonly rows: readonly T[];
  readonly page: {
    readonly limit: number;
    readonly hasMore: boolean;
    readonly nextCursor: string | null;
    readonly prevCursor: null;
  };
}

interface PageRequest {
  readonly limit: number;
  readonly cursor: string | undefined;
  /** What the cursor belongs to. */
  readonly digest: string;
}

/** When a listing began, as its property orders them; milliseconds since the epoch. */
function begunAt({ record, daysOnMarketStart, createdAt }: StoredListing): number {
  const times = [record.listedAt, daysOnMarketStart, record.closedAt, createdAt];
  return times.map(instant).find((at) => at !== null) ?? 0;
}

/** A page of listings, newest first and, of one moment, in the order of their ids. */
function pageOfListings(listings: readonly StoredListing[], request: PageRequest): Page<StoredListing> {
  const after = request.cursor === undefined ? null : readCursor(request.cursor, request.digest, ['number']);
  const isAfter = (listing: StoredListing): boolean => {
    if (after === null) return true;
    const [at, mark] = [begunAt(listing), Number(after.values[0])];
    return at < mark || (at === mark && listing.id > after.id);
  };
  return cut(listings.filter(isAfter), request, (last) => ({ value: begunAt(last), id: last.id }));
}

/**
 * A page of history, newest first. Lines of one moment have no names: the cursor counts how many of them are still to
 * come, which holds while new ones, which come before the older, are added.
 */
function pageOfHistory(lines: readonly HistoryRow[], request: PageRequest): Page<HistoryRow> {
  const after = request.cursor === undefined ? null : readCursor(request.cursor, request.digest, ['number']);
  const mark = after === null ? Number.POSITIVE_INFINITY : Number(after.values[0]);
  const same = lines.filter(({ at }) => instant(at) === mark);
  const older = lines.filter(({ at }) => (instant(at) ?? 0) < mark);
  const left = after === null ? 0 : Math.min(same.length, Number(after.id) || 0);
  const rest = [...same.slice(same.length - left), ...older];
  return cut(rest, request, (last, following) => ({
    value: instant(last.at) ?? 0,
    id: String(following.filter(({ at }) => at === last.at).length),
  }));
}

function cut<T>(
  rest: readonly T[],
  { limit, digest }: PageRequest,
  markOf: (last: T, following: readonly T[]) => { readonly value: number; readonly id: string },
): Page<T> {
  const rows = rest.slice(0, limit);
  const last = rows.at(-1);
  const following = rest.slice(limit);
  const hasMore = following.length > 0;
  if (!hasMore || last === undefined)
    return { rows, page: { limit, hasMore: false, nextCursor: null, prevCursor: null } };
  const { value, id } = markOf(last, following);
  const nextCursor = writeCursor({ query: digest, direction: 'next', startedAt: 0, values: [value], id });
  return { rows, page: { limit, hasMore, nextCursor, prevCursor: null } };
}
