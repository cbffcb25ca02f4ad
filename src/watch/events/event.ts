// Events of watchers as the matching hands them over, and their position in the log.

import type { EventType } from './event-types.ts';

/** Position of an event in the log: events are ordered by these four members. */
export interface EventPosition {
  /** Of the change that caused the event. */
  readonly sequence: number;
  readonly watcherId: string;
  /** An event type, or empty in a position between events. */
  readonly type: string;
  /** Tells apart events of one watcher, change and type. */
  readonly ordinal: number;
}

/** An event to write. */
export interface EventDraft extends EventPosition {
  readonly type: EventType;
  readonly owner: string;
  /** Events that the owner's plan allows in an hour; null: unlimited. */
  readonly eventsPerHour: number | null;
  /** The listing of the change; its content is written with the event. Null for events about the watcher. */
  readonly listingId: string | null;
  /** Parameters that the listing matched, as the owner wrote them. */
  readonly matchedOn: readonly string[];
  /** Whether it waits for a digest: it is sent there alone. */
  readonly held: boolean;
  /** Milliseconds since the epoch: when the change was made. */
  readonly at: number;
  /** Data of an event about the watcher. */
  readonly data?: object;
}

/** A listing as the events of one change show it. */
export interface EventContent {
  readonly sequence: number;
  readonly listingId: string;
  /** Milliseconds since the epoch: `at` of its events. */
  readonly at: number;
  /** Null where the listing may not be shown: its events show the id alone. */
  readonly object: object | null;
  /** Former values of the members that changed; null: none. */
  readonly previous: object | null;
  readonly changedFields: readonly string[];
}

/** A listing that the change `sequence` withdrew from view, or whose address it withdrew: stored content of it is deleted. */
export interface Withdrawal {
  readonly sequence: number;
  readonly listingId: string;
}

/** What one transaction writes. */
export interface EventBatch {
  readonly events: readonly EventDraft[];
  /** One for each change and listing that the events name. */
  readonly contents: readonly EventContent[];
  readonly withdrawals: readonly Withdrawal[];
}

/** The order of the log. */
export function comparePositions(a: EventPosition, b: EventPosition): number {
  return (
    a.sequence - b.sequence ||
    compareText(a.watcherId, b.watcherId) ||
    compareText(a.type, b.type) ||
    a.ordinal - b.ordinal
  );
}

/** By code points, as columns with the collation "C" are ordered. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
