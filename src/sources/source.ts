// Source port: the interface of everything that delivers listings.

import type { Terms } from '../licence/terms/terms.ts';
import type { ListingDraft } from '../listings/draft.ts';
import type { RawRecord } from '../listings/raw-record.ts';
import type { PictureSource } from '../media/pictures/picture-source.ts';
import type { SourceLookups } from './lookups/source-lookups.ts';
import type { ValueCounts } from './value-counts.ts';

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
  /** Records of the whole load, where the source says: the last page has the number of then. */
  readonly total?: number;
  /** Records of the page that are no drafts: those that are gone, and those without a key. Default 0. */
  readonly skipped?: number;
  /** True for the first page of a load that had to start over, because the source no longer knew the position. */
  readonly restarted?: boolean;
  /** A resource beside listings whose changes have all been read with this page, such as OpenHouse. */
  readonly followed?: string;
}

/** An agent or an office that listings show, by its key at the source. */
export interface ShownContact {
  readonly kind: 'agent' | 'office';
  readonly key: string;
}

/** A record as a list of all keys names it. */
export interface ListedRecord {
  readonly key: string;
  /** When it changed last, in milliseconds since the epoch; null: the list does not say. */
  readonly modifiedAt: number | null;
}

/** Lists of all keys of a source: what is not among them is gone. */
export interface KeyLists {
  /** Milliseconds from one list to the next. */
  readonly interval: number;
  /** Milliseconds by which the source may publish a change late. */
  readonly late: number;
  /** One whole list, page by page. Throws LiveError. */
  read(signal: AbortSignal): AsyncIterable<readonly ListedRecord[]>;
  /** Records that the source counts now; null where it does not say. Throws LiveError. */
  count(signal: AbortSignal): Promise<number | null>;
  /** Its open houses to come; null: it has none, or they are not read. Throws LiveError. */
  readonly openHouses?: (signal: AbortSignal) => Promise<OpenHouseList | null>;
}

/** Ids of open houses by the keys of their listings, null for one without; `unlisted`: they come with listings alone. */
export type OpenHouseList = ReadonlyMap<string, ReadonlySet<string | null>> | 'unlisted';

/** What became of a record; no draft: it has no key. */
export interface MappedRecord {
  readonly draft: ListingDraft | null;
  /** Whether the source no longer shows it. */
  readonly isGone: boolean;
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

/** What is wrong with a feed that answers. */
export type FeedFault =
  | 'wrong_token_url'
  | 'refused_query'
  | 'foreign_link'
  | 'cyclic_links'
  | 'shifting_pages'
  | 'missing_keys'
  | 'incomplete_load'
  | 'suspicious_keys';

interface LiveErrorOptions {
  readonly cause?: unknown;
  /** Null: the code says it all. */
  readonly fault?: FeedFault | null;
  /** HTTP status of the answer; null: there was none, or a success. */
  readonly status?: number | null;
  /** Milliseconds that the source asks to wait. */
  readonly retryAfter?: number | null;
  /** A record that it is about, without anything that must not be kept. */
  readonly sample?: string | null;
}

export class LiveError extends Error {
  override readonly name = 'LiveError';
  readonly code: LiveFailure;
  /** Milliseconds; null when the source did not say. */
  readonly retryAfter: number | null;
  readonly fault: FeedFault | null;
  readonly status: number | null;
  readonly sample: string | null;

