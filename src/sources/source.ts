// Source port: the interface of everything that delivers listings.

import type { ListingDraft } from '../listings/draft.ts';

/** How far a source has been read: opaque to all but the source, stored as JSON. */
export type Position = Readonly<Record<string, string | number | null>>;

/** One page of upstream records as drafts, with the position to continue from once it is committed. */
export interface SourcePage {
  readonly drafts: readonly ListingDraft[];
  /** Keys of listings that the source reports as gone. */
  readonly gone: readonly string[];
  readonly next: Position;
  /** True when the source has nothing newer for now. */
  readonly last: boolean;
  /** Records of the whole load, where the source says. */
  readonly total?: number;
  /** True for the first page of a load that had to start over, because the source no longer knew the position. */
  readonly restarted?: boolean;
}

/** Why a source could not be read; for one listing these are the codes of the stream's `error` event. */
export type LiveFailure =
  | 'fetch_failed'
  | 'timeout'
  | 'parse_failed'
  | 'upstream_rate_limited'
  | 'upstream_unauthorized'
  | 'upstream_unavailable'
  | 'not_found_upstream'
  | 'live_unsupported';

interface LiveErrorOptions {
  readonly cause?: unknown;
  /** Milliseconds that the source asks to wait. */
  readonly retryAfter?: number | null;
}

export class LiveError extends Error {
  override readonly name = 'LiveError';
  readonly code: LiveFailure;
  /** Milliseconds; null when the source did not say. */
  readonly retryAfter: number | null;

  constructor(code: LiveFailure, message: string, { cause, retryAfter = null }: LiveErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** The error of a source that missed its deadline. */
export const sourceTimeout = (options?: LiveErrorOptions): LiveError =>
  new LiveError('timeout', 'The source did not answer in time.', options);

export interface Source {
  /** Stable: listing ids are derived from it and the listing's key. */
  readonly id: string;
  readonly name: string;
  /** Whether single listings can be fetched. */
  readonly live: boolean;
  /** Fetches of single listings in any minute that refreshes of watched listings may take; 0: there are none. */
  readonly refreshesPerMinute: number;
  /** Unreadable fields, which count as unknown: how many since the start, by name. */
  readonly fieldErrors: ReadonlyMap<string, number>;
  /**
   * Pages from a position on (null: from the very beginning); ends after a page whose `last` is true. The next page is
   * fetched when the caller requests it. Throws LiveError.
   */
  pages(from: Position | null, signal: AbortSignal): AsyncIterable<SourcePage>;
  /** One listing, fresh. Throws LiveError, and nothing else; an aborted signal is a `timeout`. */
  fetchOne(listingKey: string, signal: AbortSignal): Promise<ListingDraft>;
  /** Resolves when the source answers and accepts the credentials. Throws LiveError. */
  check(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
