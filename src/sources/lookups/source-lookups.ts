// Lookups of a source: what it says of the values of its enumerated fields.

/** One value of one lookup as the source explains it. */
export interface StatedLookup {
  /** resource: of the resource Lookup; metadata: an annotation in $metadata. */
  readonly origin: 'resource' | 'metadata';
  /** LookupName; of metadata: the field. */
  readonly lookup: string;
  /** LookupKey, or what stands for it. */
  readonly key: string;
  /** LookupValue: as people read it. */
  readonly value: string;
  /** StandardLookupValue: the dictionary's value; null: the value is the source's own. */
  readonly standard: string | null;
  /** LegacyODataValue: as a name; null: it has none. */
  readonly legacy: string | null;
  /** RFC 3339; null: it does not say. */
  readonly modifiedAt: string | null;
}

/** A lookup as it is kept. */
export interface KnownLookup extends StatedLookup {
  /** Earlier spellings, the last one first. */
  readonly former: readonly string[];
  /** Whether the source no longer names it. */
  readonly isGone: boolean;
}

/** All lookups that are kept of a source. */
export interface LookupTable {
  /** Grows with each change. */
  readonly version: number;
  readonly lookups: readonly KnownLookup[];
  /** LookupName by field, where it is another than the name of the field. */
  readonly names: Readonly<Record<string, string>>;
}

/** Where to go on. */
export interface LookupPlace {
  /** The greatest ModificationTimestamp that was read, RFC 3339; null: all are read. */
  readonly position: string | null;
  /** Which lookups were wanted then. */
  readonly wanted: string;
}

/** What came of reading lookups. */
export interface LookupAnswer extends LookupPlace {
  /** absent: the server has no Lookup, or the profile reads none. refused: it may not be read. failed: it could not be read now. */
  readonly state: 'read' | 'absent' | 'refused' | 'failed';
  /** Why, as a sentence; null: there is nothing to say. */
  readonly detail: string | null;
  readonly lookups: readonly StatedLookup[];
  readonly names: LookupTable['names'];
  /** Origins of which all lookups came, so that others are gone. */
  readonly whole: readonly StatedLookup['origin'][];
}

export interface SourceLookups {
  /**
   * Reads what changed since a place; null: everything. `maxPages`: requests for Lookup at most. A server without Lookup, or that refuses it,
   * is an answer too. Throws the LiveError of a source that cannot be read at all.
   */
  read(from: LookupPlace | null, signal: AbortSignal, maxPages?: number): Promise<LookupAnswer>;
  /** Maps by these from now on. */
  use(table: LookupTable): void;
}
