// What a source corrects of a listing's history: lines that its dates and prices made follow them, observations stay. Pure.

import { type Earlier, type ListingEvent, NO_CHANGE, type Reading } from '../listings/history.ts';
import {
  datesOf,
  firstGiven,
  LISTED_BY,
  type ReportedDate,
  type ReportedDates,
  type ReportedMoment,
} from '../listings/reported-dates.ts';
import { isOnMarket, type Status } from '../listings/vocabulary.ts';

/** What is said anew of lines that are there already; null: as before. */
export interface Corrections {
  readonly listed: ReportedMoment | null;
  readonly originalPrice: number | null;
  readonly priceChanged: ReportedMoment | null;
  /** Of the last price asked for a sale that has closed. */
  readonly asked: { readonly was: number; readonly is: number } | null;
  readonly signed: ReportedMoment | null;
  /** Since when the listing has had its status. */
  readonly since: ReportedMoment | null;
  readonly paid: number | null;
  readonly status: Status;
}

/** What a reading corrects of the one before; null where that is nothing. */
export function correctionsOf(before: Earlier, reading: Reading): Corrections | null {
  const { draft, dates, price, observedAt } = reading;
  const isPast = (moment: ReportedMoment | null) => (moment && moment.at <= observedAt ? moment : null);
  const retold = (fields: readonly ReportedDate[]) => isPast(changed(before.dates, dates, fields));
  const isSettled = before.status === draft.status && !isOnMarket(draft.status);
  const isClosed = isSettled && draft.status === 'CLOSED';
  const isAsked = isClosed && draft.listPrice !== null && before.price !== null && price !== null;
  const wasSold = before.status === 'PENDING' || before.status === 'CLOSED';
  const corrections = {
    listed: retold(LISTED_BY),
    originalPrice: draft.originalPrice === before.originalPrice ? null : draft.originalPrice,
    priceChanged: isSettled && before.price === price ? retold(['priceChangedAt']) : null,
    asked: isAsked && before.price !== price ? { was: before.price, is: price } : null,
    signed: wasSold && draft.status === 'CLOSED' ? retold(['pendingAt']) : null,
    since: isSettled ? retold(datesOf(draft.status)) : null,
    paid: isClosed && draft.closePrice !== before.closePrice ? draft.closePrice : null,
  };
  if (Object.values(corrections).every((value) => value === null)) return null;
  return { ...corrections, status: draft.status };
}

/** What is told now, if it is told and is not what was told before. */
function changed(
  before: ReportedDates,
  now: ReportedDates,
  fields: readonly ReportedDate[],
): ReportedMoment | null {
  const [was, is] = [firstGiven(before, fields), firstGiven(now, fields)];
  return is !== null && (was?.at !== is.at || was.day !== is.day) ? is : null;
}

/** The lines of one listing with the corrections, in the order in which they were recorded. */
export function correctedHistory(
  lines: readonly ListingEvent[],
  corrections: Corrections,
): readonly ListingEvent[] {
  const [withDates, withPrices] = [inDates, inPrices];
  return withPrices(withDates([...lines], corrections), corrections);
}

type Change = Partial<ListingEvent>;
const dated = (moment: ReportedMoment): Change => ({ ...moment, origin: 'upstream' });

function inDates(lines: ListingEvent[], { listed, priceChanged, signed, since, status }: Corrections) {
  const change = (at: number, more: Change): void => {
    const line = lines[at];
    if (line) lines[at] = { ...line, ...more };
  };
  if (listed)
    change(
      lines.findIndex(({ event }) => event === 'LISTED'),
      dated(listed),
    );
  if (priceChanged)
    change(
      lines.findLastIndex(({ event }) => event === 'PRICE_CHANGED'),
      dated(priceChanged),
    );
  if (since)
    change(
      lines.findLastIndex((line) => line.status === status),
      dated(since),
    );
  return signed ? withSigning(lines, signed) : lines;
}

/** The contract of the last sale at another moment; a line of its own where it had none. */
function withSigning(lines: ListingEvent[], signed: ReportedMoment): ListingEvent[] {
  const begun = lines.findLastIndex(({ status }) => status !== null && isOnMarket(status));
  const at = lines.findLastIndex(({ status }, index) => index > begun && status === 'PENDING');
  const line = lines[at];
  if (line) return lines.with(at, { ...line, ...dated(signed) });
  const closed = lines.findLastIndex(({ status }, index) => index > begun && status === 'CLOSED');
  const closing = lines[closed];
  if (!closing) return lines;
  const { previousStatus, price } = closing;
  const pending: ListingEvent = {
    ...{ ...NO_CHANGE, ...signed, event: 'PENDING', origin: 'upstream' },
    ...{ status: 'PENDING', previousStatus, price },
  };
  const after: ListingEvent = { ...closing, previousStatus: previousStatus && 'PENDING' };
  return lines.toSpliced(closed, 1, pending, after);
}

function inPrices(lines: ListingEvent[], { originalPrice, asked, paid }: Corrections): ListingEvent[] {
  const lastAsked = lines.findLastIndex(({ event }) => event === 'PRICE_CHANGED' || event === 'LISTED');
  const lastClosed = lines.findLastIndex(({ event }) => event === 'CLOSED');
  const firstListed = lines.findIndex(({ event }) => event === 'LISTED');
  return lines
    .map((line, at) => {
      if (at === lastClosed && paid !== null) return { ...line, price: paid };
      if (at === lastAsked && asked !== null && line.price === asked.was) return { ...line, price: asked.is };
      return at === firstListed && originalPrice !== null ? { ...line, price: originalPrice } : line;
    })
    .filter(({ event, price, previousPrice }) => event !== 'PRICE_CHANGED' || price !== previousPrice);
}
