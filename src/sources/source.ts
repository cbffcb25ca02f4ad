// Source port: what the service asks of whatever delivers listings.

import type { ListingDraft } from '../listings/draft.ts';

/** How far a source has been read; opaque to everyone but the source itself, kept as JSON beside the catalogue. */
export type Position = Readonly<Record<string, string | number | null>>;

/** One page of upstream records in our words, with the position to continue from once it is committed. */
export interface SourcePage {
  readonly drafts: readonly ListingDraft[];
  /** Keys that the source says are gone. */
  readonly gone: readonly string[];
  readonly next: Position;
  /** True when the source has nothing newer for now. */
  readonly last: boolean;
  /** How many records the whole load has, when the source tells: for progress. */
  readonly total?: number;
  /** True for the first page of a load that had to begin again, because the source forgot where it was. */
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
  /** Milliseconds that the source asks to be left alone. */
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
  /** Whether one listing can be asked for at once. */
  readonly live: boolean;
  /** Upstream fields that held something unreadable and were taken as unknown, counted by name since the start. */
  readonly fieldErrors: ReadonlyMap<string, number>;
  /**
   * Pages from a position on (null: from the very beginning); ends after a page whose `last` is true. The next page is
   * fetched when the caller asks for it, so after this one is committed. Throws LiveError.
   */
  pages(from: Position | null, signal: AbortSignal): AsyncIterable<SourcePage>;
  /** One listing, fresh. Throws LiveError, and nothing else; an aborted signal is a `timeout`. */
  fetchOne(listingKey: string, signal: AbortSignal): Promise<ListingDraft>;
  /** For `doctor` and readiness in words: resolves when the source answers and lets us in. Throws LiveError. */
  check(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