  constructor(code: LiveFailure, message: string, options: LiveErrorOptions = {}) {
    const { cause, fault = null, status = null, retryAfter = null, sample = null } = options;
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.fault = fault;
    this.status = status;
    this.sample = sample;
    this.retryAfter = retryAfter;
  }
}

/** The error of a source that missed its deadline. */
export const sourceTimeout = (options?: LiveErrorOptions): LiveError =>
  new LiveError('timeout', 'The source did not answer in time.', options);

/** The error of a feed that answers, but wrongly. */
export const feedFault = (fault: FeedFault, message: string, options?: LiveErrorOptions): LiveError =>
  new LiveError('parse_failed', message, { ...options, fault });

/** What a window of time has had of requests and bytes, and the most that this service takes; null: that is not limited. */
export interface WindowUse {
  /** requests: of data; media: downloads of photos that have windows of their own. */
  readonly share: 'requests' | 'media';
  readonly seconds: number;
  readonly requests: { readonly used: number; readonly limit: number } | null;
  readonly bytes: { readonly used: number; readonly limit: number } | null;
}

/** How the budget of a source stands. */
export interface BudgetReport {
  readonly windows: readonly WindowUse[];
  /** No request is sent before: the source answered with Retry-After. RFC 3339; null: it did not. */
  readonly blockedUntil: string | null;
  /** Since when a source that suspends credentials refuses this one, RFC 3339; null: it does not. */
  readonly suspendedAt: string | null;
  /** Why nothing is read, as a sentence, where going on could suspend the credential; null: it is read. */
  readonly stopped: string | null;
}

export interface SourceBudget {
  read(): Promise<BudgetReport>;
}

export interface Source {
  /** Stable: listing ids are derived from it and the listing's key. */
  readonly id: string;
  readonly name: string;
  /** Whether single listings can be fetched. */
  readonly live: boolean;
  /** What its licence permits; absent: its listings are the operator's own. */
  readonly licence?: Terms;
  /** Fetches of single listings in any minute that refreshes of watched listings may take; 0: there are none. */
  readonly refreshesPerMinute: number;
  /** Unreadable fields, which count as unknown: how many since the start, by name. */
  readonly fieldErrors: ReadonlyMap<string, number>;
  /** Values that kept listings, or a part of them, from being shown since the start. */
  readonly withheldValues?: ValueCounts;
  /** Events of the source's own log since the start, by what became of them. */
  readonly eventCounts?: ReadonlyMap<string, number>;
  /** Values of enumerations since the start that the dictionary lacks. */
  readonly unknownValues?: ValueCounts;
  /** Fields with values that are not read: in how many records since the start, by name. */
  readonly unreadFields?: ReadonlyMap<string, number>;
  /** Names the way in which records are read: listings that were read in another way are read again. Default: any way will do. */
  readonly reading?: string;
  /** Names what is requested of a record: where it is another, records that are kept may lack what is mapped now. */
  readonly requested?: string;
  /** The listing of what was sent of it before, as it would be read now; absent where nothing is kept. */
  readonly map?: (sent: readonly RawRecord[]) => MappedRecord;
  /** What the source says of the values of its fields: `reading` changes with it. Absent where it is not read. */
  readonly lookups?: SourceLookups;
  /**
   * Pages from a position on (null: from the very beginning); ends after a page whose `last` is true. The next page is
   * fetched when the caller requests it; `slowly`: never more than one request a second. Throws LiveError.
   */
  pages(from: Position | null, signal: AbortSignal, slowly?: boolean): AsyncIterable<SourcePage>;
  /**
   * One listing, fresh; `listingId`: its public number, which some servers know it by. Throws LiveError, and nothing else; an
   * aborted signal is a `timeout`.
   */
  fetchOne(listingKey: string, signal: AbortSignal, listingId?: string | null): Promise<ListingDraft>;
  /** What it permits and what was used of it; absent where requests are not counted. */
  readonly budget?: SourceBudget;
  /** Listings by their keys, page by page; absent where the source cannot be asked for them. Throws LiveError. */
  readonly records?: (
    keys: readonly string[],
    signal?: AbortSignal,
  ) => AsyncIterable<Pick<SourcePage, 'drafts' | 'gone'>>;
  /**
   * Reads the photos of these listings again with their next record, though they have not changed; absent where each record brings
   * its own, or there are none.
   */
  readonly forget?: (keys: readonly string[]) => void;
  /** How its pictures are fetched; absent where they are shown from where it has them, or not at all. */
  readonly media?: PictureSource;
  /** Absent where the source has no list of all keys, or it must not be read. */
  readonly keys?: KeyLists;
  /** Resolves when the source answers and accepts the credentials. Throws LiveError. */
  check(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
