// What a handler says of its answer for the record of use: the listings that it shows, and what answers.

/** What a handler says of its answer. */
export interface CallUsage {
  /** Counts listings of a source that the answer shows, before it is sent or while it is written. Of an error nothing counts. */
  shows(source: string, listings?: number): void;
  /** Names the operation that answers, where that is not the route's own. */
  answeredBy(operation: string): void;
}

/** Of calls that are no requests of anybody. */
export const UNRECORDED: CallUsage = { shows: () => {}, answeredBy: () => {} };
