// Owns how a stored listing becomes the record a reader sees: units, masked addresses, freshness and the clock.

import type { StoredListing } from './catalogue.ts';
import type { Listing } from './record.ts';
import type { UnitSystem } from './vocabulary.ts';

/** Who is looking, when and how. */
export interface View {
  readonly units: UnitSystem;
  readonly source: 'live' | 'cached';
  /** Internal callers may switch display rules off. */
  readonly ignoreDisplayRules: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Base of the URLs in the record. */
  readonly publicUrl: string;
}

/** The public record; null where display rules hide the whole listing from this reader. */
export function presentListing(stored: StoredListing, view: View): Listing | null {
  if (!stored.displayed && !view.ignoreDisplayRules) return null;
  throw new Error('written next');
}
