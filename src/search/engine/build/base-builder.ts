// Base builder: makes the segments of the engine, in a thread of its own or in this one.

import type { ListingType } from '../../../listings/vocabulary.ts';
import type { Dictionaries } from '../columns/dictionary.ts';
import type { Generation, Segment } from '../columns/segment.ts';

/** Segments as of a sequence of the log. */
export interface Base {
  readonly segments: Readonly<Record<ListingType, Segment>>;
  readonly dictionaries: Dictionaries;
  readonly sequence: number;
}

export interface LoadProgress {
  readonly rows: number;
  readonly total: number;
}

export interface BaseBuilder {
  /** All listings that the engine holds, in one snapshot of the database. Progress comes first before any row was read. */
  load(onProgress: (progress: LoadProgress) => void, signal: AbortSignal): Promise<Base>;
  /** The segments of a generation without its tails and without what is gone, with the same codes. */
  merge(generation: Generation, signal: AbortSignal): Promise<Base['segments']>;
  /** Ends what is under way, which rejects. */
  close(): Promise<void>;
}
