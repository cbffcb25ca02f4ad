// Watcher as the index knows it: what it watches, and which changes of that it wants to know.

import type { SavedSearch } from '../../../search/query/saved-search.ts';
import type { EventType } from '../../events/event-types.ts';

export type WatcherTarget =
  | { readonly type: 'listing'; readonly listingId: string }
  | { readonly type: 'property'; readonly propertyId: string }
  | { readonly type: 'search'; readonly search: SavedSearch }
  /** No change of a listing concerns it. */
  | { readonly type: 'market' };

export interface IndexedWatcher {
  readonly no: number;
  readonly events: readonly EventType[];
  readonly target: WatcherTarget;
  readonly ignoreDisplayRules: boolean;
}
