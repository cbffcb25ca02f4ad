// Definition of a watcher: what decides which events it is sent; the data of its private entries in the log of changes.

import type { Cadence } from '../../access/tiers/tiers.ts';
import type { SavedSearch } from '../../search/query/saved-search.ts';
import type { IndexedWatcher, WatcherTarget } from './index/indexed-watcher.ts';

export type WatcherStatus = 'active' | 'paused' | 'disabled' | 'expired';
export type StatusReason = 'owner' | 'over_limit' | 'subscription_ended' | 'delivery_failed';

export interface WatcherDefinition extends IndexedWatcher {
  readonly id: string;
  readonly owner: string;
  readonly status: WatcherStatus;
  readonly statusReason: StatusReason | null;
  /** As the plan allows it. Null in entries that are older than digests: events were sent at once. */
  readonly cadence: Cadence | null;
  /** Events an hour that the owner's plan allows; null: unlimited. */
  readonly eventsPerHour: number | null;
  /** Whether what matched at the creation is sent as events. */
  readonly backfill: boolean;
}

/** Whether its events wait for a digest. */
export const hasDigests = ({ cadence }: Pick<WatcherDefinition, 'cadence'>): boolean =>
  cadence !== null && cadence !== 'instant';

/** Columns of a watcher that its definition is made of. */
export interface DefinitionRow extends Omit<WatcherDefinition, 'target'> {
  /** As its owner wrote it. */
  readonly target: Exclude<WatcherTarget, { readonly type: 'search' }> | { readonly type: 'search' };
  readonly search: SavedSearch | null;
}

export function definitionOf(row: DefinitionRow): WatcherDefinition {
  const { no, id, owner, status, statusReason, events, cadence } = row;
  const { eventsPerHour, backfill, ignoreDisplayRules } = row;
  return {
    no,
    id,
    owner,
    status,
    statusReason,
    events,
    target: resolvedTarget(row),
    cadence,
    eventsPerHour,
    backfill,
    ignoreDisplayRules,
  };
}

function resolvedTarget({ target, search, ignoreDisplayRules }: DefinitionRow): WatcherTarget {
  if (target.type === 'market') return { type: 'market' };
  if (target.type !== 'search') return target;
  if (search === null) throw new Error('A watcher of a search has no search');
  return { type: 'search', search: { ...search, ignoreDisplayRules } };
}
