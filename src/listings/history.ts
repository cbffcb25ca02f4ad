// Events in a listing's life: what counts as one, and how two readings of a listing tell it.

import type { ListingDraft } from './draft.ts';
import {
  datesOf,
  firstGiven,
  LISTED_BY,
  type ReportedDate,
  type ReportedDates,
  type ReportedMoment,
} from './reported-dates.ts';
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
  /** Where the source told no more than the day: that day, which `at` is the beginning of. */
  readonly day: string | null;
  readonly price: number | null;
  readonly previousPrice: number | null;
  readonly status: Status | null;
  readonly previousStatus: Status | null;
  readonly origin: 'upstream' | 'observed';
}

/** What a source says of a listing, and when we heard it. `price` is the one that is shown. */
export interface Reading {
  readonly draft: ListingDraft;
  readonly dates: ReportedDates;
  readonly price: number | null;
  readonly observedAt: number;
}

/** What of the earlier reading the comparison needs. */
export interface Earlier {
  readonly price: number | null;
  readonly originalPrice: number | null;
  readonly closePrice: number | null;
  readonly status: Status;
  readonly dates: ReportedDates;
}

const DELISTING: readonly Status[] = ['EXPIRED', 'CANCELED', 'WITHDRAWN', 'DELETED'];

export const NO_CHANGE = { price: null, previousPrice: null, status: null, previousStatus: null } as const;

/** The life so far of a listing seen for the first time, as far as its dates tell it. */
export function firstEvents({ draft, dates, price, observedAt }: Reading): ListingEvent[] {
  const { status } = draft;
  const listed = firstGiven(dates, LISTED_BY);
  const since = firstGiven(dates, datesOf(status));
  const events: ListingEvent[] = [];
  const add = (
    event: ListingEvent['event'],
    moment: ReportedMoment | null,
    more: Partial<ListingEvent>,
  ): void => {
    if (moment !== null) events.push({ ...NO_CHANGE, event, ...moment, origin: 'upstream', ...more });
  };
  const observed = { at: observedAt, day: null };
  // What a closed listing closed at was not asked: where the first price was never told, it stays unknown.
  if (listed !== null)
    add('LISTED', listed, { price: draft.originalPrice ?? draft.listPrice, status: 'ACTIVE' });
  else if (isOnMarket(status)) add('LISTED', observed, { price, status, origin: 'observed' });
  if (draft.previousPrice !== null && draft.listPrice !== null && draft.previousPrice !== draft.listPrice) {
    const { listPrice, previousPrice } = draft;
    add('PRICE_CHANGED', dates.priceChangedAt, { price: listPrice, previousPrice });
  }
  if (status === 'PENDING') add('PENDING', since, { price, status });
  if (status === 'CLOSED') {
    add('PENDING', dates.pendingAt, { price, status: 'PENDING' });
    add('CLOSED', since, { price: draft.closePrice ?? price, status });
  }
  if (DELISTING.includes(status)) add('DELISTED', since, { price, status });
  // Written down even where nobody dates it: when the hold ends, its beginning must stay what it was.
  if (status === 'HOLD') {
    if (since !== null && since.at <= observedAt) add('STATUS_CHANGED', since, { status });
    else add('STATUS_CHANGED', observed, { status, origin: 'observed' });
  }
  return events.sort((a, b) => a.at - b.at);
}

/** The events between an earlier reading and this one. */
export function nextEvents(before: Earlier, reading: Reading): ListingEvent[] {
  const { draft, price } = reading;
  const events: ListingEvent[] = [];
  if (before.price !== price && isAsked(before, draft)) {
    const dated = when(['priceChangedAt'], before, reading);
    events.push({ ...NO_CHANGE, event: 'PRICE_CHANGED', ...dated, price, previousPrice: before.price });
  }
  if (before.status === draft.status) return events;
  const pending = pendingBetween(before, reading);
  if (pending) events.push(pending);
  const event = statusEvent(before.status, draft.status);
  events.push({
    ...NO_CHANGE,
    event,
    ...when(datesOf(draft.status), before, reading),
    price: event === 'CLOSED' ? (draft.closePrice ?? price) : price,
    status: draft.status,
    previousStatus: pending ? 'PENDING' : before.status,
  });
  return events;
}

/** Whether another price means that other money was asked: of a closed sale it is a correction, or what was paid. */
const isAsked = (before: Earlier, draft: ListingDraft): boolean =>
  draft.status !== 'CLOSED' || (before.status !== 'CLOSED' && draft.listPrice !== null);

/** The contract of a listing that was signed and closed between two readings. */
function pendingBetween(before: Earlier, reading: Reading): ListingEvent | null {
  if (reading.draft.status !== 'CLOSED' || before.status === 'PENDING') return null;
  const signed = newlyTold('pendingAt', before, reading);
  if (signed === null) return null;
  const statuses = { status: 'PENDING', previousStatus: before.status } as const;
  return { ...NO_CHANGE, event: 'PENDING', ...signed, origin: 'upstream', price: reading.price, ...statuses };
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
  fields: readonly ReportedDate[],
  before: Earlier,
  reading: Reading,
): Pick<ListingEvent, 'at' | 'day' | 'origin'> {
  const told = fields.map((field) => newlyTold(field, before, reading)).find((moment) => moment !== null);
  if (told) return { ...told, origin: 'upstream' };
  const earlier = firstGiven(before.dates, fields)?.at ?? Number.NEGATIVE_INFINITY;
  const modified = Date.parse(reading.draft.upstreamModifiedAt ?? '');
  if (modified > earlier && modified <= reading.observedAt)
    return { at: modified, day: null, origin: 'upstream' };
  return { at: reading.observedAt, day: null, origin: 'observed' };
}

/** A date that is later than the one told before, and not in the future. */
function newlyTold(
  field: ReportedDate,
  before: Earlier,
  { dates, observedAt }: Reading,
): ReportedMoment | null {
  const [was, is] = [before.dates[field], dates[field]];
  return is !== null && is.at <= observedAt && (was === null || is.at > was.at) ? is : null;
}
