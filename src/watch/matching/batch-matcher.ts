// Matcher of batches: the entries of the log of changes become events.

import {
  type ChangeEntry,
  isListingChange,
  type ListingChange,
  type PrivateEntry,
} from '../../changes/change.ts';
import type { ChangeState } from '../../listings/change-state.ts';
import type { SavedSearch } from '../../search/query/saved-search.ts';
import type { EventBatch, EventContent, EventDraft, Withdrawal } from '../events/event.ts';
import type { EventType } from '../events/event-types.ts';
import { QUOTA_ACTION, type QuotaReached } from '../events/quota-entry.ts';
import { contentOf, decideEvents, isWithdrawal, viewOf } from './decide-events.ts';
import type { ChangedWords } from './index/change-sides.ts';
import { WatcherIndex } from './index/watcher-index.ts';
import { hasDigests, type WatcherDefinition } from './watcher-definition.ts';
import { type MatchedWatcher, WatcherDetails } from './watcher-details.ts';

type Change = ListingChange<ChangeState>;

/** A listing that matched a new watcher when it was created. */
export interface BackfilledListing {
  readonly content: EventContent;
  readonly matchedOn: readonly string[];
}

/** What matching reads besides the log. */
export interface MatchingReads {
  /** The words of the listings of these changes, before and after each, by their sequences. */
  findWords(changes: readonly Change[]): Promise<ReadonlyMap<number, ChangedWords>>;
  /** The searches of these watchers; those of deleted ones are missing. */
  findSearches(nos: readonly number[]): Promise<ReadonlyMap<number, SavedSearch>>;
  /** The listings that matched the watcher at a position in the log. */
  findBackfill(definition: WatcherDefinition, sequence: number): Promise<readonly BackfilledListing[]>;
  /** The parameters by which a change made a listing match, or no longer match. */
  matchedOn(
    no: number,
    search: SavedSearch,
    change: Change,
    sides: number,
    words: ChangedWords | null,
  ): string[];
}

/** Whether the events of a change are written already for the watcher of this number. */
export type IsWritten = (no: number, sequence: number) => boolean;

/** Whether listings under the licence of this number are open to the watchers of an owner. */
export type IsOpen = (owner: string, licence: string) => boolean;

/** A watcher that a change concerns. */
interface MatchResult {
  readonly no: number;
  readonly watcher: MatchedWatcher;
  readonly sides: number;
}

/** The events that a watcher is sent about a change. */
interface Decision extends MatchResult {
  readonly change: Change;
  readonly types: readonly EventType[];
  readonly words: ChangedWords | null;
}

const NO_WORDS: ChangedWords = { before: null, after: new Set() };

export class BatchMatcher {
  readonly #reads: MatchingReads;
  readonly #index = new WatcherIndex<string>();
  readonly #details = new WatcherDetails();

  readonly #isOpen: IsOpen;
  /** Which events there are already when it begins to match. */
  isWritten: IsWritten = () => false;

  constructor(reads: MatchingReads, isOpen: IsOpen = () => true) {
    this.#reads = reads;
    this.#isOpen = isOpen;
  }

  get watchers(): number {
    return this.#index.size;
  }

  add(definition: WatcherDefinition): void {
    this.#index.add(definition, this.#details.encode(definition));
  }

  remove(no: number): void {
    this.#index.remove(no);
  }

  /** Changes a watcher as a private entry of the log says. */
  follow(action: string, definition: WatcherDefinition): void {
    if (definition.status === 'active' && action !== 'deleted') this.add(definition);
    else this.remove(definition.no);
  }

