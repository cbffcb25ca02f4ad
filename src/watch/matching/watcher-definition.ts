// Definition of a watcher: what decides which events it is sent; the data of its private entries in the log of changes.

import type { SavedSearch } from '../../search/query/saved-search.ts';
import type { EventType } from '../events/event-types.ts';

export type WatcherStatus = 'active' | 'paused' | 'disabled' | 'expired';
export type StatusReason = 'owner' | 'over_limit' | 'subscription_ended' | 'delivery_failed';

export type WatcherTarget =
  | { readonly type: 'listing'; readonly listingId: string }
  | { readonly type: 'property'; readonly propertyId: string }
  | { readonly type: 'search'; readonly search: SavedSearch };

export interface WatcherDefinition {
  readonly no: number;
  readonly id: string;
  readonly owner: string;
  readonly status: WatcherStatus;
  readonly statusReason: StatusReason | null;
  readonly events: readonly EventType[];
  readonly target: WatcherTarget;
  /** Null: events are in the log and the feeds alone. */
  readonly cadence: 'instant' | null;
  /** Events an hour that the owner's plan allows; null: unlimited. */
  readonly eventsPerHour: number | null;
  /** Whether what matched at the creation is told as events. */
  readonly backfill: boolean;
  readonly ignoreDisplayRules: boolean;
}
