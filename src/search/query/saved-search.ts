// Saved search: the filters of a search with everything looked up once, as a watcher stores it.

import type { ListingType, UnitSystem } from '../../listings/vocabulary.ts';
import type { Condition } from './condition.ts';
import type { WordMeaning } from './plan.ts';

/** JSON. It finds the same listings whatever areas, words and currencies are added later. */
export interface SavedSearch {
  readonly listingType: ListingType;
  /** A listing must meet all of them. No condition depends on the time at which it is checked. */
  readonly conditions: readonly Condition[];
  readonly ignoreDisplayRules: boolean;
  /** The areas of its `areas` condition; a listing lies in any of them. Empty without one. */
  readonly areaNos: readonly number[];
  /** The meanings of the words of its `text` condition. */
  readonly words: Readonly<Record<string, WordMeaning>>;
  readonly units: UnitSystem;
  /** ISO 4217, if it names a currency or compares money; a condition says the same. */
  readonly currency: string | null;
  /** The parameters of the query as its author wrote them, aliases included, by their plain names. */
  readonly names: Readonly<Record<string, string>>;
}