  /** Matches entries, in order. The watchers are afterwards as the last entry leaves them. */
  async match(entries: readonly ChangeEntry<ChangeState>[]): Promise<EventBatch> {
    const events: EventDraft[] = [];
    const contents: EventContent[] = [];
    const withdrawals: Withdrawal[] = [];
    const decided: Decision[] = [];
    let words: ReadonlyMap<number, ChangedWords> | null = null;
    for (const [at, entry] of entries.entries()) {
      const { sequence } = entry;
      if (entry.kind === 'watcher') {
        const result = await this.#applyPrivateEntry(entry);
        events.push(...result.events);
        contents.push(...result.contents);
        continue;
      }
      // Nobody is notified of a first load.
      if (entry.kind === 'load') continue;
      if (isWithdrawal(entry)) withdrawals.push({ sequence, listingId: entry.listingId });
      if (entry.quiet) continue;
      let results = this.#findWatchers(entry, words?.get(sequence) ?? null);
      if (results === null) {
        words = await this.#reads.findWords(entries.slice(at).filter(isAnnounced));
        results = this.#findWatchers(entry, words.get(sequence) ?? NO_WORDS);
      }
      const decisions = decide(entry, results ?? [], words?.get(sequence) ?? null);
      if (decisions.length > 0) contents.push(contentOf(entry));
      for (const decision of decisions) decided.push(decision);
    }
    for (const event of await this.#buildEvents(decided)) events.push(event);
    return { events, contents: hideWithdrawn(contents, withdrawals), withdrawals };
  }

  /** The watchers that a change concerns; null: the words of the listing are needed. */
  #findWatchers(change: Change, words: ChangedWords | null): MatchResult[] | null {
    const results: MatchResult[] = [];
    const isDecided = this.#index.match(change, words, (no, sides, details) => {
      if (this.isWritten(no, change.sequence)) return;
      const watcher = this.#details.decode(details);
      if (this.#isOpen(watcher.owner, change.after.row.licence)) results.push({ no, sides, watcher });
    });
    return isDecided ? results : null;
  }

  /** Events as decided, each with the parameters that it is about. */
  async #buildEvents(decided: readonly Decision[]): Promise<EventDraft[]> {
    const searching = decided.filter(({ watcher }) => watcher.target === 'search').map(({ no }) => no);
    const searches = await this.#reads.findSearches([...new Set(searching)]);
    return decided.flatMap(({ no, watcher, change, sides, types, words }) => {
      const search = searches.get(no);
      const matchedOn = search === undefined ? [] : this.#reads.matchedOn(no, search, change, sides, words);
      return types.map((type) => draftOf(watcher, change, type, matchedOn));
    });
  }

  /** Changes the watchers as a private entry says. Returns its events. */
  async #applyPrivateEntry(entry: PrivateEntry) {
    if (entry.action === QUOTA_ACTION) return { events: [quotaEvent(entry)], contents: [] };
    const definition = entry.data as WatcherDefinition & DisabledWebhook;
    const { no, status } = definition;
    this.follow(entry.action, definition);
    if (this.isWritten(no, entry.sequence)) return { events: [], contents: [] };
    const isBackfilled = entry.action === 'replayed' || (entry.action === 'created' && definition.backfill);
    if (isBackfilled && status === 'active') return this.#backfill(definition, entry);
    if (entry.action === 'crossed') return this.#crossingEvents(definition, entry);
    const type = PRIVATE_EVENTS[entry.action];
    const types: EventDraft['type'][] = type === undefined ? [] : [type];
    if (endsDigest(entry.action, definition)) types.push('watcher.digest');
    return { events: types.map((each) => aboutWatcher(entry, definition, each)), contents: [] };
  }

  #crossingEvents(definition: WatcherDefinition & { readonly crossing?: object }, entry: PrivateEntry) {
    const { status, events, crossing = {} } = definition;
    const type = 'market.threshold_crossed';
    if (status !== 'active' || !events.includes(type)) return { events: [], contents: [] };
    const watcher = this.#details.decode(this.#details.encode(definition));
    const draft = draftOf(watcher, { ...entry, listingId: null }, type, []);
    return { events: [{ ...draft, data: crossing }], contents: [] };
  }

  async #backfill(definition: WatcherDefinition, { sequence, at }: PrivateEntry) {
    const watcher = this.#details.decode(this.#details.encode(definition));
    if (definition.target.type !== 'search' || !watcher.events.includes('search.match_added'))
      return { events: [], contents: [] };
    const listings = await this.#reads.findBackfill(definition, sequence);
    const events = listings.map(({ content, matchedOn }, ordinal): EventDraft => {
      const change = { sequence, at, listingId: content.listingId };
      const draft = draftOf(watcher, change, 'search.match_added', matchedOn);
      return { ...draft, ordinal };
    });
    return { events, contents: listings.map(({ content }) => ({ ...content, sequence, at })) };
  }
}

