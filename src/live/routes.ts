// Routes of one listing: its stream of events (cached, then live or error, then done), and the stored record as JSON.

import { type Static, Type } from 'typebox';
import type { StreamLimit } from '../access/limits/stream-limit.ts';
import type { Principal } from '../access/tiers/tiers.ts';
import type { CallUsage } from '../http/frame/call-usage.ts';
import { type RequestContext, type Route, route } from '../http/frame/route.ts';
import { lastEventIdParameter, readLastEventIdOfUrl } from '../http/input/last-event-id.ts';
import { conditional, contentEtag } from '../http/output/etag.ts';
import type { ServerSentEvent } from '../http/output/reply.ts';
import type { Clock } from '../lib/clock.ts';
import { invalidParameter, Problem } from '../lib/problem.ts';
import { displayParameter } from '../listings/common-parameters.ts';
import { buildReaderView, presentListing, VOLATILE_MEMBERS } from '../listings/presenter.ts';
import { readsFor } from '../listings/property-cache.ts';
import { type Listing, ListingSchema, oneOf } from '../listings/record.ts';
import type { ListingReads, StoredListing } from '../listings/store.ts';
import { LiveError, type LiveFailure } from '../sources/source.ts';
import { type Refresh, toLiveError } from './refresh.ts';

export interface LiveRouteOptions {
  readonly catalogue: ListingReads;
  readonly cache: ListingReads;
  readonly refresh: Refresh;
  readonly streams: Pick<StreamLimit, 'open'>;
  readonly clock: Clock;
  /** Without a trailing slash. */
  readonly publicUrl: string;
}

/** Whether a later request may succeed. */
const RETRYABLE: Readonly<Record<LiveFailure, boolean>> = {
  fetch_failed: true,
  timeout: true,
  parse_failed: false,
  upstream_rate_limited: true,
  upstream_unauthorized: false,
  upstream_unavailable: true,
  not_found_upstream: false,
  live_unsupported: false,
};

const StreamErrorSchema = Type.Object(
  {
    code: oneOf(Object.keys(RETRYABLE) as LiveFailure[], 'Stable code for programs.'),
    message: Type.String(),
    retryable: Type.Boolean({ description: 'Whether a later request may succeed.' }),
    requestId: Type.String(),
  },
  { $id: 'ListingStreamError', description: 'Of the event `error`: why there is no `live`.' },
);

const StreamDataSchema = Type.Union([
  ListingSchema,
  StreamErrorSchema,
  Type.Object(
    {},
    { $id: 'ListingStreamEnd', description: 'Of the event `done`: nothing.', additionalProperties: false },
  ),
]);

const EXAMPLE = [
  'retry: 60000\nid: req_1.cached\nevent: cached\ndata: {"id":"lst_1","price":4500,"status":"ACTIVE"}\n',
  'id: req_1.live\nevent: live\ndata: {"id":"lst_1","price":4200,"status":"ACTIVE"}\n',
  'id: req_1.done\nevent: done\ndata: {}\n',
].join('\n');

const ListingParams = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 200,
    missing: 'LISTING_NOT_FOUND',
    description: 'The id of a listing.',
  }),
});

const ListingQuery = Type.Object({ display: displayParameter, lastEventId: lastEventIdParameter });
const RecordQuery = Type.Object({ display: displayParameter });

type ListingCall = RequestContext<
  Principal,
  Static<typeof ListingQuery>,
  Static<typeof ListingParams>,
  unknown
>;

export function liveRoutes(options: LiveRouteOptions): readonly Route<Principal>[] {
  const stored = recordRoute(options);
  return [streamRoute(options, stored), { ...stored, path: '/v1/listing/:id/record', query: RecordQuery }];
}

