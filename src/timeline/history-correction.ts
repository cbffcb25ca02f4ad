// Corrections of a listing's history by its source: reported dates and prices follow the source, observations stay. Pure.

import {
  type ListingEvent,
  NO_VALUES,
  type Observation,
  type PreviousObservation,
} from '../listings/history.ts';
import {
  firstDate,
  LISTING_DATES,
  type ReportedDate,
  type ReportedDates,
  type ReportedMoment,
  statusDates,
} from '../listings/reported-dates.ts';
import { isOnMarket, type Status } from '../listings/vocabulary.ts';

/** New values for recorded history; null: as before. */
export interface Corrections {
  readonly listedAt: ReportedMoment | null;
  readonly originalPrice: number | null;
  readonly priceChangedAt: ReportedMoment | null;
  /** Last asking price of a closed sale. */
  readonly askingPrice: { readonly before: number; readonly after: number } | null;
  readonly pendingAt: ReportedMoment | null;
  readonly statusSince: ReportedMoment | null;
  readonly closePrice: number | null;
  readonly status: Status;
}

/** Corrections that an observation makes to the previous one; null if there are none. */
export function findCorrections(before: PreviousObservation, reading: Observation): Corrections | null {
  const { draft, dates, price, observedAt } = reading;
  const isPast = (moment: ReportedMoment | null) => (moment && moment.at <= observedAt ? moment : null);
  const corrected = (fields: readonly ReportedDate[]) => isPast(changedDate(before.dates, dates, fields));
  const isSettled = before.status === draft.status && !isOnMarket(draft.status);
  const isClosed = isSettled && draft.status === 'CLOSED';
  const hasAskingPrice = isClosed && draft.listPrice !== null && before.price !== null && price !== null;
  const wasSold = before.status === 'PENDING' || before.status === 'CLOSED';
  const corrections = {
    listedAt: corrected(LISTING_DATES),
    originalPrice: draft.originalPrice === before.originalPrice ? null : draft.originalPrice,
    priceChangedAt: isSettled && before.price === price ? corrected(['priceChangedAt']) : null,
    askingPrice: hasAskingPrice && before.price !== price ? { before: before.price, after: price } : null,
    pendingAt: wasSold && draft.status === 'CLOSED' ? corrected(['pendingAt']) : null,
    statusSince: isSettled ? corrected(statusDates(draft.status)) : null,
    closePrice: isClosed && draft.closePrice !== before.closePrice ? draft.closePrice : null,
  };
  if (Object.values(corrections).every((value) => value === null)) return null;
  return { ...corrections, status: draft.status };
}

/** The reported moment, where there is one and it differs from the one before. */
function changedDate(
  before: ReportedDates,
  now: ReportedDates,
  fields: readonly ReportedDate[],
): ReportedMoment | null {
  const [previous, current] = [firstDate(before, fields), firstDate(now, fields)];
  return current && (previous?.at !== current.at || previous.day !== current.day) ? current : null;
}

/** One listing's history with the corrections, in the order in which it was recorded. */
export function correctHistory(
  events: readonly ListingEvent[],
  corrections: Corrections,
): readonly ListingEvent[] {
  return correctPrices(correctDates([...events], corrections), corrections);
}

const atReported = (moment: ReportedMoment) => ({ ...moment, origin: 'upstream' }) as const;

function correctDates(
  events: ListingEvent[],
  { listedAt, priceChangedAt, pendingAt, statusSince, status }: Corrections,
): ListingEvent[] {
  const listed = events.findIndex(({ event }) => event === 'LISTED');
  const priced = events.findLastIndex(({ event }) => event === 'PRICE_CHANGED');
  const changed = events.findLastIndex((entry) => entry.status === status);
  const dated = [
    { at: listed, moment: listedAt },
    { at: priced, moment: priceChangedAt },
    { at: changed, moment: statusSince },
  ];
  for (const { at, moment } of dated) {
    const entry = events[at];
    if (entry && moment) events[at] = { ...entry, ...atReported(moment) };
  }
  return pendingAt ? correctPending(events, pendingAt) : events;
}

/** Dates the contract of the last sale; adds an entry where it had none. */
function correctPending(events: ListingEvent[], pendingAt: ReportedMoment): ListingEvent[] {
  const start = events.findLastIndex(({ status }) => status !== null && isOnMarket(status));
  const at = events.findLastIndex(({ status }, index) => index > start && status === 'PENDING');
  const entry = events[at];
  if (entry) return events.with(at, { ...entry, ...atReported(pendingAt) });
  const closed = events.findLastIndex(({ status }, index) => index > start && status === 'CLOSED');
  const closing = events[closed];
  if (!closing) return events;
  const { previousStatus, price } = closing;
  const pending: ListingEvent = {
    ...NO_VALUES,
    ...pendingAt,
    event: 'PENDING',
    origin: 'upstream',
    status: 'PENDING',
    previousStatus,
    price,
  };
  const after: ListingEvent = { ...closing, previousStatus: previousStatus && 'PENDING' };
  return events.toSpliced(closed, 1, pending, after);
}

function correctPrices(
  events: ListingEvent[],
  { originalPrice, askingPrice, closePrice }: Corrections,
): ListingEvent[] {
  const lastPriced = events.findLastIndex(({ event }) => event === 'PRICE_CHANGED' || event === 'LISTED');
  const lastClosed = events.findLastIndex(({ event }) => event === 'CLOSED');
  const firstListed = events.findIndex(({ event }) => event === 'LISTED');
  return events
    .map((entry, at) => {
      if (at === lastClosed && closePrice !== null) return { ...entry, price: closePrice };
      if (at === lastPriced && askingPrice !== null && entry.price === askingPrice.before)
        return { ...entry, price: askingPrice.after };
      return at === firstListed && originalPrice !== null ? { ...entry, price: originalPrice } : entry;
    })
    .filter(({ event, price, previousPrice }) => event !== 'PRICE_CHANGED' || price !== previousPrice);
}
