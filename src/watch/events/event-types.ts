// Types of events, and which targets send them.

/** What a watcher watches. */
export type TargetType = 'listing' | 'property' | 'search';

const EVERY: readonly TargetType[] = ['listing', 'property', 'search'];
const SEARCH: readonly TargetType[] = ['search'];
/** Sent to every watcher, and not chosen by its owner. */
const OWN: readonly TargetType[] = [];

/** Each type with the targets that may name it in `events`. */
export const EVENT_TYPES = {
  'listing.created': EVERY,
  'listing.updated': EVERY,
  'listing.price_decreased': EVERY,
  'listing.price_increased': EVERY,
  'listing.status_changed': EVERY,
  'listing.back_on_market': EVERY,
  'listing.pending': EVERY,
  'listing.closed': EVERY,
  'listing.delisted': EVERY,
  'listing.deleted': EVERY,
  'listing.photos_changed': EVERY,
  'listing.open_house_added': EVERY,
  'listing.open_house_changed': EVERY,
  'listing.open_house_canceled': EVERY,
  'search.match_added': SEARCH,
  'search.match_removed': SEARCH,
  'watcher.test': OWN,
  'watcher.paused': OWN,
  'watcher.disabled': OWN,
  'watcher.throttled': OWN,
  'watcher.expired': OWN,
} as const satisfies Record<string, readonly TargetType[]>;

export type EventType = keyof typeof EVENT_TYPES;
