// Market metrics as plain loops over what really happened; shares no code with the service.

import type { ListingHistory, Status, Step } from '../catalogue/listing-histories.ts';

const DAY = 86_400_000;

export interface Expected {
  readonly value: number | null;
  readonly n: number;
  readonly excluded: number;
  readonly p25?: number | null;
  readonly p75?: number | null;
}

/** The part of the market that is chosen for, and from when (inclusive) to when (exclusive), in milliseconds. */
export interface Question {
  readonly listingType: 'rental' | 'sale';
  readonly keeps: (history: ListingHistory) => boolean;
  readonly start: number;
  readonly end: number;
}

const onMarket = (status: Status | undefined): boolean =>
  status === 'ACTIVE' || status === 'ACTIVE_UNDER_CONTRACT';
const rent = (history: ListingHistory, price: number | null): number | null => {
  if (price === null || price <= 0) return null;
  return history.weekly ? Math.round(((price * 52) / 12) * 100) / 100 : price;
};

const cameOn = ({ steps }: ListingHistory): number | undefined =>
  steps.find((step) => onMarket(step.status))?.at;

/** What held just before a moment. */
const before = ({ steps }: ListingHistory, at: number): Step | undefined =>
  steps.findLast((step) => step.at < at);

/** Steps with the status they came from; a step that changes the price alone is none. */
function* changes({
  steps,
}: ListingHistory): Iterable<{ from: Status | undefined; to: Status; at: number; index: number }> {
  for (const [index, step] of steps.entries()) {
    const from = steps[index - 1]?.status;
    if (from !== step.status) yield { from, to: step.status, at: step.at, index };
  }
}

function paused({ steps }: ListingHistory, from: number, to: number): number {
  let sum = 0;
  for (const [index, step] of steps.entries()) {
    if (step.status !== 'HOLD' && step.status !== 'WITHDRAWN') continue;
    const [a, b] = [Math.max(step.at, from), Math.min(steps[index + 1]?.at ?? to, to)];
    if (b > a) sum += b - a;
  }
  return sum;
}

/** Whole days from coming on the market to a moment, without those on hold. */
function days(history: ListingHistory, to: number): number | null {
  const on = cameOn(history);
  if (on === undefined || to < on) return null;
  return Math.floor((to - on - paused(history, on, to)) / DAY);
}

function quantile(values: readonly number[], part: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low === undefined || high === undefined ? null : low + (high - low) * (place - Math.floor(place));
}

const known = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null);

function median(values: readonly (number | null)[]): Expected {
  const own = known(values);
  return {
    value: quantile(own, 0.5),
    n: own.length,
    excluded: values.length - own.length,
    p25: quantile(own, 0.25),
    p75: quantile(own, 0.75),
  };
}

function mean(values: readonly (number | null)[]): Expected {
  const own = known(values);
  const sum = own.reduce((total, value) => total + value, 0);
  return {
    value: own.length === 0 ? null : sum / own.length,
    n: own.length,
    excluded: values.length - own.length,
  };
}

const count = (list: readonly unknown[]): Expected => ({ value: list.length, n: list.length, excluded: 0 });
const share = (list: readonly boolean[]): Expected => mean(list.map(Number));

const newPrice = (history: ListingHistory) =>
  rent(history, history.steps.findLast((step) => step.at <= (cameOn(history) ?? 0))?.price ?? null);

/** A year's rent over the price of each home that came on the market both ways in this time, each by its last offer with a price. */
export function expectYield(
  all: readonly ListingHistory[],
  { keeps, start, end }: Omit<Question, 'listingType'>,
): Expected {
  const lastPrice = (property: string, listingType: Question['listingType']): number | null => {
    const offers = all.flatMap((history) => {
      const [on, price] = [cameOn(history), newPrice(history)];
      if (history.property !== property || history.listingType !== listingType) return [];
      if (!history.displayed || !keeps(history) || price === null) return [];
      return on !== undefined && on >= start && on < end ? [{ on, price }] : [];
    });
    return offers.sort((a, b) => b.on - a.on)[0]?.price ?? null;
  };
  return median(
    [...new Set(all.map(({ property }) => property))].flatMap((property) => {
      const [rented, price] = [lastPrice(property, 'rental'), lastPrice(property, 'sale')];
      return rented === null || price === null ? [] : [(12 * rented) / price];
    }),
  );
}

