// Rules of events: which events a change of a listing causes. Pure.

import type { ListingChange } from '../../changes/change.ts';
import type { ChangeState, ListingSummary } from '../../listings/change-state.ts';
import { HIDDEN_STATUSES, isOnMarket, type Status } from '../../listings/vocabulary.ts';
import type { EventContent } from '../events/event.ts';
import type { EventType, TargetType } from '../events/event-types.ts';
import { AFTER, BEFORE } from './index/change-sides.ts';

type Change = ListingChange<ChangeState>;
export type ListingEventType = Extract<EventType, `listing.${string}`>;

/** A change of a listing that may be shown before and after. */
interface Update {
  readonly change: Change;
  readonly before: Partial<ListingSummary>;
  readonly after: ListingSummary;
}

const OFF_MARKET: readonly Status[] = ['PENDING', 'HOLD', 'WITHDRAWN', 'CANCELED', 'EXPIRED', 'CLOSED'];
const DELISTED: readonly Status[] = ['EXPIRED', 'CANCELED', 'WITHDRAWN'];

const became = ({ before, after }: Update, statuses: readonly Status[]): boolean =>
  before.status !== undefined && statuses.includes(after.status);

/** Which change causes which event, among those of listings that stay in view. */
const UPDATE_RULES: Readonly<
  Record<Exclude<ListingEventType, 'listing.created' | 'listing.deleted'>, (update: Update) => boolean>
> = {
  'listing.updated': () => true,
  'listing.price_decreased': ({ before, after }) => isBelow(after.price, before.price),
  'listing.price_increased': ({ before, after }) => isBelow(before.price, after.price),
  'listing.status_changed': ({ before }) => before.status !== undefined,
  'listing.back_on_market': ({ before, after }) =>
    before.status !== undefined && OFF_MARKET.includes(before.status) && isOnMarket(after.status),
  'listing.pending': (update) => became(update, ['PENDING']),
  'listing.closed': (update) => became(update, ['CLOSED']),
  'listing.delisted': (update) => became(update, DELISTED),
  'listing.photos_changed': ({ change }) =>
    change.changed.includes('photos') || change.changed.includes('photoCount'),
  'listing.open_house_added': (update) => openHouses(update).some(({ was, is }) => is && !was),
  'listing.open_house_changed': (update) =>
    openHouses(update).some(({ was, is }) => was && is && JSON.stringify(was) !== JSON.stringify(is)),
  'listing.open_house_canceled': (update) =>
    openHouses(update).some(({ was, is }) => was && !is && !isOver(was, update.change.at)),
};

const UPDATE_TYPES = Object.keys(UPDATE_RULES) as (keyof typeof UPDATE_RULES)[];

const isBelow = (price: number | null | undefined, other: number | null | undefined): boolean =>
  typeof price === 'number' && typeof other === 'number' && price < other;

type OpenHouse = ListingSummary['openHouses'][number];

/** Each open house before and after, where it is not canceled. */
function openHouses({ before, after }: Update): { was: OpenHouse | undefined; is: OpenHouse | undefined }[] {
  if (before.openHouses === undefined) return [];
  const [was, is] = [before.openHouses, after.openHouses].map(
    (houses) => new Map(houses.filter(isPlanned).map((house) => [house.id, house])),
  );
  const ids = new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])]);
  return [...ids].map((id) => ({ was: was?.get(id), is: is?.get(id) }));
}

const isPlanned = ({ status }: OpenHouse): boolean => !/^cancell?ed$/i.test(status ?? '');

/** Sources drop open houses that are over. */
function isOver({ startsAt, endsAt }: OpenHouse, now: number): boolean {
  const end = Date.parse(endsAt ?? startsAt ?? '');
  return !Number.isNaN(end) && end <= now;
}

/** Whether a listing is in view before and after a change; `ignoresDisplay`: for callers who see withheld ones. */
export function viewOf({ before, after }: Change, ignoresDisplay: boolean): number {
  const isShown = (status: Status, displayed: boolean): boolean =>
    !HIDDEN_STATUSES.includes(status) && (displayed || ignoresDisplay);
  const { status, displayed } = after.row;
  const now = isShown(status, displayed) ? AFTER : 0;
  if (before === null) return now;
  const was = isShown(before.row?.status ?? status, before.row?.displayed ?? displayed);
  return now | (was ? BEFORE : 0);
}

/** Event types of a listing on these sides of a change: in view on one side alone, it was created or deleted. */
export function listingEventTypes(change: Change, sides: number): readonly ListingEventType[] {
  if (sides === AFTER) return ['listing.created'];
  if (sides === BEFORE) return ['listing.deleted'];
  if (sides === 0) return [];
  const update = { change, before: change.before?.listing ?? {}, after: change.after.listing };
  return UPDATE_TYPES.filter((type) => UPDATE_RULES[type](update));
}

/** The event type of a search whose match begins or ends. */
export function searchEventTypes(sides: number): readonly EventType[] {
  if (sides === AFTER) return ['search.match_added'];
  return sides === BEFORE ? ['search.match_removed'] : [];
}

/**
 * All event types that a watcher is sent about a change, of those that it names.
 * @param sides on which the watcher matches
 * @param view the sides on which the listing is in view
 */
export function decideEvents(
  watcher: { readonly target: TargetType; readonly events: readonly EventType[] },
  change: Change,
  sides: number,
  view: number,
): EventType[] {
  const types = typesFor(watcher.target, change, sides, view);
  return types.filter((type) => watcher.events.includes(type));
}

function typesFor(target: TargetType, change: Change, sides: number, view: number): readonly EventType[] {
  if (target === 'search') return [...searchEventTypes(sides), ...listingEventTypes(change, view)];
  // A watched listing is never new: it comes back into view.
  return target === 'listing' && sides === AFTER ? ['listing.updated'] : listingEventTypes(change, sides);
}

/** Whether a change takes the listing or its address out of view: what is stored of it is deleted. */
export function isWithdrawal(change: Change): boolean {
  if (change.kind === 'removed') return true;
  if (!change.changed.includes('display')) return false;
  return !change.after.row.displayed || change.after.withheld !== undefined;
}

/** What events of a change show of its listing; of one out of view the id alone. */
export function contentOf(change: Change): EventContent {
  const { sequence, listingId, at, changed, before, after } = change;
  if ((viewOf(change, false) & AFTER) === 0)
    return { sequence, listingId, at, object: null, previous: null, changedFields: [] };
  // What was in view before may be withheld now.
  const previous = isWithdrawal(change) || (viewOf(change, false) & BEFORE) === 0 ? null : before?.listing;
  const changedFields = changed.filter((name) => name !== 'words' && name !== 'display');
  return { sequence, listingId, at, object: after.listing, previous: previous ?? null, changedFields };
}
