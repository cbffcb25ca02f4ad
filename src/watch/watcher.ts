// Watcher: its record, and what its owner sees.

import type { Cadence } from '../access/tiers/tiers.ts';
import { formatTime } from '../lib/clock.ts';
import type { SavedSearch } from '../search/query/saved-search.ts';
import type { EventType } from './events/event-types.ts';
import type { MarketTarget } from './market/condition.ts';
import type { StatusReason, WatcherStatus } from './matching/watcher-definition.ts';
import type { Webhook } from './webhooks/webhook.ts';

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
  readonly delivery: readonly Webhook[];
  /** As the plan allows it. */
  readonly cadence: Cadence;
  /** As its owner asked; null: the fastest of the plan. */
  readonly requestedCadence: Cadence | null;
  /** IANA name; of its digests. */
  readonly timeZone: string;
  readonly eventsPerHour: number | null;
  /** As its owner asked, while the plan allows it. */
  readonly ignoreDisplayRules: boolean;
  readonly backfill: boolean;
  readonly status: WatcherStatus;
  readonly statusReason: StatusReason | null;
  /** Wall-clock milliseconds; null: it does not expire. */
  readonly expiresAt: number | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** Listings that matched at the creation; null: not counted. */
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
    }
  | MarketTarget;

/**
 * The public record, in the form of WatcherSchema.
 * @param secrets of new webhooks, by their place in the list: shown once
 */
export function presentWatcher(watcher: Watcher, secrets: ReadonlyMap<number, string> = new Map()) {
  const { id, name, target, interpretation, events, cadence, timeZone, backfill } = watcher;
  const { status, statusReason } = watcher;
  return {
    id,
    object: 'watcher',
    name,
    target,
    interpretation,
    events,
    delivery: watcher.delivery.map((webhook, place) => ({ ...webhook, secret: secrets.get(place) })),
    cadence,
    timeZone,
    backfill,
    status,
    statusReason,
    initialMatchCount: watcher.initialMatchCount,
    createdAt: formatTime(watcher.createdAt),
    updatedAt: formatTime(watcher.updatedAt),
    expiresAt: formatTime(watcher.expiresAt),
    metadata: watcher.metadata,
    version: watcher.version,
  };
}

/** Whether its owner, or the operator, has paused it: then its deliveries wait, too. */
export const isPausedByOwner = ({
  status,
  statusReason,
}: Pick<Watcher, 'status' | 'statusReason'>): boolean => status === 'paused' && statusReason === 'owner';

/** A strong tag: each change of a watcher has a version of its own. */
export const watcherEtag = ({ id, version }: Watcher): string => `"${id}.${version}"`;
