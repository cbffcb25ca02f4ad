// Owns what counts as an event in a listing's life, and how one is told from two readings of it.

import type { ListingDraft } from './draft.ts';
import { instant } from './market-clock.ts';
import { isOnMarket, type Status } from './vocabulary.ts';

export const EVENTS = [
  'LISTED',
  'PRICE_CHANGED',
  'STATUS_CHANGED',
  'PENDING',
  'CLOSED',
  'DELISTED',
  'RELISTED',
] as const;

/** `origin`: upstream gave the time itself, or we saw the change happen. `at` in milliseconds since the epoch. */
export interface ListingEvent {
  readonly event: (typeof EVENTS)[number];
  readonly at: number;
  readonly price: number | null;
  readonly previousPrice: number | null;
  readonly status: Status | null;
  readonly previousStatus: Status | null;
  readonly origin: 'upstream' | 'observed';
}

/** What of the earlier reading the comparison needs. */
export interface Earlier {
  readonly price: number | null;
  readonly status: Status;
  readonly priceChangedAt: string | null;
  readonly statusChangedAt: string | null;
  readonly closedAt: string | null;
}

const DELISTING: readonly Status[] = ['EXPIRED', 'CANCELED', 'WITHDRAWN', 'DELETED'];

const plain = { price: null, previousPrice: null, status: null, previousStatus: null } as const;

/** The life so far of a listing seen for the first time, as far as its dates tell it. */
export function firstEvents(draft: ListingDraft, price: number | null, observedAt: number): ListingEvent[] {
  const listedAt = instant(draft.listedAt) ?? instant(draft.onMarketDate);
  const closed = draft.status === 'CLOSED';
  const events: ListingEvent[] = [];
  const add = (event: ListingEvent['event'], at: number | null, more: Partial<ListingEvent>): void => {
    if (at !== null) events.push({ ...plain, event, at, origin: 'upstream', ...more });
  };
  // What a closed listing closed at was not asked: where the first price was never told, it stays unknown.
  if (listedAt !== null)
    add('LISTED', listedAt, { price: draft.originalPrice ?? draft.listPrice, status: 'ACTIVE' });
  else if (isOnMarket(draft.status))
    add('LISTED', observedAt, { price, status: draft.status, origin: 'observed' });
  if (draft.previousPrice !== null && draft.listPrice !== null && draft.previousPrice !== draft.listPrice) {
    add('PRICE_CHANGED', instant(draft.priceChangedAt), {
      price: draft.listPrice,
      previousPrice: draft.previousPrice,
    });
  }
  if (closed || draft.status === 'PENDING')
    add('PENDING', instant(draft.pendingAt), { price, status: 'PENDING' });
  if (closed) add('CLOSED', instant(draft.closedAt), { price: draft.closePrice ?? price, status: 'CLOSED' });
  if (DELISTING.includes(draft.status)) {
    add('DELISTED', instant(draft.offMarketAt) ?? instant(draft.statusChangedAt), {
      price,
      status: draft.status,
    });
  }
  return events.sort((a, b) => a.at - b.at);
}

/** The events between an earlier reading and this one. */
export function nextEvents(
  before: Earlier,
  draft: ListingDraft,
  price: number | null,
  observedAt: number,
): ListingEvent[] {
  const events: ListingEvent[] = [];
  if (before.price !== price) {
    const dated = when('priceChangedAt', before, draft, observedAt);
    events.push({ ...plain, event: 'PRICE_CHANGED', ...dated, price, previousPrice: before.price });
  }
  if (before.status !== draft.status) {
    const event = statusEvent(before.status, draft.status);
    const dated = when(event === 'CLOSED' ? 'closedAt' : 'statusChangedAt', before, draft, observedAt);
    const at = event === 'CLOSED' ? (draft.closePrice ?? price) : price;
    events.push({
      ...plain,
      event,
      ...dated,
      price: at,
      status: draft.status,
      previousStatus: before.status,
    });
  }
  return events;
}

/** The name of a change of status. */
export function statusEvent(from: Status, to: Status): ListingEvent['event'] {
  if (to === 'PENDING' || to === 'CLOSED') return to;
  if (DELISTING.includes(to)) return 'DELISTED';
  if (isOnMarket(to) && !isOnMarket(from) && from !== 'COMING_SOON') return 'RELISTED';
  return 'STATUS_CHANGED';
}

/**
 * The source's own time where it is given, not in the future, and not one that spoke of an earlier change already: a
 * listing that was gone and is back comes with its old times. Else the moment we saw it.
 */
function when(
  field: 'priceChangedAt' | 'statusChangedAt' | 'closedAt',
  before: Earlier,
  draft: ListingDraft,
  observedAt: number,
): Pick<ListingEvent, 'at' | 'origin'> {
  const earlier = instant(before[field]) ?? Number.NEGATIVE_INFINITY;
  const candidates = [instant(draft[field]), instant(draft.upstreamModifiedAt)];
  const at = candidates.find((time) => time !== null && time > earlier && time <= observedAt);
  return at == null ? { at: observedAt, origin: 'observed' } : { at, origin: 'upstream' };
}