/** The history without closings after which the listing was offered again: until then it had the status from before. */
function withoutTakenBack(history: ListingHistory): ListingHistory {
  const steps = [...history.steps];
  for (const [at, step] of steps.entries()) {
    const isTakenBack = steps.slice(at + 1).some(({ status }) => onMarket(status) || status === 'PENDING');
    const earlier = steps[at - 1];
    if (step.status === 'CLOSED' && isTakenBack && earlier) steps[at] = { ...step, status: earlier.status };
  }
  return { ...history, steps };
}

/** Everything that a metric can be chosen for, over these histories. */
export function expect(recorded: readonly ListingHistory[], question: Question): Record<string, Expected> {
  const { listingType, keeps, start, end } = question;
  const all = recorded.map(withoutTakenBack);
  const ofType = all.filter((history) => history.listingType === listingType);
  const chosen = ofType.filter((history) => history.displayed && keeps(history));
  const within = (at: number, from = start) => at >= from && at < end;

  /** The listing that represents its property at a moment: the latest one that had come on the market before it. */
  const isLatest = (history: ListingHistory, at: number): boolean => {
    const on = cameOn(history);
    if (on === undefined || on >= at) return false;
    return !ofType.some((other) => {
      const theirs = cameOn(other);
      return (
        other !== history &&
        other.property === history.property &&
        theirs !== undefined &&
        theirs < at &&
        theirs > on
      );
    });
  };
  const inventoryAt = (at: number) =>
    chosen.filter((history) => isLatest(history, at) && onMarket(before(history, at)?.status));
  const inventory = inventoryAt(end);
  const active = chosen.filter(
    (history) =>
      isLatest(history, end) &&
      (onMarket(before(history, start)?.status) &&
      (history.steps.find((step) => step.at >= start)?.at ?? end) > start
        ? true
        : history.steps.some((step) => onMarket(step.status) && within(step.at))),
  );
  const delistings = ['EXPIRED', 'CANCELED', 'WITHDRAWN'] as const;
  const isNew = (history: ListingHistory): boolean => {
    const on = cameOn(history);
    if (on === undefined || !within(on)) return false;
    return !ofType.some(
      (other) =>
        other !== history &&
        other.property === history.property &&
        [...changes(other)].some(
          ({ to, at }) => [...delistings, 'DELETED'].includes(to) && at <= on && on - at <= 30 * DAY,
        ),
    );
  };
  const fresh = chosen.filter(isNew);
  const all3 = chosen.flatMap((history) => [...changes(history)].map((change) => ({ ...change, history })));
  const to = (...statuses: Status[]) => all3.filter((change) => statuses.includes(change.to));
  const closings = to('CLOSED').map((change) => ({
    ...change,
    paid: change.history.steps
      .slice(change.index + 1)
      .some((step) => onMarket(step.status) || step.status === 'CLOSED')
      ? null
      : rent(change.history, change.history.closePrice),
  }));
  const closed = closings.filter(({ at }) => within(at));
  const quarter = new Date(end);
  quarter.setUTCMonth(quarter.getUTCMonth() - 3);
  const closedInQuarter = closings.filter(({ at }) => within(at, quarter.getTime()));
  const isSold = (status: Status | undefined) => status === 'PENDING' || status === 'CLOSED';
  const sold = to('PENDING', 'CLOSED').filter(({ from }) => !isSold(from));
  const ended = to('PENDING', 'CLOSED', ...delistings, 'DELETED').filter(
    ({ from, at }) => onMarket(from) && within(at),
  );
  const drops = chosen.flatMap((history) =>
    history.steps.flatMap((step, at) => {
      const earlier = history.steps[at - 1]?.price ?? null;
      if (step.price === null || earlier === null || step.price >= earlier || !within(step.at)) return [];
      // On the market at that very moment, and still the property's latest.
      if (!onMarket(step.status) || !isLatest(history, step.at + 1)) return [];
      return [{ history, percent: ((earlier - step.price) / earlier) * 100 }];
    }),
  );
  const priceAt = (history: ListingHistory, at: number) => rent(history, before(history, at)?.price ?? null);
  const perArea = (history: ListingHistory, price: number | null) =>
    price === null || history.livingArea === null ? null : price / history.livingArea;
  const ratio = (change: (typeof closings)[number], listPrice: number | null) => {
    const last = change.history.steps[change.index]?.price ?? null;
    if (change.paid === null || listPrice === null || last === null) return null;
    return change.paid / listPrice;
  };
  const plausible = (value: number | null) => (value !== null && value >= 0.5 && value <= 1.5 ? value : null);
  const toList = closed.map((change) => ratio(change, change.history.steps[change.index]?.price ?? null));
  const toOriginal = closed.map((change) => ratio(change, change.history.steps[0]?.price ?? null));
  const opening = inventoryAt(start).length;
  const prices = inventory.map((history) => priceAt(history, end));

  const metrics: Record<string, Expected> = {
    active_listings: count(active),
    inventory: count(inventory),
    new_listings: count(fresh),
    median_list_price: median(prices),
    average_list_price: { ...median(prices), ...mean(prices) },
    median_new_list_price: median(fresh.map(newPrice)),
    median_close_price: median(closed.map(({ paid }) => paid)),
    average_close_price: {
      ...median(closed.map(({ paid }) => paid)),
      ...mean(closed.map(({ paid }) => paid)),
    },
    median_close_price_per_area: median(closed.map(({ history, paid }) => perArea(history, paid))),
    median_price_per_area: median(inventory.map((history) => perArea(history, priceAt(history, end)))),
    median_days_on_market: median(
      sold.filter(({ at }) => within(at)).map(({ history, at }) => days(history, at)),
    ),
    median_age_of_inventory: median(inventory.map((history) => days(history, end))),
    pending_listings: count(to('PENDING').filter(({ at }) => within(at))),
    closed_listings: count(closed),
    delisted_listings: count(
      to(...delistings).filter(
        ({ from, at }) => within(at) && ![...delistings, 'DELETED', 'CLOSED'].includes(from ?? ''),
      ),
    ),
    months_of_supply: {
      value: closedInQuarter.length === 0 ? null : inventory.length / (closedInQuarter.length / 3),
      n: closedInQuarter.length,
      excluded: 0,
    },
    absorption_rate: { value: opening === 0 ? null : closed.length / opening, n: opening, excluded: 0 },
    price_drop_share: share(active.map((history) => drops.some((drop) => drop.history === history))),
    median_price_drop_percent: median(drops.map(({ percent }) => percent)),
    off_market_in_two_weeks_share: share(
      fresh.map((history) => {
        const on = cameOn(history) ?? 0;
        return sold.some(
          (change) => change.history === history && change.at >= on && change.at - on <= 14 * DAY,
        );
      }),
    ),
  };
  if (listingType === 'sale') {
    const above = known(toList);
    return {
      ...metrics,
      sale_to_list_ratio: { ...median(toList.map(plausible)), ...mean(toList.map(plausible)) },
      sale_to_original_list_ratio: {
        ...median(toOriginal.map(plausible)),
        ...mean(toOriginal.map(plausible)),
      },
      sold_above_list_share: {
        ...share(above.map((value) => value > 1)),
        excluded: toList.length - above.length,
      },
      sales_volume: {
        value: known(closed.map(({ paid }) => paid)).reduce((sum, paid) => sum + paid, 0),
        n: known(closed.map(({ paid }) => paid)).length,
        excluded: closed.filter(({ paid }) => paid === null).length,
      },
    };
  }
  return {
    ...metrics,
    median_rent: median(prices),
    median_rent_per_area: median(inventory.map((history) => perArea(history, priceAt(history, end)))),
    vacancy_days: median(ended.map(({ history, at }) => days(history, at))),
    concession_share: share(inventory.map((history) => (history.monthsFree ?? 0) > 0)),
    median_months_free: median(inventory.map((history) => history.monthsFree || null)),
  };
}
