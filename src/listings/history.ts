// History of a listing: its events, from the first observation or from the difference of two.

import type { ListingDraft } from './draft.ts';
import {
  firstDate,
  LISTING_DATES,
  type ReportedDate,
  type ReportedDates,
  type ReportedMoment,
  statusDates,
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

/** `origin`: the source reported the time, or this service observed the change. `at` in milliseconds since the epoch. */
export interface ListingEvent {
  readonly event: (typeof EVENTS)[number];
  readonly at: number;
  /** The day that begins at `at`, if the source reports only a day. */
  readonly day: string | null;
  readonly price: number | null;
  readonly previousPrice: number | null;
  readonly status: Status | null;
  readonly previousStatus: Status | null;
  readonly origin: 'upstream' | 'observed';
}

/** A draft, and when it was read. `price` is the public one. */
export interface Observation {
  readonly draft: ListingDraft;
  readonly dates: ReportedDates;
  readonly price: number | null;
  readonly observedAt: number;
}

/** What the previous observation contributes to the comparison. */
export interface PreviousObservation {
  readonly price: number | null;
  readonly originalPrice: number | null;
  readonly closePrice: number | null;
  readonly status: Status;
  readonly dates: ReportedDates;
}

const DELISTING: readonly Status[] = ['EXPIRED', 'CANCELED', 'WITHDRAWN', 'DELETED'];

export const NO_VALUES = { price: null, previousPrice: null, status: null, previousStatus: null } as const;

/** The history of a new listing, as far as its dates report it. */
export function initialEvents({ draft, dates, price, observedAt }: Observation): ListingEvent[] {
  const { status } = draft;
  const listed = firstDate(dates, LISTING_DATES);
  const since = firstDate(dates, statusDates(status));
  const events: ListingEvent[] = [];
  const add = (
    event: ListingEvent['event'],
    moment: ReportedMoment | null,
    more: Partial<ListingEvent>,
  ): void => {
    if (moment !== null) events.push({ ...NO_VALUES, event, ...moment, origin: 'upstream', ...more });
  };
  const observed = { at: observedAt, day: null };
  // The close price was never an asking price: without a reported one, the first price stays unknown.
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
  // Recorded even without a date: when the hold ends, its beginning must not move.
  if (status === 'HOLD') {
    if (since !== null && since.at <= observedAt) add('STATUS_CHANGED', since, { status });
    else add('STATUS_CHANGED', observed, { status, origin: 'observed' });
  }
  return events.sort((a, b) => a.at - b.at);
}

/** The events between the previous observation and this one. */
export function eventsBetween(before: PreviousObservation, current: Observation): ListingEvent[] {
  const { draft, price } = current;
  const events: ListingEvent[] = [];
  const since = dateOfChange(statusDates(draft.status), before, current);
  if (before.price !== price && changesAskingPrice(before, draft)) {
    const changed = dateOfChange(['priceChangedAt'], before, current);
    // Nobody asks a price of a home that is sold: the change was before, and is noticed late.
    const date = draft.status === 'CLOSED' && changed.at > since.at ? since : changed;
    events.push({ ...NO_VALUES, event: 'PRICE_CHANGED', ...date, price, previousPrice: before.price });
  }
  if (before.status === draft.status) return events;
  const pending = pendingBetween(before, current);
  if (pending) events.push(pending);
  const event = statusEvent(before.status, draft.status);
  events.push({
    ...NO_VALUES,
    event,
    ...since,
    price: event === 'CLOSED' ? (draft.closePrice ?? price) : price,
    status: draft.status,
    previousStatus: pending ? 'PENDING' : before.status,
  });
  return events;
}

/** Whether a new price is a new asking price: on a closed sale it is a correction, or the price paid. */
const changesAskingPrice = (before: PreviousObservation, draft: ListingDraft): boolean =>
  draft.status !== 'CLOSED' || (before.status !== 'CLOSED' && draft.listPrice !== null);

/** The contract of a listing that was signed and closed between two observations. */
function pendingBetween(before: PreviousObservation, current: Observation): ListingEvent | null {
  if (current.draft.status !== 'CLOSED' || before.status === 'PENDING') return null;
  const pendingAt = newerDate('pendingAt', before, current);
  if (pendingAt === null) return null;
  const { price } = current;
  const statuses = { status: 'PENDING', previousStatus: before.status } as const;
  return { ...NO_VALUES, ...statuses, ...pendingAt, event: 'PENDING', origin: 'upstream', price };
}

/** The name of a change of status. */
export function statusEvent(from: Status, to: Status): ListingEvent['event'] {
  if (to === 'PENDING' || to === 'CLOSED') return to;
  if (DELISTING.includes(to)) return 'DELISTED';
  if (isOnMarket(to) && !isOnMarket(from) && from !== 'COMING_SOON') return 'RELISTED';
  return 'STATUS_CHANGED';
}

/**
 * The source's date if it is new and not in the future: a relisted listing may come with its old dates. Else the time at
 * which the source last modified the record, or the time of the observation.
 */
function dateOfChange(
  fields: readonly ReportedDate[],
  before: PreviousObservation,
  current: Observation,
): Pick<ListingEvent, 'at' | 'day' | 'origin'> {
  const reported = fields.map((field) => newerDate(field, before, current)).find((date) => date !== null);
  if (reported) return { ...reported, origin: 'upstream' };
  const earlier = firstDate(before.dates, fields)?.at ?? Number.NEGATIVE_INFINITY;
  const modified = Date.parse(current.draft.upstreamModifiedAt ?? '');
  if (modified > earlier && modified <= current.observedAt)
    return { at: modified, day: null, origin: 'upstream' };
  return { at: current.observedAt, day: null, origin: 'observed' };
}

/** The date, if it is later than the previous one and not in the future. */
function newerDate(
  field: ReportedDate,
  before: PreviousObservation,
  { dates, observedAt }: Observation,
): ReportedMoment | null {
  const [previous, date] = [before.dates[field], dates[field]];
  return date !== null && date.at <= observedAt && (previous === null || date.at > previous.at) ? date : null;
}
