// Owns the order of a listing stream's events: cached, then live or error, then done.

import type { ServerSentEvent } from '../http/frame/route.ts';
import type { Listing } from '../listings/record.ts';
import type { StoredListing } from '../listings/stored-listing.ts';
import { LiveError, type LiveFailure } from '../sources/source.ts';
import type { Refresh } from './refresh.ts';

export interface ListingStream {
  readonly stored: StoredListing;
  readonly refresh: Refresh;
  /** The fresh record as this reader may see it; null where it is hidden from them. */
  readonly present: (fresh: StoredListing) => Listing | null;
  readonly requestId: string;
  /** Aborts when the reader leaves. A getter: `cached` does not wait for it to be made. */
  readonly signal: () => AbortSignal;
}

/** Whether asking again soon may help. */
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

/** An EventSource that reconnects after the end sends the id of the last event that it saw. */
export function isAfterDone(lastEventId: string | readonly string[] | undefined): boolean {
  return typeof lastEventId === 'string' && lastEventId.endsWith(DONE);
}

/** What is stored, as JSON that shows what this reader may see. */
export function cachedEvent(requestId: string, json: string): ServerSentEvent {
  return { event: 'cached', id: `${requestId}.cached`, json };
}

/** What follows `cached`; nothing is fetched before the first is asked for. Throws nothing. */
export async function* freshEvents(stream: ListingStream): AsyncGenerator<ServerSentEvent, void, void> {
  yield await liveOrError(stream);
  yield { event: 'done', id: `${stream.requestId}${DONE}`, data: {} };
}

async function liveOrError({
  stored,
  refresh,
  present,
  requestId,
  signal,
}: ListingStream): Promise<ServerSentEvent> {
  try {
    const fresh = present(await refresh(stored, signal()));
    if (fresh === null)
      throw new LiveError('not_found_upstream', 'The source no longer lets this listing be shown.');
    return { event: 'live', id: `${requestId}.live`, data: fresh };
  } catch (error) {
    const { code, message } = asLiveError(error);
    const data = { code, message, retryable: RETRYABLE[code], requestId };
    return { event: 'error', id: `${requestId}.error`, data };
  }
}

/** What is no LiveError is the reader having left, whom no event reaches. */
export function asLiveError(error: unknown): LiveError {
  if (error instanceof LiveError) return error;
  return new LiveError('fetch_failed', 'The listing could not be fetched.', { cause: error });
}
