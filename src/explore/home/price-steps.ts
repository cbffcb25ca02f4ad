// Price history of a home as steps: what was asked from when to when, what happened when, and where nobody knows. Pure.

import { parseTime } from '../../lib/clock.ts';
import type { Property } from '../../listings/property-record.ts';
import type { Listing } from '../../listings/record.ts';

type HistoryEvent = NonNullable<Property['history']>[number];
type Period = NonNullable<Property['listings']>[number];

export type StepKind = 'listed' | 'relisted' | 'changed' | 'pending' | 'sold' | 'let' | 'ended' | 'status';

/** One row of the table; times in milliseconds since the epoch. */
export interface HistoryStep {
  readonly kind: StepKind;
  /** Null: some time between the steps before and after it. */
  readonly at: number | null;
  /** For `at` null: the times that it lies between. */
  readonly between: readonly [from: number, to: number] | null;
  readonly price: number | null;
  /** Amount that was added to the price; null where it did not change, or nobody knows. */
  readonly change: number | null;
  readonly status: HistoryEvent['status'];
  readonly listingId: string;
}

/** A price that was asked from one time to another. */
export interface AskedPrice {
  readonly from: number;
  readonly to: number;
  readonly price: number;
  /** Whether a contract was signed by then. */
  readonly isPending: boolean;
}

/** A dated change of price. */
export interface PriceChange {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

export interface PriceMark {
  readonly at: number;
  readonly price: number;
  readonly kind: 'listed' | 'changed' | 'sold' | 'now';
}

export interface PriceHistory {
  /** Newest first. */
  readonly steps: readonly HistoryStep[];
  readonly asked: readonly AskedPrice[];
  readonly changes: readonly PriceChange[];
  /** Oldest first. */
  readonly marks: readonly PriceMark[];
  /** Offers of the home that the history covers. */
  readonly listings: number;
}

/** The history of the home's listings of this type: rents and prices have no common scale. */
export function priceHistory(
  { history, listings }: Pick<Property, 'history' | 'listings'>,
  listingType: Listing['listingType'],
  now: number,
): PriceHistory {
  const periods = (listings ?? []).filter((period) => period.listingType === listingType);
  const ofListing = Map.groupBy(history ?? [], ({ listingId }) => listingId);
  const drawn = periods.map((period) => {
    const events = (ofListing.get(period.id) ?? [])
      .map((event) => ({ ...event, time: momentOf(event) }))
      .sort((a, b) => a.time - b.time);
    return new OneListing(period, now).read(events);
  });
  const steps = drawn.flatMap((each) => each.steps);
  return {
    steps: steps.sort((a, b) => timeOf(b) - timeOf(a)),
    asked: drawn.flatMap((each) => each.asked),
    changes: drawn.flatMap((each) => each.changes),
    marks: drawn.flatMap((each) => each.marks).sort((a, b) => a.at - b.at),
    listings: drawn.filter((each) => each.steps.length > 0).length,
  };
}

const DAY = 86_400_000;

/** Sources date closings by the day only: whatever else happened on that day came before. */
const momentOf = ({ event, at }: HistoryEvent): number =>
  (parseTime(at) ?? 0) + (event === 'CLOSED' ? DAY - 1 : 0);

/** An undated step comes right before the one that it leads to. */
const timeOf = ({ at, between, kind }: HistoryStep): number =>
  at === null ? (between?.[1] ?? 0) - 1 : at + (kind === 'sold' || kind === 'let' ? DAY - 1 : 0);

const ON_MARKET: readonly Listing['status'][] = [
  'ACTIVE',
  'ACTIVE_UNDER_CONTRACT',
  'COMING_SOON',
  'PENDING',
  'HOLD',
];

/** Reads the events of one listing, the oldest first, and notes what was asked between them. */
class OneListing {
  readonly steps: HistoryStep[] = [];
  readonly asked: AskedPrice[] = [];
  readonly changes: PriceChange[] = [];
  readonly marks: PriceMark[] = [];
  readonly #period: Period;
  readonly #now: number;
  #price: number | null = null;
  #since: number | null = null;
  #isPending = false;

