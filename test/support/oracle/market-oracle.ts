// What each metric means, said once more as plain loops over what really happened; shares no code with the service.

import type { Life, LifeStatus, Step } from '../catalogue/market-lives.ts';

const DAY = 86_400_000;

export interface Expected {
  readonly value: number | null;
  readonly n: number;
  readonly excluded: number;
  readonly p25?: number | null;
  readonly p75?: number | null;
}

/** The part of the market that is asked for, and from when (inclusive) to when (exclusive), in milliseconds. */
export interface Question {
  readonly listingType: 'rental' | 'sale';
  readonly keeps: (life: Life) => boolean;
  readonly start: number;
  readonly end: number;
}

const onMarket = (status: LifeStatus | undefined): boolean =>
  status === 'ACTIVE' || status === 'ACTIVE_UNDER_CONTRACT';
const rent = (life: Life, price: number | null): number | null => {
  if (price === null || price <= 0) return null;
  return life.weekly ? Math.round(((price * 52) / 12) * 100) / 100 : price;
};

const cameOn = ({ steps }: Life): number | undefined => steps.find((step) => onMarket(step.status))?.at;

/** What held just before a moment. */
const before = ({ steps }: Life, at: number): Step | undefined => steps.findLast((step) => step.at < at);

/** Steps with the status they came from; a step that changes the price alone is none. */
function* changes({
  steps,
}: Life): Iterable<{ from: LifeStatus | undefined; to: LifeStatus; at: number; index: number }> {
  for (const [index, step] of steps.entries()) {
    const from = steps[index - 1]?.status;
    if (from !== step.status) yield { from, to: step.status, at: step.at, index };
  }
}

function paused({ steps }: Life, from: number, to: number): number {
  let sum = 0;
  for (const [index, step] of steps.entries()) {
    if (step.status !== 'HOLD' && step.status !== 'WITHDRAWN') continue;
    const [a, b] = [Math.max(step.at, from), Math.min(steps[index + 1]?.at ?? to, to)];
    if (b > a) sum += b - a;
  }
  return sum;
}

