// Owns the HTTP face of live data: the stream of one listing, and the property that is fetched before it is answered.

import { type Static, Type } from 'typebox';
import type { Principal } from '../access/tiers/principal.ts';
import { type Call, type Reply, type Route, route } from '../http/frame/route.ts';
import { conditional } from '../http/output/etag.ts';
import { presentListing } from '../listings/present.ts';
import { readerFor, viewOf } from '../listings/reader.ts';
import { type Listing, ListingSchema } from '../listings/record.ts';
import type { StoredListing } from '../listings/stored-listing.ts';
import { propertyRoute } from '../property/property-route.ts';
import { displayParameter } from '../search/query/search-parameters.ts';
import { listingRecord, shownListing } from './listing-record.ts';
import type { LiveRouteOptions } from './route-options.ts';
import { cachedEvent, freshEvents, isAfterDone } from './stream.ts';
import { LatelyWritten, type Written } from './written.ts';

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

const StreamQuery = Type.Object({ display: displayParameter });

type StreamCall = Call<Principal, Static<typeof StreamQuery>, Static<typeof ListingParams>, unknown>;

export function liveRoutes(options: LiveRouteOptions): readonly Route<Principal>[] {
  return [streamRoute(options), propertyRoute(options)];
}

function streamRoute(options: LiveRouteOptions): Route<Principal> {
  const { refresh, streams, clock, publicUrl } = options;
  const written = new LatelyWritten<string>();
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
    query: StreamQuery,
    answer: { description: 'The events', contentType: 'text/event-stream', example: EXAMPLE },
    variant: recordRoute(options),
    alsoAnswers: { 204: 'Last-Event-ID is the id of a `done` event: that stream is complete.' },
    early: ({ headers }) => (isAfterDone(headers['last-event-id']) ? { status: 204 } : null),
    handle(call) {
      const found = readerFor(call.headers, options).listing(call.params.id);
      return found instanceof Promise
        ? found.then((listing) => streamOf(call, listing))
        : streamOf(call, found);
    },
  });

  function streamOf(call: StreamCall, found: StoredListing | null): Reply {
    const { query, caller, requestId } = call;
    const view = viewOf(caller, query, clock.now(), publicUrl);
    const stored = shownListing(found, view.ignoreDisplayRules);
    const present = (listing: StoredListing, source: Listing['source']) =>
      presentListing(listing, { ...view, source, now: clock.now() });
    const cached = written.get(stored, query.display ?? '', view.now, () =>
      JSON.stringify(present(stored, 'cached')),
    );
    const events = freshEvents({
      stored,
      refresh,
      requestId,
      present: (fresh) => present(fresh, 'live'),
      signal: () => call.signal,
    });
    return {
      firstEvent: cachedEvent(requestId, cached),
      events: new HeldEvents(events, streams.open(caller)),
    };
  }
}

/** The stored listing for readers who want no stream. */
function recordRoute(options: LiveRouteOptions): Route<Principal> {
  const { clock, publicUrl } = options;
  const written = new LatelyWritten<Written>();
  return route<Principal>()({
    method: 'GET',
    path: '/v1/listing/:id',
    operation: 'getListing',
    tag: 'Live',
    summary: 'The stored listing',
    access: { credentials: 'required', tier: 'pro', scope: 'listings:read', counts: 'month' },
    accepts: ['application/json'],
    params: ListingParams,
    query: StreamQuery,
    answer: { description: 'The listing', schema: ListingSchema },
    alsoAnswers: { 304: 'The listing (requested as JSON) still matches If-None-Match.' },
    handle(call) {
      const found = readerFor(call.headers, options).listing(call.params.id);
      return found instanceof Promise ? found.then((listing) => told(call, listing)) : told(call, found);
    },
  });

  function told({ query, caller, headers }: StreamCall, found: StoredListing | null): Reply {
    const view = viewOf(caller, query, clock.now(), publicUrl);
    const stored = shownListing(found, view.ignoreDisplayRules);
    const { etag, reply } = written.get(stored, query.display ?? '', view.now, () =>
      listingRecord(stored, view),
    );
    return conditional(headers, etag, reply);
  }
}

/** Gives the caller's place back when the writer is done with the events: a generator never begun has no finally. */
class HeldEvents<T> implements AsyncIterableIterator<T, void, void> {
  readonly #events: AsyncGenerator<T, void, void>;
  readonly #release: () => void;

  constructor(events: AsyncGenerator<T, void, void>, release: () => void) {
    this.#events = events;
    this.#release = release;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<T, void>> {
    return this.#events.next();
  }

  return(): Promise<IteratorResult<T, void>> {
    this.#release();
    return this.#events.return();
  }
}
