// Watcher: its record, the definition that the matching holds of it, and what its owner sees.

import { formatTime } from '../lib/clock.ts';
import type { SavedSearch } from '../search/query/saved-search.ts';
import type { EventType } from './events/event-types.ts';
import type {
  StatusReason,
  WatcherDefinition,
  WatcherStatus,
  WatcherTarget,
} from './matching/watcher-definition.ts';

/** A watcher as it is stored. */
export interface Watcher {
  /** Order of creation. */
  readonly no: number;
  readonly id: string;
  readonly owner: string;
  /** Whose number of watchers it counts against: the owner, or for grants without a key the address. */
  readonly allowance: string;
  /** Null: a grant without a key created it. */
  readonly subscription: string | null;
  readonly grant: string | null;
  readonly name: string | null;
  /** As its owner wrote it. */
  readonly target: TargetInput;
  readonly search: SavedSearch | null;
  readonly interpretation: unknown;
  readonly events: readonly EventType[];
  readonly cadence: 'instant' | null;
  readonly eventsPerHour: number | null;
  /** As its owner asked, while the plan allows it. */
  readonly ignoreDisplayRules: boolean;
  readonly backfill: boolean;
  readonly status: WatcherStatus;
  readonly statusReason: StatusReason | null;
  /** Wall-clock milliseconds; null: it does not expire. */
  readonly expiresAt: number | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** Listings that matched at the creation; null: counting them took too long. */
  readonly initialMatchCount: number | null;
  /** Grows by one with each change. */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A target as its owner writes it. */
export type TargetInput =
  | { readonly type: 'listing'; readonly listingId: string }
  | { readonly type: 'property'; readonly propertyId: string }
  | {
      readonly type: 'search';
      readonly listingType: 'rental' | 'sale';
      readonly query: Readonly<Record<string, unknown>>;
    };

/** What the matching needs of a watcher. */
export function definitionOf(watcher: Watcher): WatcherDefinition {
  const { no, id, owner, status, statusReason, events, cadence } = watcher;
  const { eventsPerHour, backfill, ignoreDisplayRules } = watcher;
  return {
    ...{ no, id, owner, status, statusReason, events, target: resolvedTarget(watcher), cadence },
    ...{ eventsPerHour, backfill, ignoreDisplayRules },
  };
}

function resolvedTarget({ target, search, ignoreDisplayRules }: Watcher): WatcherTarget {
  if (target.type !== 'search') return target;
  if (search === null) throw new Error('A watcher of a search has no search');
  return { type: 'search', search: { ...search, ignoreDisplayRules } };
}

/** The public record, in the form of WatcherSchema. */
export function presentWatcher(watcher: Watcher) {
  const { id, name, target, interpretation, events, cadence, backfill, status, statusReason } = watcher;
  return {
    ...{
      id,
      object: 'watcher',
      name,
      target,
      interpretation,
      events,
      cadence,
      backfill,
      status,
      statusReason,
    },
    initialMatchCount: watcher.initialMatchCount,
    createdAt: formatTime(watcher.createdAt),
    updatedAt: formatTime(watcher.updatedAt),
    expiresAt: formatTime(watcher.expiresAt),
    metadata: watcher.metadata,
    version: watcher.version,
  };
}

/** A strong tag: each change of a watcher has a version of its own. */
export const watcherEtag = ({ id, version }: Watcher): string => `"${id}.${version}"`;
