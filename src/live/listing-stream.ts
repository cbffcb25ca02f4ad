// Events of a listing stream, in order: cached, then live or error, then done.

import type { ServerSentEvent } from '../http/output/reply.ts';
import type { Listing } from '../listings/record.ts';
import type { StoredListing } from '../listings/store.ts';
import { LiveError, type LiveFailure } from '../sources/source.ts';
import { type Refresh, toLiveError } from './refresh.ts';

export interface ListingStream {
  readonly stored: StoredListing;
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

const DONE = '.done';

/** Whether an EventSource reconnects after `done`: it then sends the id of the last event. */
export function isAfterDone(lastEventId: string | readonly string[] | undefined): boolean {
  return typeof lastEventId === 'string' && lastEventId.endsWith(DONE);
}

/** Opens the stream; its slot is freed when it ends or its reader leaves. */
export function openListingStream(stream: ListingStream): AsyncGenerator<ServerSentEvent, void, void> {
  // A reader may leave before the first event, and a generator that never started runs no `finally`.
  if (stream.signal.aborted) stream.release();
  else stream.signal.addEventListener('abort', stream.release, { once: true });
  return listingEvents(stream);
}

async function* listingEvents(stream: ListingStream): AsyncGenerator<ServerSentEvent, void, void> {
  const { cached, requestId, release } = stream;
  try {
    yield { event: 'cached', id: `${requestId}.cached`, data: cached };
    yield await liveOrError(stream);
    yield { event: 'done', id: `${requestId}${DONE}`, data: {} };
  } finally {
    release();
  }
}

async function liveOrError(stream: ListingStream): Promise<ServerSentEvent> {
  const { stored, refresh, present, requestId, signal } = stream;
  try {
    const fresh = present(await refresh(stored, signal));
    if (fresh === null)
      throw new LiveError('not_found_upstream', 'The source no longer lets this listing be shown.');
    return { event: 'live', id: `${requestId}.live`, data: fresh };
  } catch (error) {
    const { code, message } = toLiveError(error);
    const data = { code, message, retryable: RETRYABLE[code], requestId };
    return { event: 'error', id: `${requestId}.error`, data };
  }
}