function streamRoute(options: LiveRouteOptions, stored: Route<Principal>): Route<Principal> {
  const { refresh, streams } = options;
  return route<Principal>()({
    method: 'GET',
    path: '/v1/listing/:id',
    operation: 'streamListing',
    tag: 'Live',
    summary: 'Stream one listing, cached and then live',
    description:
      'Fetches one listing from its source, once: use watchers for ongoing monitoring. Sends `cached` at once, then ' +
      '`live` (typically 2 to 5 seconds after the start), or `error` if the fetch failed, then `done`, and closes, ' +
      'typically within 10 seconds. `cached` and `live` carry a listing, `error` a code such as `fetch_failed`, `done` ' +
      'nothing. A native EventSource reconnects after `done`; it then gets 204 and stops. If Accept names ' +
      '`application/json` and not `text/event-stream`, the response is the stored listing as JSON, like that of ' +
      '`/v1/listing/{id}/record`: that uses no stream and needs the scope `listings:read`.\n\n' +
      `\`\`\`\n${EXAMPLE}\`\`\``,
    access: { credentials: 'required', tier: 'pro', scope: 'listings:live', counts: 'month', stream: true },
    accepts: ['text/event-stream'],
    head: false,
    params: ListingParams,
    query: ListingQuery,
    answer: {
      description: 'The events; the schema is that of the data of one event',
      contentType: 'text/event-stream',
      schema: StreamDataSchema,
    },
    variant: stored,
    alsoAnswers: {
      204: '`Last-Event-ID` or `lastEventId` is the id of a `done` event: that stream is complete.',
    },
    early: ({ headers, url }) =>
      isAfterDone(readLastEventIdOfUrl(headers, url)?.id) ? { status: 204 } : null,
    async handle(call) {
      const { stored, record, presentLive } = await findListing(call, options);
      const { requestId, signal, caller, usage } = call;
      const release = await streams.open(caller);
      return {
        events: openListingStream({
          stored,
          usage,
          cached: record,
          present: presentLive,
          refresh,
          requestId,
          signal,
          release,
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
    summary: 'Get the stored listing',
    description: 'As the event `cached` of the stream has it; nothing is fetched from the source.',
    access: { credentials: 'required', tier: 'pro', scope: 'listings:read', counts: 'month' },
    accepts: ['application/json'],
    params: ListingParams,
    query: ListingQuery,
    answer: { description: 'The listing', schema: ListingSchema },
    alsoAnswers: { 304: 'The listing still matches If-None-Match.' },
    async handle(call) {
      if (call.query.lastEventId !== undefined)
        throw invalidParameter('lastEventId', 'is of the stream, and this is the stored record: remove it');
      const { stored, record } = await findListing(call, options);
      call.usage.shows(stored.source);
      const lastModified = new Date(stored.updatedAt).toUTCString();
      const reply = {
        json: record,
        headers: { 'last-modified': lastModified, 'x-data-source': record.source },
      };
      const etag = contentEtag(record, VOLATILE_MEMBERS);
      return conditional(call.headers, etag, reply, options.clock.now());
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

export interface ListingStream {
  readonly stored: StoredListing;
  readonly usage: CallUsage;
  /** The stored record as this reader sees it. */
  readonly cached: Listing;
  readonly refresh: Refresh;
  /** The fresh record as this reader sees it; null where it is hidden from them. */
  readonly present: (fresh: StoredListing) => Listing | null;
  readonly requestId: string;
  /** Aborts when the reader leaves. */
  readonly signal: AbortSignal;
  /** Frees the caller's stream slot; may be called twice. */
  readonly release: () => void;
}

const DONE = '.done';

/** Whether an EventSource reconnects after `done`: it then sends the id of the last event. */
export function isAfterDone(lastEventId: string | undefined): boolean {
  return lastEventId?.endsWith(DONE) === true;
}

/** Opens the stream; its slot is freed when it ends or its reader leaves. */
export function openListingStream(stream: ListingStream): AsyncGenerator<ServerSentEvent, void, void> {
  // A reader may leave before the first event, and a generator that never started runs no `finally`.
  if (stream.signal.aborted) stream.release();
  else stream.signal.addEventListener('abort', stream.release, { once: true });
  return listingEvents(stream);
}

async function* listingEvents(stream: ListingStream): AsyncGenerator<ServerSentEvent, void, void> {
  const { stored, usage, cached, requestId, release } = stream;
  try {
    usage.shows(stored.source);
    yield { event: 'cached', id: `${requestId}.cached`, data: cached };
    yield await liveOrError(stream);
    yield { event: 'done', id: `${requestId}${DONE}`, data: {} };
  } finally {
    release();
  }
}

async function liveOrError(stream: ListingStream): Promise<ServerSentEvent> {
  const { stored, usage, refresh, present, requestId, signal } = stream;
  try {
    const fresh = present(await refresh(stored, signal));
    if (fresh === null)
      throw new LiveError('not_found_upstream', 'The source no longer lets this listing be shown.');
    usage.shows(stored.source);
    return { event: 'live', id: `${requestId}.live`, data: fresh };
  } catch (error) {
    const { code, message } = toLiveError(error);
    const data = { code, message, retryable: RETRYABLE[code], requestId };
    return { event: 'error', id: `${requestId}.error`, data };
  }
}
