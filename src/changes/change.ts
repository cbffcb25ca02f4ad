// Entries of the log of changes.

/** A change of one listing. `State`: what the writer keeps of a listing. */
export interface ListingChange<State> {
  /** A safe integer, in the order of commits. */
  readonly sequence: number;
  /** Milliseconds. */
  readonly at: number;
  /** removed: the status became DELETED. */
  readonly kind: 'created' | 'updated' | 'removed';
  readonly listingId: string;
  readonly propertyId: string;
  /** Written by a first load: nobody is notified. */
  readonly quiet: boolean;
  /**
   * Names of the members of the listing that differ, and `areaIds`; `display`: hidden or shown, address withheld or not;
   * `words`: searchable words may differ. Empty for a created listing.
   */
  readonly changed: readonly string[];
  readonly after: State;
  /** Only the members that differ, member by member of each part; null: the listing was created. */
  readonly before: PartialState<State> | null;
  /** listing_text.words before the change, as its tokens; null where they are the same. */
  readonly wordsBefore: readonly string[] | null;
  /** The batch of the first load that created the listing, where this is its first change since. */
  readonly loadedBy?: number | null;
}

/** A part that is null was not there; parts that are no objects are whole. */
export type PartialState<State> = {
  readonly [Part in keyof State]?:
    | (NonNullable<State[Part]> extends object ? Partial<NonNullable<State[Part]>> : State[Part])
    | null;
};

/** A cause of events that is no change of a listing. */
export interface PrivateEntry {
  readonly sequence: number;
  readonly at: number;
  readonly kind: 'watcher';
  readonly watcherId: string;
  readonly action: string;
  readonly data: unknown;
}

/**
 * Listings that a transaction of a first load created: they are read from the tables. Those that have changed since have a later
 * entry of their own. Nobody is notified.
 */
export interface LoadEntry {
  /** Of the last of its listings. */
  readonly sequence: number;
  /** Of the first of its listings. */
  readonly firstSequence: number;
  /** Milliseconds. */
  readonly at: number;
  readonly kind: 'load';
  readonly batchId: number;
}

export type ChangeEntry<State> = ListingChange<State> | LoadEntry | PrivateEntry;

/** Whether an entry is the change of one listing. */
export const isListingChange = <State>(entry: ChangeEntry<State>): entry is ListingChange<State> =>
  entry.kind !== 'watcher' && entry.kind !== 'load';

/** The first sequence that an entry stands for. */
export const firstSequenceOf = (entry: ChangeEntry<unknown>): number =>
  entry.kind === 'load' ? entry.firstSequence : entry.sequence;

/** The state before a change; null: the listing was created. */
export function stateBefore<State extends object>({ after, before }: ListingChange<State>): State | null {
  if (before === null) return null;
  const parts = Object.entries({ ...before, ...after }).flatMap(([part]) => {
    const [differing, later] = [before[part as keyof State], after[part as keyof State]];
    if (differing === null) return [];
    const isObject = typeof later === 'object' || typeof differing === 'object';
    return [[part, isObject ? { ...later, ...differing } : (differing ?? later)]];
  });
  return Object.fromEntries(parts) as State;
}