  constructor(period: Period, now: number) {
    this.#period = period;
    this.#now = now;
  }

  read(events: readonly (HistoryEvent & { readonly time: number })[]): this {
    for (const event of events) this.#add(event, event.time);
    this.#end(events.at(-1)?.time ?? null);
    return this;
  }

  #add(event: HistoryEvent, at: number): void {
    if (event.event === 'PRICE_CHANGED') this.#change(event, at);
    else if (event.event === 'CLOSED') this.#close(event, at);
    else if (event.event === 'STATUS_CHANGED') this.#step(event, 'status', at);
    else if (event.event === 'PENDING') {
      this.#askedUntil(at);
      this.#isPending = true;
      this.#step(event, 'pending', at);
    } else if (event.event === 'DELISTED') {
      this.#askedUntil(at);
      this.#since = null;
      this.#step(event, 'ended', at);
    } else this.#offer(event, at);
  }

  #offer(event: HistoryEvent, at: number): void {
    this.#isPending = false;
    this.#bridge(event.price, at);
    this.#price = event.price ?? this.#price;
    this.#since = at;
    if (this.#price !== null) this.marks.push({ at, price: this.#price, kind: 'listed' });
    this.#step(event, event.event === 'RELISTED' ? 'relisted' : 'listed', at);
  }

  #change(event: HistoryEvent, at: number): void {
    const { price, previousPrice } = event;
    this.#bridge(previousPrice, at);
    if (previousPrice !== null) this.#price = previousPrice;
    this.#askedUntil(at);
    const change = price === null || previousPrice === null ? null : price - previousPrice;
    if (price !== null) {
      if (previousPrice !== null) this.changes.push({ at, from: previousPrice, to: price });
      this.marks.push({ at, price, kind: 'changed' });
    }
    this.#price = price;
    this.#step(event, 'changed', at, change);
  }

  #close(event: HistoryEvent, at: number): void {
    // The way from what was asked to what was paid is no step of the asking price.
    this.#askedUntil(at);
    this.#since = null;
    const day = at - DAY + 1;
    const price = this.#period.closePrice ?? (this.#period.listingType === 'rental' ? event.price : null);
    if (price !== null) this.marks.push({ at: day, price, kind: 'sold' });
    const kind = this.#period.listingType === 'rental' ? 'let' : 'sold';
    this.steps.push(stepOf(event, kind, day, price));
  }

  /** Notes an undated step where the price is no longer what was known: from then on nobody knows what was asked. */
  #bridge(price: number | null, at: number): void {
    if (price === null || this.#price === null || price === this.#price || this.#since === null) return;
    this.steps.push({
      kind: 'changed',
      at: null,
      between: [this.#since, at],
      price,
      change: price - this.#price,
      status: null,
      listingId: this.#period.id,
    });
    this.#since = null;
  }

  /** What is asked now, or was last: a listing may have changed since its last event without a date. */
  #end(last: number | null): void {
    const { status, price } = this.#period;
    if (!ON_MARKET.includes(status) || price === null) return;
    this.#bridge(price, this.#now);
    this.#price = price;
    if (last !== null) this.#askedUntil(this.#now);
    this.marks.push({ at: this.#now, price, kind: 'now' });
  }

  #askedUntil(at: number): void {
    if (this.#since !== null && this.#price !== null && at > this.#since)
      this.asked.push({ from: this.#since, to: at, price: this.#price, isPending: this.#isPending });
    this.#since = at;
  }

  #step(event: HistoryEvent, kind: StepKind, at: number, change: number | null = null): void {
    this.steps.push({ ...stepOf(event, kind, at, event.price ?? this.#price), change });
  }
}

function stepOf(event: HistoryEvent, kind: StepKind, at: number, price: number | null): HistoryStep {
  const { status, listingId } = event;
  return { kind, at, between: null, price, change: null, status, listingId };
}