/** Whole days from coming on the market to a moment, without those on hold. */
function days(life: Life, to: number): number | null {
  const on = cameOn(life);
  if (on === undefined || to < on) return null;
  return Math.floor((to - on - paused(life, on, to)) / DAY);
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
    ...{ value: quantile(own, 0.5), n: own.length, excluded: values.length - own.length },
    ...{ p25: quantile(own, 0.25), p75: quantile(own, 0.75) },
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

/** Everything that a metric can be asked for, over these lives. */
export function expect(all: readonly Life[], question: Question): Record<string, Expected> {
  const { listingType, keeps, start, end } = question;
  const ofType = all.filter((life) => life.listingType === listingType);
  const asked = ofType.filter((life) => life.displayed && keeps(life));
  const within = (at: number, from = start) => at >= from && at < end;

  /** The listing that stands for its property at a moment: the latest one that had come on the market before it. */
  const isLatest = (life: Life, at: number): boolean => {
    const on = cameOn(life);
    if (on === undefined || on >= at) return false;
    return !ofType.some((other) => {
      const theirs = cameOn(other);
      return (
        other !== life &&
        other.property === life.property &&
        theirs !== undefined &&
        theirs < at &&
        theirs > on
      );
    });
  };
  const inventoryAt = (at: number) =>
    asked.filter((life) => isLatest(life, at) && onMarket(before(life, at)?.status));
  const inventory = inventoryAt(end);
  const active = asked.filter(
    (life) =>
      isLatest(life, end) &&
      (onMarket(before(life, start)?.status) &&
      (life.steps.find((step) => step.at >= start)?.at ?? end) > start
        ? true
        : life.steps.some((step) => onMarket(step.status) && within(step.at))),
  );
  const delistings = ['EXPIRED', 'CANCELED', 'WITHDRAWN'] as const;
  const isNew = (life: Life): boolean => {
    const on = cameOn(life);
    if (on === undefined || !within(on)) return false;
    return !ofType.some(
      (other) =>
        other !== life &&
        other.property === life.property &&
        [...changes(other)].some(
          ({ to, at }) => [...delistings, 'DELETED'].includes(to) && at <= on && on - at <= 30 * DAY,
        ),
    );
  };
  const fresh = asked.filter(isNew);
  const all3 = asked.flatMap((life) => [...changes(life)].map((change) => ({ ...change, life })));
  const to = (...statuses: LifeStatus[]) => all3.filter((change) => statuses.includes(change.to));
  const closings = to('CLOSED').map((change) => ({
    ...change,
    paid: change.life.steps
      .slice(change.index + 1)
      .some((step) => onMarket(step.status) || step.status === 'CLOSED')
      ? null
      : rent(change.life, change.life.closePrice),
  }));
  const closed = closings.filter(({ at }) => within(at));
  const quarter = new Date(end);
  quarter.setUTCMonth(quarter.getUTCMonth() - 3);
  const closedInQuarter = closings.filter(({ at }) => within(at, quarter.getTime()));
  const isSold = (status: LifeStatus | undefined) => status === 'PENDING' || status === 'CLOSED';
  const sold = to('PENDING', 'CLOSED').filter(({ from }) => !isSold(from));
  const ended = to('PENDING', 'CLOSED', ...delistings, 'DELETED').filter(
    ({ from, at }) => onMarket(from) && within(at),
  );
  const drops = asked.flatMap((life) =>
    life.steps.flatMap((step, at) => {
      const earlier = life.steps[at - 1]?.price ?? null;
      if (step.price === null || earlier === null || step.price >= earlier || !within(step.at)) return [];
      // On the market at that very moment, and still the property's latest.
      if (!onMarket(step.status) || !isLatest(life, step.at + 1)) return [];
      return [{ life, percent: ((earlier - step.price) / earlier) * 100 }];
    }),
  );
  const priceAt = (life: Life, at: number) => rent(life, before(life, at)?.price ?? null);
  const perArea = (life: Life, price: number | null) =>
    price === null || life.livingArea === null ? null : price / life.livingArea;
  const ratio = (change: (typeof closings)[number], asking: number | null) => {
    const last = change.life.steps[change.index]?.price ?? null;
    if (change.paid === null || asking === null || last === null) return null;
    return change.paid / asking;
  };
  const plausible = (value: number | null) => (value !== null && value >= 0.5 && value <= 1.5 ? value : null);
  const toList = closed.map((change) => ratio(change, change.life.steps[change.index]?.price ?? null));
  const toOriginal = closed.map((change) => ratio(change, change.life.steps[0]?.price ?? null));
  const opening = inventoryAt(start).length;
  const prices = inventory.map((life) => priceAt(life, end));
  const newPrice = (life: Life) =>
    rent(life, life.steps.findLast((step) => step.at <= (cameOn(life) ?? 0))?.price ?? null);

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
    median_close_price_per_area: median(closed.map(({ life, paid }) => perArea(life, paid))),
    median_price_per_area: median(inventory.map((life) => perArea(life, priceAt(life, end)))),
    median_days_on_market: median(sold.filter(({ at }) => within(at)).map(({ life, at }) => days(life, at))),
    median_age_of_inventory: median(inventory.map((life) => days(life, end))),
    pending_listings: count(to('PENDING').filter(({ at }) => within(at))),
    closed_listings: count(closed),
    delisted_listings: count(
      to(...delistings).filter(
        ({ from, at }) => within(at) && ![...delistings, 'DELETED', 'CLOSED'].includes(from ?? ''),
      ),
    ),
    months_of_supply: {
      value: closedInQuarter.length === 0 ? null : inventory.length / (closedInQuarter.length / 3),
      ...{ n: closedInQuarter.length, excluded: 0 },
    },
    absorption_rate: { value: opening === 0 ? null : closed.length / opening, n: opening, excluded: 0 },
    price_drop_share: share(active.map((life) => drops.some((drop) => drop.life === life))),
    median_price_drop_percent: median(drops.map(({ percent }) => percent)),
    off_market_in_two_weeks_share: share(
      fresh.map((life) => {
        const on = cameOn(life) ?? 0;
        return sold.some((change) => change.life === life && change.at >= on && change.at - on <= 14 * DAY);
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
        ...{ n: known(closed.map(({ paid }) => paid)).length },
        excluded: closed.filter(({ paid }) => paid === null).length,
      },
    };
  }
  return {
    ...metrics,
    median_rent: median(prices),
    median_rent_per_area: median(inventory.map((life) => perArea(life, priceAt(life, end)))),
    vacancy_days: median(ended.map(({ life, at }) => days(life, at))),
    concession_share: share(inventory.map((life) => (life.monthsFree ?? 0) > 0)),
    median_months_free: median(inventory.map((life) => life.monthsFree || null)),
  };
}