function decide(change: Change, results: readonly MatchResult[], words: ChangedWords | null): Decision[] {
  const views = [viewOf(change, false), viewOf(change, true)] as const;
  return results.flatMap((result) => {
    const { watcher, sides } = result;
    const types = decideEvents(watcher, change, sides, views[watcher.ignoreDisplayRules ? 1 : 0]);
    return types.length === 0 ? [] : [{ ...result, change, types, words }];
  });
}

/** Event types of private entries. */
const PRIVATE_EVENTS: Readonly<
  Record<string, 'watcher.paused' | 'watcher.expired' | 'watcher.disabled' | 'watcher.test'>
> = {
  paused: 'watcher.paused',
  expired: 'watcher.expired',
  disabled: 'watcher.disabled',
  tested: 'watcher.test',
};

/** Whether a digest is sent now: it is due, or the watcher has no digests any more. */
function endsDigest(action: string, definition: WatcherDefinition): boolean {
  if (action === 'digest' || action === 'deleted') return true;
  return !hasDigests(definition) && ['updated', 'paused', 'resumed'].includes(action);
}

function aboutWatcher(
  { sequence, at, watcherId }: PrivateEntry,
  definition: WatcherDefinition & DisabledWebhook,
  type: EventDraft['type'],
): EventDraft {
  return {
    sequence,
    at,
    watcherId,
    type,
    ordinal: 0,
    owner: definition.owner,
    eventsPerHour: null,
    listingId: null,
    matchedOn: [],
    held: false,
    data: reasonOf(definition),
  };
}

/** Of an owner, and of no watcher. */
function quotaEvent({ sequence, at, watcherId, data }: PrivateEntry): EventDraft {
  const { owner, ...shown } = data as QuotaReached;
  return {
    sequence,
    at,
    watcherId,
    type: 'account.quota_reached',
    ordinal: 0,
    owner,
    eventsPerHour: null,
    listingId: null,
    matchedOn: [],
    held: false,
    data: shown,
  };
}

/** A webhook that was disabled, with its watcher or without it. */
interface DisabledWebhook {
  readonly webhook?: object;
}

const reasonOf = ({ statusReason, webhook }: WatcherDefinition & DisabledWebhook): object =>
  webhook === undefined ? { reason: statusReason } : { reason: 'delivery_failed', webhook };

const isAnnounced = (entry: ChangeEntry<ChangeState>): entry is Change =>
  isListingChange(entry) && !entry.quiet;

function draftOf(
  { id, owner, eventsPerHour, hasDigests: held }: MatchedWatcher,
  { sequence, at, listingId }: Pick<EventDraft, 'sequence' | 'at' | 'listingId'>,
  type: EventDraft['type'],
  matchedOn: readonly string[],
): EventDraft {
  return { sequence, at, watcherId: id, type, ordinal: 0, owner, eventsPerHour, listingId, matchedOn, held };
}

/** Contents of listings that a later change of the batch withdraws show nothing: the statement that deletes has not seen them. */
function hideWithdrawn(
  contents: readonly EventContent[],
  withdrawals: readonly Withdrawal[],
): EventContent[] {
  const withdrawnAt = new Map(withdrawals.map(({ listingId, sequence }) => [listingId, sequence]));
  return contents.map((content) =>
    content.sequence < (withdrawnAt.get(content.listingId) ?? 0)
      ? { ...content, object: null, previous: null, changedFields: [] }
      : content,
  );
}
