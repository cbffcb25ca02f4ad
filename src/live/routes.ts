// Routes of one listing: its stream of events, and the stored record as JSON.

import { type Static, Type } from 'typebox';
import type { StreamLimit } from '../access/limits/stream-limit.ts';
import type { Principal } from '../access/tiers/tiers.ts';
import { type RequestContext, type Route, route } from '../http/frame/route.ts';
import { conditional, contentEtag } from '../http/output/etag.ts';
import type { Clock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { displayParameter } from '../listings/common-parameters.ts';
import { buildReaderView, presentListing, VOLATILE_MEMBERS } from '../listings/presenter.ts';
import { readsFor } from '../listings/property-cache.ts';
import { type Listing, ListingSchema } from '../listings/record.ts';
import type { ListingReads, StoredListing } from '../listings/store.ts';
import { isAfterDone, openListingStream } from './listing-stream.ts';
import type { Refresh } from './refresh.ts';

export interface LiveRouteOptions {
  readonly catalogue: ListingReads;
  readonly cache: ListingReads;
  readonly refresh: Refresh;
  readonly streams: Pick<StreamLimit, 'open'>;
  readonly clock: Clock;
  /** Without a trailing slash. */
  readonly publicUrl: string;
}

const EXAMPLE = [
  'retry: 60000\nid: req_1.cached\nevent: cached\ndata: {"id":"lst_1","price":4500,"status":"ACTIVE"}\n',
  'id: req_1.live\nevent: live\ndata: {"id":"lst_1","price":4200,"status":"ACTIVE"}\n',
  'id: req_1.done\nevent: done\ndata: {}\n\n',
].join('\n');

const ListingParams = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 200,
    missing: 'LISTING_NOT_FOUND',
    description: 'The id of a listing.',
  }),
});

const ListingQuery = Type.Object({ display: displayParameter });

type ListingCall = RequestContext<
  Principal,
  Static<typeof ListingQuery>,
  Static<typeof ListingParams>,
  unknown
>;

export function liveRoutes(options: LiveRouteOptions): readonly Route<Principal>[] {
  return [streamRoute(options)];
}

function streamRoute(options: LiveRouteOptions): Route<Principal> {
  const { refresh, streams } = options;
  return route<Principal>()({
    method: 'GET',
    path: '/v1/listing/:id',
    operation: 'streamListing',
    tag: 'Live',
    summary: 'Stream one listing, cached and then live',
    description:
      'Sends `cached` at once, then `live`, or `error` if the fetch failed, then `done`, and closes. A native ' +
      'EventSource reconnects after `done`; it then gets 204 and stops. If Accept names `application/json` and ' +
      'not `text/event-stream`, the response is the stored listing as JSON: that uses no stream and needs the ' +
      'scope `listings:read`.',
    access: { credentials: 'required', tier: 'pro', scope: 'listings:live', counts: 'month', stream: true },
    accepts: ['text/event-stream'],
    head: false,
    params: ListingParams,
    query: ListingQuery,
    answer: { description: 'The events', contentType: 'text/event-stream', example: EXAMPLE },
    variant: recordRoute(options),
    alsoAnswers: { 204: 'Last-Event-ID is the id of a `done` event: that stream is complete.' },
    early: ({ headers }) => (isAfterDone(headers['last-event-id']) ? { status: 204 } : null),
    async handle(call) {
      const { stored, record, presentLive } = await findListing(call, options);
      const { requestId, signal, caller } = call;
      const release = streams.open(caller);
      return {
        events: openListingStream({
          ...{ stored, cached: record, present: presentLive },
          ...{ refresh, requestId, signal, release },
        }),
      };
    },
  });
}

/** The stored listing as JSON. */
function recordRoute(options: LiveRouteOptions): Route<Principal> {
  return route<Principal>()({
    method: 'GET',
    path: '/v1/listing/:id',
    operation: 'getListing',
    tag: 'Live',
    summary: 'The stored listing',
    access: { credentials: 'required', tier: 'pro', scope: 'listings:read', counts: 'month' },
    accepts: ['application/json'],
    params: ListingParams,
    query: ListingQuery,
    answer: { description: 'The listing', schema: ListingSchema },
    alsoAnswers: { 304: 'The listing (requested as JSON) still matches If-None-Match.' },
    async handle(call) {
      const { stored, record } = await findListing(call, options);
      const lastModified = new Date(stored.updatedAt).toUTCString();
      return conditional(call.headers, contentEtag(record, VOLATILE_MEMBERS), {
        json: record,
        headers: { 'last-modified': lastModified, 'x-data-source': record.source },
      });
    },
  });
}

interface VisibleListing {
  readonly stored: StoredListing;
  readonly record: Listing;
  /** A fresh copy as the same reader sees it. */
  readonly presentLive: (fresh: StoredListing) => Listing | null;
}

/** The listing as this reader sees it. Throws LISTING_NOT_FOUND if it does not exist or is hidden from them. */
async function findListing(
  { params, query, caller, headers }: ListingCall,
  options: LiveRouteOptions,
): Promise<VisibleListing> {
  const { clock, publicUrl } = options;
  const view = buildReaderView(caller, query, clock.now(), publicUrl);
  const stored = await readsFor(headers, options).listing(params.id);
  const record = stored && presentListing(stored, view);
  if (!stored || !record)
    throw new Problem(
      'LISTING_NOT_FOUND',
      'There is no listing with this id. Search results have the ids of listings.',
    );
  const presentLive = (fresh: StoredListing) =>
    presentListing(fresh, { ...view, source: 'live', now: clock.now() });
  return { stored, record, presentLive };
}
