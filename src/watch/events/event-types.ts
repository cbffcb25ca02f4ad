// Event types: THE table of what watchers send, which targets can send each type, and which change causes it.

export type TargetType = 'listing' | 'property' | 'search' | 'market';

interface EventTypeRule {
  /** Targets that send it where `events` names it; empty: it is about the watcher, and always sent. */
  readonly targets: readonly TargetType[];
  /** What causes it, for the documentation. */
  readonly cause: string;
}

/** Targets that are notified of changes of listings. */
const ANY_TARGET: readonly TargetType[] = ['listing', 'property', 'search'];
const ALWAYS: readonly TargetType[] = [];

export const EVENT_TYPES = {
  'listing.created': { targets: ['property', 'search'], cause: 'A listing is new.' },
  'listing.updated': { targets: ANY_TARGET, cause: 'Any member of the listing changed.' },
  'listing.price_decreased': { targets: ANY_TARGET, cause: 'The price is lower than before.' },
  'listing.price_increased': { targets: ANY_TARGET, cause: 'The price is higher than before.' },
  'listing.status_changed': { targets: ANY_TARGET, cause: 'The status changed.' },
  'listing.back_on_market': {
    targets: ANY_TARGET,
    cause: 'The status became ACTIVE or ACTIVE_UNDER_CONTRACT again after one that is off the market.',
  },
  'listing.pending': { targets: ANY_TARGET, cause: 'The status became PENDING.' },
  'listing.closed': { targets: ANY_TARGET, cause: 'The status became CLOSED: sold or let.' },
  'listing.delisted': {
    targets: ANY_TARGET,
    cause: 'The status became EXPIRED, CANCELED or WITHDRAWN.',
  },
  'listing.deleted': {
    targets: ANY_TARGET,
    cause: 'The source has removed the listing, or no longer lets it be shown.',
  },
  'listing.photos_changed': { targets: ANY_TARGET, cause: 'Photos were added, removed or replaced.' },
  'listing.open_house_added': { targets: ANY_TARGET, cause: 'An open house was announced.' },
  'listing.open_house_changed': { targets: ANY_TARGET, cause: 'The time or kind of an open house changed.' },
  'listing.open_house_canceled': { targets: ANY_TARGET, cause: 'An open house was canceled or removed.' },
  'search.match_added': { targets: ['search'], cause: 'The listing matches the search, and did not before.' },
  'search.match_removed': {
    targets: ['search'],
    cause: 'The listing matched the search, and no longer does.',
  },
  'market.threshold_crossed': {
    targets: ['market'],
    cause: 'The figure has come to meet the condition, and did not before.',
  },
  'watcher.test': { targets: ALWAYS, cause: 'A test was requested.' },
  'watcher.digest': { targets: ALWAYS, cause: 'A digest is due, and something happened since the last one.' },
  'watcher.paused': { targets: ALWAYS, cause: 'The watcher was paused; `data.reason` says why.' },
  'watcher.disabled': {
    targets: ALWAYS,
    cause:
      'The watcher or one of its webhooks was disabled; `data.reason` says why, and `data.webhook` names the webhook.',
  },
  'watcher.throttled': {
    targets: ALWAYS,
    cause: 'The owner’s events of this hour are more than the plan allows; sent once an hour.',
  },
  'watcher.expired': { targets: ALWAYS, cause: 'The watcher has reached `expiresAt`.' },
  'account.quota_reached': {
    targets: ALWAYS,
    cause: '80 or 100 percent of the month of requests is used; of no watcher, and sent to no webhook.',
  },
} as const satisfies Readonly<Record<string, EventTypeRule>>;

export type EventType = keyof typeof EVENT_TYPES;

const RULES: Readonly<Record<EventType, EventTypeRule>> = EVENT_TYPES;

const NAMES = Object.keys(EVENT_TYPES) as EventType[];

/** Whether a watcher of this target may name the type in `events`. */
export const canSend = (target: TargetType, type: EventType): boolean => RULES[type].targets.includes(target);

/** Whether the type is about the watcher itself: always sent, and never limited. */
export const isAboutWatcher = (type: EventType): boolean => RULES[type].targets.length === 0;

/** The types that a target can send, in the order of the table. */
export const eventsOf = (target: TargetType): readonly EventType[] =>
  NAMES.filter((type) => canSend(target, type));

/** The types of a watcher that names none: of a search its matches, of anything else all. */
export const defaultEventsOf = (target: TargetType): readonly EventType[] =>
  eventsOf(target).filter((type) => target !== 'search' || type.startsWith('search.'));
